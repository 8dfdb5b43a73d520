import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleAll } from '#infra/bundle.ts';

const output = mkdtempSync(join(tmpdir(), 'joinery-cdk-'));

/** `npm run cdk -- synth` with these parameters. */
function synth(parameters: Readonly<Record<string, string>>) {
  const context = Object.entries(parameters).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const args = ['run', '--silent', 'cdk', '--', 'synth', '--quiet', '--output', output, ...context];
  return spawnSync('npm', args, { encoding: 'utf8' });
}

describe('the CDK app of the checkout', () => {
  beforeAll(() => bundleAll(process.cwd()), 120_000);
  afterAll(() => rmSync(output, { recursive: true, force: true }));

  it('synthesizes what its parameters say', { timeout: 120_000 }, () => {
    const { status, stderr } = synth({
      ClusterName: 'my_shop',
      WebhookPath: 'f'.repeat(40),
      AlarmEmail: 'ops@example.com',
      ProvisionMemory: '3008',
    });
    expect([status, stderr.includes('Error')]).toEqual([0, false]);
    const template = readFileSync(join(output, 'joinery-my-shop.template.json'), 'utf8');

    expect(template).toContain('"MemorySize": 3008');
    expect(template).toContain('"Endpoint": "ops@example.com"');
  });

  it('says in sentences what it cannot take', { timeout: 120_000 }, () => {
    const { status, stderr } = synth({ ClusterName: 'shop', LogRetentionDays: '2' });

    expect(status).not.toBe(0);
    expect(stderr).toMatch(/WebhookPath is missing: give .*, or choose WebhookDoor=none/);
    expect(stderr).toContain('LogRetentionDays is "2", which is not one of 1, 3, 5');
    expect(stderr).not.toContain('    at ');
  });
});
