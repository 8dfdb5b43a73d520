import { describe, expect, it } from 'vitest';
import { deployments, NODE_CLASS, NODE_POOL } from '#test/build/placement.ts';
import { auditedCalls } from '../stack/audit.ts';
import type { KubeObject } from '../stack/cluster-client.ts';
import { until } from '../stack/control-plane.ts';
import type { Joinery } from '../stack/joinery.ts';
import { postEvent } from '../stack/post-event.ts';
import { type RealWorld, realWorld } from '../stack/real-world.ts';
import { givePool, instanceOf, runningPods, untilRunning } from '../stack/scene.ts';
import { says } from '../stack/timeline.ts';

const SCHEDULED = ['provision', 'consolidate', 'drift'];
const FUNCTIONS = [...SCHEDULED, 'interrupt'];
const WRITES = [
  'CreateFleet',
  'CreateLaunchTemplate',
  'CreateInstanceProfile',
  'TerminateInstances',
];
const READS = ['get', 'list', 'watch'];
const MINUTE_MS = 60_000;

/** Karpenter's Lease, held since so long; a holder who lives renews it. */
const lease = (holderIdentity: string, renewedAgoMs = 0, leaseDurationSeconds = 3_600) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'karpenter-leader-election', namespace: 'kube-system' },
  spec: {
    holderIdentity,
    leaseDurationSeconds,
    renewTime: new Date(Date.now() - renewedAgoMs).toISOString().replace('Z', '000Z'),
  },
});

const refusals = ({ lines }: Joinery, name: string): number =>
  lines.filter(({ message }) => message === `${name}: refused`).length;

/**
 * Whether a function has acted, or found nothing to do, since that line of the log. interrupt must
 * have deleted a NodeClaim: it does so whoever holds Joinery's own Lease, and is not woken again.
 */
const goesOn = ({ lines }: Joinery, from: number, name: string): boolean =>
  lines
    .slice(from)
    .some(({ message, did }) =>
      name === 'interrupt'
        ? message.startsWith('interrupt: ') && Object(did).delete > 0
        : message === `${name}: acted` || message === `${name}: nothing to do`,
    );

const untilRefused = (joinery: Joinery, names: readonly string[], times = 1) =>
  until(
    () => names.every((name) => refusals(joinery, name) >= times),
    90_000,
    () => `all refuse: ${names.map((name) => `${name} ${refusals(joinery, name)}`)}`,
  );

const writesIn = ({ plane }: RealWorld) =>
  auditedCalls(plane).filter(({ verb }) => !READS.includes(verb));

const warningFor = (claim: KubeObject) => ({
  version: '0',
  source: 'aws.ec2',
  'detail-type': 'EC2 Spot Instance Interruption Warning',
  time: new Date().toISOString(),
  detail: { 'instance-id': instanceOf(claim), 'instance-action': 'terminate' },
});

const uids = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => metadata.uid).sort();

