import { describe, expect, it } from 'vitest';
import type { StateNode } from '#lib/model/node.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { type Simulation, simulate } from '#lib/solver/simulation.ts';
import { spec } from '#test/build/constraints.ts';
import { aCatalog, anInstanceType } from '#test/build/instance-types.ts';
import { aNodeClaim, conditionsUpTo } from '#test/build/node-claims.ts';
import { aCondition, aNodePool } from '#test/build/node-pools.ts';
import { aNode, anInFlightNode, aStateNode } from '#test/build/nodes.ts';
import { NOON } from '#test/build/objects.ts';
import { aPod, aRunningPod } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

const SETTLED = [...conditionsUpTo('Initialized'), aCondition('Consolidatable')];

/** A node that has settled, with one pod of 1 cpu on it, unless something else is said. */
function member(name: string, difference: Partial<StateNode> = {}): StateNode {
  const providerId = `aws:///us-east-1a/i-${name}`;
  return {
    ...aStateNode({
      node: aNode({ meta: { name }, providerId }),
      claim: aNodeClaim({
        meta: { name: `claim-of-${name}` },
        status: { nodeName: name, providerId, conditions: SETTLED },
      }),
      pods: [aRunningPod({ meta: { name: `on-${name}` }, nodeName: name })],
    }),
    ...difference,
  };
}

const simulated = (snapshot: Snapshot, difference: Partial<Simulation> = {}) => {
  const without = difference.without ?? new Set(['a']);
  const gone = snapshot.nodes.filter(({ name }) => without.has(name));
  return simulate({
    snapshot,
    pods: [...snapshot.pods, ...gone.flatMap(({ pods }) => pods)],
    promised: new Map(),
    expected: new Map(),
    without,
    sparesUnsettled: true,
    ...difference,
  });
};
const placesIn = ({ placements }: ReturnType<typeof simulated>) =>
  placements.map(({ pod, host }) => `${pod.meta.name} on ${host}`);

