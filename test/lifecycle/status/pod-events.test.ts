import { describe, expect, it } from 'vitest';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { Pod } from '#lib/model/pod.ts';
import { aSettledSnapshot, wantedOf } from '#test/build/lives.ts';
import { aNodeClaim, conditionsUpTo } from '#test/build/node-claims.ts';
import { aCondition, aNodePool } from '#test/build/node-pools.ts';
import { aStateNode } from '#test/build/nodes.ts';
import { MINUTE, NOON, ownedBy, SECOND } from '#test/build/objects.ts';
import { aRunningPod } from '#test/build/pods.ts';
import { applied, quietWorld } from '#test/build/quiet-world.ts';

const consolidating = (consolidateAfter: number | 'Never') => [
  aNodePool({ disruption: { consolidateAfter } }),
];

/** A NodeClaim that was looked at with `before` on its node, and is looked at with `pods` now. */
function noticing(
  before: readonly Pod[],
  pods: readonly Pod[],
  status: Partial<NodeClaim['status']> = {},
) {
  const claim = aNodeClaim({ status: { lastPodEventAt: NOON - MINUTE, ...status } });
  const known = quietWorld({ nodes: [aStateNode({ claim, pods: before })] });
  const nodes = known.nodes.map((state) => ({ ...state, pods }));
  return wantedOf({ ...known, nodes }, 'claim-1');
}
const web = aRunningPod();
const agent = aRunningPod({ meta: { name: 'agent', owners: [ownedBy('DaemonSet')] } });

describe('the last pod event', () => {
  it.each([
    ['a pod came', [], [web]],
    ['a pod left', [web], []],
    ['a pod finished', [web], [aRunningPod({ phase: 'Succeeded' })]],
    ['a pod was asked to go', [web], [aRunningPod({ meta: { deletedAt: NOON } })]],
    ['another pod took its place', [web], [aRunningPod({ meta: { name: 'web-2' } })]],
  ])('146: is now when %s', (_what, before, pods) => {
    expect(noticing(before, pods).status).toMatchObject({ lastPodEventAt: NOON });
  });

  it.each([
    ['nothing changed', [web], [web]],
    ['a pod of a DaemonSet came', [web], [web, agent]],
  ])('146: stays when %s', (_what, before, pods) => {
    expect(noticing(before, pods).kinds).toEqual([]);
  });

  it('146: is not moved again within ten seconds, but the pods are noted', () => {
    const wanted = noticing([], [web], { lastPodEventAt: NOON - 9 * SECOND });

    expect(wanted.status ?? {}).not.toHaveProperty('lastPodEventAt');
    expect(wanted.update?.meta.annotations).toHaveProperty(['joinery.dev/pods-seen']);
  });

  it('is taken from Karpenter as it stands when a NodeClaim is seen for the first time', () => {
    const claim = aNodeClaim({ status: { lastPodEventAt: NOON - 5 * MINUTE } });
    const snapshot = aSettledSnapshot({ nodes: [aStateNode({ claim, pods: [web] })] });

    expect(wantedOf(snapshot, 'claim-1').status).not.toHaveProperty('lastPodEventAt');
  });
});

describe('Consolidatable', () => {
  const seen = (
    consolidateAfter: number | 'Never',
    status: Partial<NodeClaim['status']> = {},
    pools = consolidating(consolidateAfter),
  ) => {
    const claim = aNodeClaim({ status });
    const snapshot = aSettledSnapshot({ nodes: [aStateNode({ claim })], nodePools: pools });
    const after = applied(snapshot, [
      ...(wantedOf(snapshot, 'claim-1').status
        ? [
            {
              kind: 'updateStatus' as const,
              object: { apiVersion: '', kind: '', ...claim.meta },
              status: wantedOf(snapshot, 'claim-1').status ?? {},
            },
          ]
        : []),
    ]);
    return after.nodes[0]?.claim?.status.conditions.some(({ type }) => type === 'Consolidatable');
  };
  const marked = { conditions: [...conditionsUpTo('Initialized'), aCondition('Consolidatable')] };

  it.each([
    ['a minute after the last pod event', MINUTE, { lastPodEventAt: NOON - MINUTE }, true],
    ['not before', MINUTE, { lastPodEventAt: NOON - MINUTE + 1 }, false],
    ['counted from initialization where there was none', 30 * MINUTE, {}, true],
    ['not before that', 31 * MINUTE, {}, false],
    ['at once with 0s', 0, {}, true],
    ['never with Never', 'Never' as const, {}, false],
    ['not while uninitialized', 0, { conditions: conditionsUpTo('Registered') }, false],
    ['no more, when pods came', MINUTE, { ...marked, lastPodEventAt: NOON }, false],
  ])('145: is set %s', (_what, consolidateAfter, status, expected) => {
    expect(seen(consolidateAfter, status)).toBe(expected);
  });

  it('is never set on a static pool', () => {
    expect(seen(0, {}, [aNodePool({ replicas: 1 })])).toBe(false);
  });
});