describe('while Karpenter holds its Lease', () => {
  it('every function that a schedule wakes looks, refuses to act and says so; then acts', async () => {
    const world = await realWorld({ isQuiet: true });
    const { cluster, account } = world;
    try {
      await cluster.apply(lease('karpenter-6f5b8'));
      const joinery = await world.start({ heartbeatSeconds: 5 });
      for (const object of [NODE_CLASS, NODE_POOL, ...deployments(8)]) await cluster.apply(object);
      await untilRefused(joinery, SCHEDULED);
      await untilRefused(joinery, ['provision'], 3);
      const warning = joinery.lines.find(({ level }) => level === 'warn')?.message;

      expect(warning).toContain("karpenter-6f5b8 holds Karpenter's Lease");
      expect(writesIn(world)).toEqual([]);
      const calls = await account.calls();
      expect(WRITES.filter((name) => (calls[name] ?? 0) > 0)).toEqual([]);
      expect(await cluster.list('NodeClaim')).toEqual([]);

      await cluster.apply(lease(''));
      await untilRunning(world, 8);
    } finally {
      await world.end();
    }
  });

  it('no node is replaced, taken back or given up; once the Lease is stale, all that are due are', async () => {
    const world = await realWorld();
    const { cluster, account } = world;
    const [first = {}, second = {}, third = {}] = deployments(3, 3).map(onNodeOfItsOwn);
    try {
      await givePool(world, poolThatReplacesAtOnce());
      for (const object of [first, second, third]) await cluster.apply(object);
      await untilRunning(world, 3);
      await until(
        async () =>
          (await cluster.list('NodeClaim')).every((claim) => says(claim, 'Consolidatable', 'True')),
        60_000,
        () => 'nothing is left to be done',
      );
      await world.joinery().stop();
      const claims = await cluster.list('NodeClaim');
      expect(claims).toHaveLength(3);
      const before = uids(claims);
      const warned = await claimUnder(world, 'app-0');

      // Work for everybody: an empty node, a NodePool that has changed, and a warning.
      await cluster.apply(lease('karpenter-6f5b8'));
      await cluster.apply({ ...third, spec: { ...Object(third).spec, replicas: 0 } });
      await cluster.apply(poolThatReplacesAtOnce({ team: 'changed' }));
      await until(
        async () => (await cluster.list('Pod')).length === 2,
        30_000,
        () => 'the third pod is gone',
      );
      const written = writesIn(world).length;
      const called = await account.calls();
      const everySeconds = { provision: 600, consolidate: 3, drift: 10 };
      const joinery = await world.start({ everySeconds });
      expect(await postEvent(world, warningFor(warned))).toBe(202);
      await untilRefused(joinery, FUNCTIONS);
      await untilRefused(joinery, ['consolidate'], 3);
      expect(writesIn(world).slice(written)).toEqual([]);
      const calls = await account.calls();
      expect(WRITES.filter((name) => (calls[name] ?? 0) > (called[name] ?? 0))).toEqual([]);
      expect(uids(await cluster.list('NodeClaim'))).toEqual(before);

      // Its holder has died: nobody has renewed it for longer than clocks differ.
      await cluster.apply(lease('karpenter-6f5b8', 2 * MINUTE_MS, 15));
      const from = joinery.lines.length;
      await until(
        () => SCHEDULED.some((name) => goesOn(joinery, from, name)),
        90_000,
        () => 'the Lease counts as stale',
      );
      expect(await postEvent(world, warningFor(warned))).toBe(202);
      await until(
        async () => {
          const now = uids(await cluster.list('NodeClaim'));
          return now.length === 2 && now.every((uid) => !before.includes(uid));
        },
        180_000,
        () => 'the empty node is gone, the warned and the drifted one are replaced',
        1_000,
      );
      await untilRunning(world, 2);
      expect(await runningPods(world)).toHaveLength(2);
      await until(
        () => FUNCTIONS.every((name) => goesOn(joinery, from, name)),
        60_000,
        () => `go on: ${FUNCTIONS.filter((name) => !goesOn(joinery, from, name))}`,
      );
    } finally {
      await world.end();
    }
  }, 420_000);
});

/** The NodeClaim on whose node a Deployment's pod is. */
async function claimUnder(world: RealWorld, app: string): Promise<KubeObject> {
  const pod = (await runningPods(world)).find(({ metadata }) => metadata.labels?.app === app);
  const claims = await world.cluster.list('NodeClaim');
  const claim = claims.find(({ status }) => status?.nodeName === pod?.spec.nodeName);
  if (claim === undefined) throw new Error(`expected a NodeClaim under ${app}`);
  return claim;
}

/** The same Deployment, whose pods bear none of their kind or of the others beside them. */
function onNodeOfItsOwn(deployment: Readonly<Record<string, unknown>>) {
  const { spec, ...object } = Object(deployment);
  const { metadata, spec: pod } = spec.template;
  const term = {
    labelSelector: { matchExpressions: [{ key: 'app', operator: 'Exists' }] },
    topologyKey: 'kubernetes.io/hostname',
  };
  const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
  return { ...object, spec: { ...spec, template: { metadata, spec: { ...pod, affinity } } } };
}

/** A NodePool whose empty and changed nodes go as soon as anybody looks. */
function poolThatReplacesAtOnce(labels: Readonly<Record<string, string>> = {}) {
  const { template } = NODE_POOL.spec;
  const disruption = {
    consolidationPolicy: 'WhenEmptyOrUnderutilized',
    consolidateAfter: '0s',
    budgets: [{ nodes: '100%' }],
  };
  const spec = { disruption, template: { ...template, metadata: { labels } } };
  return { ...NODE_POOL, spec };
}
