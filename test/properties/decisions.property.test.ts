import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideConsolidate } from '#lib/decide/consolidate.ts';
import { decideDrift } from '#lib/decide/drift.ts';
import { decideProvision } from '#lib/decide/provision.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { aNewClaim, aNodeClaim, conditionsUpTo } from '#test/build/node-claims.ts';
import { aNodeClass, aNodePool } from '#test/build/node-pools.ts';
import { aNode, anInFlightNode, aStateNode } from '#test/build/nodes.ts';
import { NOON } from '#test/build/objects.ts';
import { aRunningPod, somePods } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

const finalizers = ['karpenter.sh/termination'];
const group = { 'joinery.dev/launch-group': 'g/2' };

/** A bit of everything: nodes in every phase, several pools, pods that fit and pods that do not. */
const BUSY: Snapshot = aSnapshot({
  nodePools: [aNodePool(), aNodePool({ meta: { name: 'other' }, weight: 5 })],
  nodeClasses: [
    aNodeClass(),
    aNodeClass({
      meta: { name: 'unused', deletedAt: NOON, finalizers: ['karpenter.k8s.aws/termination'] },
    }),
  ],
  instances: [],
  pods: somePods(7),
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
    ...['a', 'b', 'c'].map((name) =>
      aStateNode({
        node: aNode({
          meta: { name, ...(name === 'c' ? { deletedAt: NOON } : {}) },
          providerId: `aws:///us-east-1a/i-${name}`,
        }),
        claim: aNodeClaim({
          meta: { name: `claim-${name}` },
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

const shuffled = <T>(list: readonly T[]): fc.Arbitrary<T[]> =>
  fc.shuffledSubarray([...list], { minLength: list.length });

describe.each([
  ['provision', decideProvision],
  ['consolidate', decideConsolidate],
  ['drift', decideDrift],
])('%s', (_name, decide) => {
  it('comes to the same Plan, byte for byte, in whatever order its objects are listed', () => {
    const expected = JSON.stringify(decide(BUSY));
    const { actions, kept } = JSON.parse(expected);
    expect(actions.length + kept.length).toBeGreaterThan(0);

    fc.assert(
      fc.property(
        shuffled(BUSY.nodes),
        shuffled(BUSY.nodePools),
        shuffled(BUSY.nodeClasses),
        shuffled(BUSY.pods),
        (nodes, nodePools, nodeClasses, pods) => {
          const plan = decide({
            ...BUSY,
            nodes: nodes.map((state) => ({ ...state, pods: [...state.pods].reverse() })),
            nodePools,
            nodeClasses,
            pods,
          });
          expect(JSON.stringify(plan)).toBe(expected);
        },
      ),
      { numRuns: 40 },
    );
  });
});
