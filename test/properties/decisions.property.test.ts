import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideConsolidate } from '#lib/decide/consolidate.ts';
import { decideDrift } from '#lib/decide/drift.ts';
import { decideInterrupt } from '#lib/decide/interrupt.ts';
import { decideProvision } from '#lib/decide/provision.ts';
import type { Interruption } from '#lib/model/interruption.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { taint } from '#test/build/constraints.ts';
import { aCatalog, anInstanceType, M5_TYPES } from '#test/build/instance-types.ts';
import { anInstance } from '#test/build/instances.ts';
import { aNewClaim, aNodeClaim, conditionsUpTo } from '#test/build/node-claims.ts';
import { aCondition, aNodeClass, aNodePool } from '#test/build/node-pools.ts';
import { aNode, anInFlightNode, aStateNode } from '#test/build/nodes.ts';
import { NOON } from '#test/build/objects.ts';
import { aDaemonSet, aPodDisruptionBudget, aRunningPod, somePods } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

const finalizers = ['karpenter.sh/termination'];
const group = { 'joinery.dev/launch-group': 'g/2' };

/** Empty nodes of one pool, whose budget lets only some go at once. */
const IDLE = ['idle-1', 'idle-2', 'idle-3'];

/** A bit of everything: nodes in every phase, several pools, pods that fit and pods that do not. */
const BUSY: Snapshot = aSnapshot({
  nodePools: [
    aNodePool({
      meta: { annotations: { 'joinery.dev/rebalance': 'replace' } },
      disruption: { budgets: [{ nodes: '4' }] },
    }),
    aNodePool({ meta: { name: 'other' }, weight: 5 }),
  ],
  nodeClasses: [
    aNodeClass(),
    aNodeClass({
      meta: { name: 'unused', deletedAt: NOON, finalizers: ['karpenter.k8s.aws/termination'] },
    }),
  ],
  nodeClassFacts: ['default', 'other'].map((nodeClass) => ({
    nodeClass,
    subnets: [],
    securityGroups: { failed: 'throttled' },
    images: [],
    instanceProfiles: [],
  })),
  catalog: aCatalog(
    [...M5_TYPES, anInstanceType('c6g.large', { arch: 'arm64', usdPerHour: 0.01 })],
    ['default', 'other'],
  ),
  instances: ['launched', ...IDLE, 'a', 'b', 'c', 'stray-1', 'stray-2'].map((name) =>
    anInstance({
      id: `i-${name}`,
      ...(name.startsWith('stray') ? { tags: { 'joinery.dev/launch-group': 'g' } } : {}),
    }),
  ),
  daemonSets: ['agent', 'logs'].map((name) => aDaemonSet({ meta: { name } })),
  podDisruptionBudgets: ['one', 'two'].map((name) =>
    aPodDisruptionBudget({ meta: { name }, disruptionsAllowed: 0 }),
  ),
  pods: [...somePods(7), ...somePods(3, { meta: { name: 'huge' }, requests: { cpu: 64_000 } })],
  nodes: [
    ...['c-1', 'c-2'].map((name) =>
      anInFlightNode(
        aNewClaim({ meta: { name, annotations: group, finalizers, createdAt: NOON } }),
      ),
    ),
    ...['launched', 'leaving'].map((name) =>
      anInFlightNode(
        aNodeClaim({
          meta: { name, ...(name === 'leaving' ? { deletedAt: NOON } : {}) },
          status: {
            providerId: `aws:///us-east-1a/i-${name}`,
            conditions: conditionsUpTo('Launched'),
          },
        }),
      ),
    ),
    ...IDLE.map((name) =>
      aStateNode({
        node: aNode({
          meta: { name },
          providerId: `aws:///us-east-1a/i-${name}`,
          taints: [taint('dedicated=x:NoSchedule')],
        }),
        claim: aNodeClaim({
          meta: { name: `claim-${name}` },
          status: {
            providerId: `aws:///us-east-1a/i-${name}`,
            conditions: [aCondition('Consolidatable'), ...conditionsUpTo('Initialized')],
          },
        }),
      }),
    ),
    ...['a', 'b', 'c'].map((name) =>
      aStateNode({
        node: aNode({
          meta: { name, ...(name === 'c' ? { deletedAt: NOON } : {}) },
          providerId: `aws:///us-east-1a/i-${name}`,
          taints: name === 'c' ? [taint('karpenter.sh/disrupted:NoSchedule')] : [],
        }),
        claim: aNodeClaim({
          meta: { name: `claim-${name}`, ...(name === 'c' ? { deletedAt: NOON } : {}) },
          status: { providerId: `aws:///us-east-1a/i-${name}` },
        }),
        pods:
          name === 'b'
            ? []
            : [
                aRunningPod({ meta: { name }, nodeName: name }),
                aRunningPod({ meta: { name: `${name}-2` }, nodeName: name }),
              ],
      }),
    ),
  ],
});

