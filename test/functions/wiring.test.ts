import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const HANDLERS = [
  'provision/index.ts',
  'provision/admit.ts',
  'consolidate/index.ts',
  'drift/index.ts',
  'interrupt/index.ts',
];

const kubeconfig = join(mkdtempSync(join(tmpdir(), 'joinery-')), 'kubeconfig');
writeFileSync(
  kubeconfig,
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'demo', cluster: { server: 'https://127.0.0.1:6443' } }],
    users: [{ name: 'me', user: { token: 'secret' } }],
    contexts: [{ name: 'demo', context: { cluster: 'demo', user: 'me' } }],
    'current-context': 'demo',
  }),
);

const ENVIRONMENT = {
  PATH: process.env.PATH,
  KUBECONFIG: kubeconfig,
  AWS_REGION: 'us-east-1',
  JOINERY_CLUSTER_NAME: 'demo',
  JOINERY_CLUSTER_ENDPOINT: 'https://127.0.0.1:6443',
  JOINERY_CLUSTER_CA: 'Q0E=',
  JOINERY_SERVICE_CIDR: '10.100.0.0/16',
  JOINERY_KUBERNETES_VERSION: '1.33',
  JOINERY_HINT_QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/111122223333/hints',
};

/** Starts a sandbox: loads the module that Lambda would, in a process of its own. */
const start = (handler: string, environment: NodeJS.ProcessEnv) =>
  spawnSync(
    process.execPath,
    ['-e', `import('./functions/${handler}').then((m) => console.log(typeof m.handler))`],
    { cwd: ROOT, env: environment, encoding: 'utf8' },
  );

describe('the handlers that Lambda invokes', () => {
  it.each(HANDLERS)('%s starts, given its settings', (handler) => {
    const { stdout, stderr } = start(handler, ENVIRONMENT);

    expect([stdout.trim(), stderr]).toEqual(['function', '']);
  });

  it.each(HANDLERS)('%s starts in Lambda, where there is no kubeconfig', (handler) => {
    const { KUBECONFIG: _, ...without } = ENVIRONMENT;
    const { stdout, stderr } = start(handler, { ...without, AWS_LAMBDA_FUNCTION_NAME: 'joinery' });

    expect([stdout.trim(), stderr]).toEqual(['function', '']);
  });

  it('asks EKS for what the settings leave out of the cluster, and says so where it cannot', () => {
    const { JOINERY_CLUSTER_ENDPOINT: _, ...without } = ENVIRONMENT;
    const { status, stderr } = start('provision/index.ts', {
      ...without,
      AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
      AWS_ACCESS_KEY_ID: 'x',
      AWS_SECRET_ACCESS_KEY: 'y',
      AWS_MAX_ATTEMPTS: '1',
    });

    expect(status).not.toBe(0);
    expect(stderr).toMatch(/was asked of EKS, in vain: .*ECONNREFUSED.*Grant eks:DescribeCluster/);
  });

  it('names a bad setting before it asks EKS for others', () => {
    const { JOINERY_CLUSTER_ENDPOINT: _, ...without } = ENVIRONMENT;
    const bad = { ...without, JOINERY_PLACEMENT: 'magic', JOINERY_LIMIT_USD_PER_HOUR: 'much' };
    const { status, stderr } = start('provision/index.ts', bad);

    expect(status).not.toBe(0);
    expect(stderr).toMatch(/JOINERY_PLACEMENT is "magic".*JOINERY_LIMIT_USD_PER_HOUR/s);
    expect(stderr).not.toContain('asked of EKS');
  });

  it.each(HANDLERS)(
    '%s does not start without its queue, and says which setting is missing',
    (handler) => {
      const { JOINERY_HINT_QUEUE_URL: _, ...without } = ENVIRONMENT;
      const { status, stderr } = start(handler, without);

      expect(status).not.toBe(0);
      expect(stderr).toContain('JOINERY_HINT_QUEUE_URL is missing');
    },
  );
});
