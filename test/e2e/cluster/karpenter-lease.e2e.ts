import { expect, it } from 'vitest';
import { deployments, NODE_CLASS, NODE_POOL } from '#test/build/placement.ts';
import { auditedCalls } from '../stack/audit.ts';
import { until } from '../stack/control-plane.ts';
import { realWorld } from '../stack/real-world.ts';

const FUNCTIONS = ['provision', 'consolidate', 'drift'];
const WRITES = [
  'CreateFleet',
  'CreateLaunchTemplate',
  'CreateInstanceProfile',
  'TerminateInstances',
];
const READS = ['get', 'list', 'watch'];

const lease = (holderIdentity: string) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'karpenter-leader-election', namespace: 'kube-system' },
  spec: {
    holderIdentity,
    leaseDurationSeconds: 3_600,
    renewTime: new Date().toISOString().replace('Z', '000Z'),
  },
});

it('while Karpenter holds its Lease every function looks, refuses to act and says so; then acts', async () => {
  const world = await realWorld({ isQuiet: true });
  const { cluster, account, plane } = world;
  try {
    await cluster.apply(lease('karpenter-6f5b8'));
    const joinery = await world.start({ heartbeatSeconds: 5 });
    for (const object of [NODE_CLASS, NODE_POOL, ...deployments(8)]) await cluster.apply(object);
    const refused = (name: string) =>
      joinery.lines.filter(({ message }) => message === `${name}: refused`).length;
    await until(
      () => FUNCTIONS.every((name) => refused(name) > 0) && refused('provision') > 2,
      60_000,
      () => `all refuse: ${FUNCTIONS.map((name) => `${name} ${refused(name)}`)}`,
    );
    const warning = joinery.lines.find(({ level }) => level === 'warn')?.message;

    expect(warning).toContain("karpenter-6f5b8 holds Karpenter's Lease");
    expect(auditedCalls(plane).filter(({ verb }) => !READS.includes(verb))).toEqual([]);
    const calls = await account.calls();
    expect(WRITES.filter((name) => (calls[name] ?? 0) > 0)).toEqual([]);
    expect(await cluster.list('NodeClaim')).toEqual([]);

    await cluster.apply(lease(''));
    await until(
      async () => (await cluster.list('Pod')).every(({ status }) => status?.phase === 'Running'),
      120_000,
      () => 'all pods run once Karpenter is gone',
    );
  } finally {
    await world.end();
  }
});