describe('simulate', () => {
  it('puts the pods of nodes that are gone on those that stay', () => {
    const result = simulated(aSnapshot({ nodes: [member('a'), member('b')] }));

    expect(placesIn(result)).toEqual(['on-a on b']);
    expect(result.claims).toEqual([]);
  });

  it('counts what is gone no more against limits', () => {
    const snapshot = aSnapshot({
      nodePools: [aNodePool({ limits: { nodes: 1 } })],
      nodes: [member('a')],
    });

    expect(simulated(snapshot).claims).toHaveLength(1);
  });

  it('leaves nodes alone that have not settled, but for pods that wait or lose their node anyway', () => {
    const unsettled = member('b', { pods: [] });
    const restless = {
      ...unsettled,
      claim: aNodeClaim({ meta: { name: 'b' }, status: { lastPodEventAt: NOON - 30_000 } }),
    };
    const going = member('c', {
      claim: aNodeClaim({ meta: { name: 'c', deletedAt: NOON }, status: { conditions: SETTLED } }),
    });
    const nodePools = [aNodePool({ disruption: { consolidateAfter: 60_000 } })];
    const snapshot = aSnapshot({ nodePools, nodes: [member('a'), restless, going] });
    const alone = simulated(snapshot);
    expect([placesIn(alone), alone.claims.length]).toEqual([[], 1]);

    expect(placesIn(simulated(snapshot, { sparesUnsettled: false }))).toEqual(['on-a on b']);
    expect(placesIn(simulated(snapshot, { pods: [aPod()] }))).toEqual(['web-1 on b']);
    expect(placesIn(simulated(snapshot, { pods: going.pods }))).toEqual(['on-c on b']);

    const calm = { ...snapshot, takenAt: NOON + 30_000 };
    expect(placesIn(simulated(calm))).toEqual(['on-a on b']);
    const never = [aNodePool({ disruption: { consolidateAfter: 'Never' } })];
    expect(placesIn(simulated({ ...snapshot, nodePools: never }))).toEqual(['on-a on b']);
    expect(placesIn(simulated(calm, { closed: new Set(['b']) }))).toEqual([]);
  });

  it('refuses what would go on a node that is not initialized yet, but for pods that lose theirs', () => {
    const conditions = [...conditionsUpTo('Registered'), aCondition('Consolidatable')];
    const young = member('b', {
      node: aNode({ meta: { name: 'b', labels: { 'karpenter.sh/initialized': 'false' } } }),
      claim: aNodeClaim({ meta: { name: 'claim-of-b' }, status: { conditions } }),
      pods: [],
    });
    const going = member('c', {
      claim: aNodeClaim({ meta: { name: 'c', deletedAt: NOON }, status: { conditions: SETTLED } }),
    });
    const snapshot = aSnapshot({ nodes: [member('a'), young, going] });
    const result = simulated(snapshot);

    expect(result.placements).toEqual([]);
    expect(result.blocking[0]?.rejection.because).toBe(
      'would schedule against uninitialized nodeclaim/claim-of-b, node/b',
    );
    expect(placesIn(simulated(snapshot, { pods: going.pods }))).toEqual(['on-c on b']);

    const unborn = anInFlightNode(
      aNodeClaim({ meta: { name: 'claim-b' }, status: { conditions: conditionsUpTo('Launched') } }),
    );
    const [refusal] = simulated(aSnapshot({ nodes: [member('a'), unborn] })).refusals;
    expect(refusal?.rejection.because).toBe(
      'would schedule against uninitialized nodeclaim/claim-b',
    );
  });

  it('is not blocked by pods that have no node now', () => {
    const huge = aPod({ meta: { name: 'huge' }, requests: { cpu: 999_000 } });
    const result = simulated(aSnapshot({ nodes: [member('a'), member('b')], pods: [huge] }));

    expect(result.refusals).toHaveLength(1);
    expect(result.blocking).toEqual([]);
  });

  it('goes on to other capacity where a reservation is used up', () => {
    const bought = anInstanceType('m5.large', { capacityTypes: ['on-demand', 'reserved'] });
    const offerings = bought.offerings.map((each) =>
      each.capacityType === 'reserved'
        ? { ...each, usdPerHour: 0, reservationId: 'cr-1', reservationCapacity: 1 }
        : each,
    );
    const requirements = [spec('node.kubernetes.io/instance-type In m5.large')];
    const pods = ['x', 'y'].map((name) =>
      aRunningPod({ meta: { name }, requests: { cpu: 2000 }, nodeName: 'a' }),
    );
    const result = simulated(
      aSnapshot({
        nodePools: [aNodePool({ template: { requirements } })],
        catalog: aCatalog([{ ...bought, offerings }]),
        nodes: [member('a', { pods })],
      }),
    );

    expect(result.claims.map(({ cheapest }) => cheapest.offering.capacityType).sort()).toEqual([
      'on-demand',
      'reserved',
    ]);
    expect(result.refusals).toEqual([]);
  });

  it('keeps pods away from those that are about to be bound, as these ask', () => {
    const loner = aRunningPod({
      meta: { name: 'loner', labels: { app: 'loner' } },
      podAntiAffinity: {
        required: [
          {
            topologyKey: 'kubernetes.io/hostname',
            selector: { matchLabels: { app: 'web' }, matchExpressions: [] },
            namespaces: [],
          },
        ],
        preferred: [],
      },
    });
    const web = aRunningPod({ meta: { name: 'web', labels: { app: 'web' } }, nodeName: 'a' });
    const snapshot = aSnapshot({
      nodes: [member('a', { pods: [web] }), member('b', { pods: [] })],
    });

    expect(placesIn(simulated(snapshot))).toEqual(['web on b']);
    expect(placesIn(simulated(snapshot, { promised: new Map([['b', [loner]]]) }))).toEqual([]);
  });
});
