import { describe, expect, it } from 'vitest';
import { virtualClock } from '#lib/sim/clock.ts';
import type { Change } from '#lib/sim/kubernetes/store.ts';
import type { World } from '#lib/sim/world.ts';
import { watchInvariants } from '#test/build/invariants.ts';
import { MINUTE, NOON } from '#test/build/objects.ts';

const aClaim = (name: string, id = '', group = 'g/1') => ({
  kind: 'NodeClaim',
  metadata: { name, uid: `uid-of-${name}`, annotations: { 'joinery.dev/launch-group': group } },
  status: { providerID: id === '' ? undefined : `aws:///us-east-1a/${id}` },
});
const anInstance = (id: string, group = 'g') => ({
  id,
  state: 'running',
  tags: { 'joinery.dev/launch-group': group },
});

/** A world of these objects and instances, in which somebody else is to blame for everything. */
function watched(
  objects: readonly unknown[],
  machines: readonly unknown[],
  trespasses: readonly string[] = [],
) {
  const clock = virtualClock(NOON);
  let tell: (change: Change) => void = () => undefined;
  const of = (kind: string) => objects.filter((each) => Object(each).kind === kind);
  const world = {
    clock,
    aws: { machines: () => machines, trespasses: () => trespasses },
    kubernetes: {
      list: of,
      all: of,
      onChange: (listener: typeof tell) => {
        tell = listener;
      },
    },
  } as unknown as World;
  const invariants = watchInvariants(world);
  return {
    tell: (change: unknown) => tell(change as Change),
    after: async (ms: number) => {
      await clock.run(() => false, NOON + ms);
      return invariants.violations().map(({ what }) => what);
    },
  };
}

describe('what must hold at every moment', () => {
  it('holds where each NodeClaim has its instance', async () => {
    const world = watched([aClaim('a', 'i-1')], [anInstance('i-1')]);

    expect(await world.after(60 * MINUTE)).toEqual([]);
  });

  it('is broken by an instance that belongs to nobody for long', async () => {
    const world = watched([], [anInstance('i-1', 'other')]);

    expect(await world.after(8 * MINUTE)).not.toContain('instance i-1 belongs to nobody');
    expect(await world.after(10 * MINUTE)).toContain('instance i-1 belongs to nobody');
  });

  it('is broken by a call that touches what is another cluster’s', async () => {
    const touched = 'demo: TerminateInstances of i-1, of till';

    expect(await watched([], [], [touched]).after(1)).toEqual([touched]);
  });

  it('is broken by a NodeClaim that never gets an instance', async () => {
    const world = watched([aClaim('a')], []);

    expect(await world.after(30 * MINUTE)).toEqual(['NodeClaim a (uid-of-a) has no instance']);
  });

  it('is broken by two instances of one NodeClaim, and by two NodeClaims of one instance', async () => {
    const twice = watched([aClaim('a', 'i-1')], [anInstance('i-1'), anInstance('i-2')]);
    const shared = watched([aClaim('a', 'i-1'), aClaim('b', 'i-1')], [anInstance('i-1')]);

    expect(await twice.after(1)).toEqual(['launch group g of 1 NodeClaims has 2 instances']);
    expect(await shared.after(1)).toEqual(['instance i-1 has 2 NodeClaims']);
  });

  it.each([
    ['provision/1', {}, ['provision/1 sent p away: 0 healthy, 1 wanted']],
    ['provision/1', { p: 'now' }, []],
    ['kubelet', {}, []],
  ])(
    'is judged by the budget where %s sends a pod away: %o',
    async (actor, disruptedPods, expected) => {
      const budget = {
        kind: 'PodDisruptionBudget',
        metadata: { name: 'b', namespace: 'default' },
        spec: { selector: { matchLabels: { app: 'web' } } },
        status: { desiredHealthy: 1, disruptedPods },
      };
      const world = watched([budget], []);
      const pod = {
        kind: 'Pod',
        metadata: { name: 'p', labels: { app: 'web' } },
        status: { conditions: [{ type: 'Ready', status: 'True' }] },
      };
      const object = { ...pod, metadata: { ...pod.metadata, deletionTimestamp: 'now' } };
      world.tell({ type: 'modified', object, old: pod, actor });

      expect(await world.after(1)).toEqual(expected);
    },
  );
});
