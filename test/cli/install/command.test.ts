import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type InstallOptions, installCommand } from '#lib/cli/install/command.ts';
import type { KubeRequest, KubeResponse } from '#lib/kube/transport.ts';

const URL = 'https://abc.execute-api.us-east-1.amazonaws.com/0123456789abcdef0123456789abcdef';
const NOT_FOUND: KubeResponse = { status: 404, body: { reason: 'NotFound', message: 'not found' } };

/** Runs the command against an API server of a few answers; everything else is not found or done. */
async function install(
  options: InstallOptions,
  answers: Readonly<Record<string, KubeResponse>> = {},
) {
  const asked: KubeRequest[] = [];
  const printed = { out: [] as string[], err: [] as string[] };
  const kube = async (request: KubeRequest): Promise<KubeResponse> => {
    asked.push(request);
    const done = request.method === 'PATCH' ? { status: 200, body: {} } : NOT_FOUND;
    const lists = request.path.endsWith('/deployments')
      ? { status: 200, body: { items: [] } }
      : done;
    return answers[request.path] ?? lists;
  };
  const status = await installCommand(
    options,
    {
      out: (line) => printed.out.push(line),
      err: (line) => printed.err.push(line),
      isTerminal: false,
    },
    { connect: async () => kube, now: () => Date.parse('2026-11-20T12:00:00Z') },
  );
  return {
    status,
    out: printed.out.join('\n'),
    err: printed.err.join('\n'),
    applied: asked.filter(({ method }) => method === 'PATCH'),
  };
}

const kindsIn = (text: string) => parseAllDocuments(text).map((each) => each.toJS().kind);

describe('joinery install', () => {
  it('prints everything with --dry-run, and asks no cluster', async () => {
    const { out, status, applied } = await install({ dryRun: true, webhookUrl: URL });

    expect(status).toBe(0);
    expect(applied).toEqual([]);
    expect(new Set(kindsIn(out))).toEqual(
      new Set([
        'Namespace',
        'CustomResourceDefinition',
        'ClusterRole',
        'ClusterRoleBinding',
        'Role',
        'RoleBinding',
        'FlowSchema',
        'ValidatingWebhookConfiguration',
      ]),
    );
    expect(out).not.toContain('joinery.invalid');
  });

  it('puts the address into every webhook, and makes none without it', async () => {
    const { out } = await install({ dryRun: true, webhookUrl: URL });
    const without = await install({ dryRun: true });

    expect(out.split(URL)).toHaveLength(4);
    expect(kindsIn(without.out)).not.toContain('ValidatingWebhookConfiguration');
  });

  it('applies each object in its place, the webhook last', async () => {
    const { applied, status, out } = await install({ webhookUrl: URL });

    expect(status).toBe(0);
    expect(applied[0]?.path).toBe('/api/v1/namespaces/joinery');
    expect(applied.at(-1)).toMatchObject({
      path: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/joinery',
      contentType: 'application/apply-patch+yaml',
      query: { fieldManager: 'joinery-install', force: 'true' },
    });
    expect(out).toContain('Next: apply an EC2NodeClass and a NodePool');
  });

  it("leaves the kinds as they are that Karpenter's chart installed", async () => {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/nodepools.karpenter.sh';
    const helms = { metadata: { managedFields: [{ manager: 'helm' }] } };
    const { applied, out } = await install({}, { [path]: { status: 200, body: helms } });

    expect(applied.map((each) => each.path)).not.toContain(path);
    expect(out).toContain('nodepools.karpenter.sh: is there already, left as it is');
  });

  it('brings the kinds up to date that it installed itself', async () => {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/nodepools.karpenter.sh';
    const ours = { metadata: { managedFields: [{ manager: 'joinery-install' }] } };
    const { applied } = await install({}, { [path]: { status: 200, body: ours } });

    expect(applied.map((each) => each.path)).toContain(path);
  });

  it('refuses beside a Karpenter that runs, changes nothing, and says how to hand over', async () => {
    const body = {
      items: [{ metadata: { namespace: 'kube-system', name: 'karpenter' }, spec: { replicas: 2 } }],
    };
    const { status, err, applied } = await install(
      { webhookUrl: URL },
      { '/apis/apps/v1/deployments': { status: 200, body } },
    );

    expect({ status, applied }).toEqual({ status: 1, applied: [] });
    expect(err).toContain('Deployment kube-system/karpenter with 2 replicas');
    expect(err).toContain('scale deployment NAME --replicas=0');
  });

  it.each(['http://abc.example/path', 'https://abc.example', 'abc'])(
    'refuses %s as an address',
    async (webhookUrl) => {
      const { status, err, applied } = await install({ webhookUrl });

      expect({ status, applied }).toEqual({ status: 1, applied: [] });
      expect(err).toContain('expected an https address with a path');
    },
  );

  it('says in whose way the API server put itself', async () => {
    const { status, err } = await install(
      {},
      {
        '/api/v1/namespaces/joinery': {
          status: 403,
          body: { reason: 'Forbidden', message: 'namespaces "joinery" is forbidden' },
        },
      },
    );

    expect(status).toBe(1);
    expect(err).toContain('forbidden');
  });
});