const HOUR = 3_600_000;
const announced = (
  kind: Interruption['kind'],
  name: string,
  difference: Partial<Interruption> = {},
): Interruption => ({ kind, instanceId: `i-${name}`, announcedAt: NOON, ...difference });

const INTERRUPTIONS: readonly Interruption[] = [
  announced('SpotInterruption', 'a'),
  announced('SpotInterruption', 'nobody'),
  announced('ScheduledChange', 'b', { startsAt: NOON + 30 * HOUR }),
  announced('ScheduledChange', 'b', { startsAt: NOON + 20 * HOUR }),
  announced('RebalanceRecommendation', 'launched'),
  announced('RebalanceRecommendation', 'launched', { announcedAt: NOON - HOUR }),
];

/** The same, where EC2 was asked how its instances are. */
const ASKED: Snapshot = {
  ...BUSY,
  instanceStatus: {
    askedAt: NOON,
    interruptions: [
      announced('SystemImpaired', 'a'),
      announced('InstanceImpaired', 'a'),
      announced('ScheduledEvent', 'b', { startsAt: NOON + HOUR }),
      announced('SystemImpaired', 'c'),
    ],
    newlyAiling: {},
  },
};

/** Four decisions of what they are told; only interrupt is told of more than the Snapshot. */
const DECISIONS = [
  ['provision', decideProvision],
  ['consolidate', decideConsolidate],
  ['drift', decideDrift],
  ['interrupt', decideInterrupt],
] as const;

const shuffled = <T>(list: readonly T[]): fc.Arbitrary<T[]> =>
  fc.shuffledSubarray([...list], { minLength: list.length });

/** The Snapshot with what it lists, and what its nodes and its catalog list, in any order. */
const inAnyOrder = (snapshot: Snapshot): fc.Arbitrary<Snapshot> =>
  fc
    .record({
      nodes: shuffled(snapshot.nodes),
      nodePools: shuffled(snapshot.nodePools),
      nodeClasses: shuffled(snapshot.nodeClasses),
      nodeClassFacts: shuffled(snapshot.nodeClassFacts),
      pods: shuffled(snapshot.pods),
      daemonSets: shuffled(snapshot.daemonSets),
      podDisruptionBudgets: shuffled(snapshot.podDisruptionBudgets),
      instances: shuffled(snapshot.instances ?? []),
      ailing: shuffled(snapshot.instanceStatus?.interruptions ?? []),
      catalogs: shuffled([...snapshot.catalog.byNodeClass]),
      types: shuffled(snapshot.catalog.byNodeClass.get('default') ?? []),
    })
    .map(({ catalogs, types, nodes, ailing, ...lists }) => ({
      ...snapshot,
      ...(snapshot.instanceStatus && {
        instanceStatus: { ...snapshot.instanceStatus, interruptions: ailing },
      }),
      ...lists,
      nodes: nodes.map((state) => ({ ...state, pods: state.pods.toReversed() })),
      catalog: {
        ...snapshot.catalog,
        byNodeClass: new Map(catalogs.map(([nodeClass]) => [nodeClass, types])),
      },
    }));

describe.each(DECISIONS)('%s', (_name, decide) => {
  it('comes to the same Plan, byte for byte, in whatever order its objects are listed', () => {
    const expected = JSON.stringify(decide(ASKED, INTERRUPTIONS));
    const { actions, kept, warnings } = JSON.parse(expected);
    expect(actions.length + kept.length + warnings.length).toBeGreaterThan(0);

    fc.assert(
      fc.property(inAnyOrder(ASKED), shuffled(INTERRUPTIONS), (snapshot, interruptions) => {
        expect(JSON.stringify(decide(snapshot, interruptions))).toBe(expected);
      }),
      { numRuns: 40 },
    );
  });
});
