import { describe, expect, it } from 'vitest';
import { decideDrift } from '#lib/decide/drift.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import { nodePoolHash } from '#lib/model/node-pool-hash.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { aSettledSnapshot } from '#test/build/lives.ts';
import { aNodeClaim, conditionsUpTo } from '#test/build/node-claims.ts';
import { aCondition, aNodePool } from '#test/build/node-pools.ts';
import { anInFlightNode } from '#test/build/nodes.ts';
import { NOON } from '#test/build/objects.ts';

const HASH = 'karpenter.sh/nodepool-hash';
const VERSION = 'karpenter.sh/nodepool-hash-version';
const current = nodePoolHash(aNodePool());

const stamps = (snapshot: Snapshot) =>
  decideDrift(snapshot).actions.flatMap((action) =>
    action.kind === 'update' && action.meta.annotations
      ? [{ kind: action.object.kind, annotations: action.meta.annotations }]
      : [],
  );
const aClaim = (
  annotations: Record<string, string>,
  conditions = conditionsUpTo('Initialized'),
): NodeClaim => aNodeClaim({ meta: { annotations }, status: { conditions } });
const cluster = (annotations: Record<string, string>, ...claims: NodeClaim[]) =>
  aSettledSnapshot({
    nodePools: [aNodePool({ meta: { annotations } })],
    nodes: claims.map(anInFlightNode),
  });

describe('hash stamping', () => {
  it('gives a new NodePool its hash and version', () => {
    expect(stamps(cluster({}))).toEqual([
      { kind: 'NodePool', annotations: { [HASH]: current, [VERSION]: 'v3' } },
    ]);
  });

  it('corrects the hash of a changed NodePool and leaves its NodeClaims, which have drifted', () => {
    const snapshot = cluster(
      { [HASH]: '1', [VERSION]: 'v3' },
      aClaim({ [HASH]: '1', [VERSION]: 'v3' }),
    );

    expect(stamps(snapshot)).toEqual([{ kind: 'NodePool', annotations: { [HASH]: current } }]);
  });

  it('93: re-stamps NodeClaims of another version before their NodePool', () => {
    const claim = aClaim({ [HASH]: '1', [VERSION]: 'v2' });
    const old = { [HASH]: '1', [VERSION]: 'v2' };

    expect(stamps(cluster(old, claim))).toEqual([
      { kind: 'NodeClaim', annotations: { [HASH]: current, [VERSION]: 'v3' } },
    ]);
    expect(stamps(cluster(old, aClaim({ [HASH]: current, [VERSION]: 'v3' })))).toEqual([
      { kind: 'NodePool', annotations: { [HASH]: current, [VERSION]: 'v3' } },
    ]);
  });

  it('waits for no NodeClaim that is being deleted, however long that takes', () => {
    const old = { [HASH]: '1', [VERSION]: 'v2' };
    const claim = aClaim(old);
    const going = { ...claim, meta: { ...claim.meta, deletedAt: NOON } };

    expect(stamps(cluster(old, going))).toContainEqual({
      kind: 'NodePool',
      annotations: { [HASH]: current, [VERSION]: 'v3' },
    });
  });

  it('93: lets a NodeClaim that has drifted keep its hash', () => {
    const conditions = [...conditionsUpTo('Initialized'), aCondition('Drifted')];
    const claim = aClaim({ [HASH]: '1', [VERSION]: 'v2' }, conditions);

    expect(stamps(cluster({ [HASH]: '1', [VERSION]: 'v2' }, claim))).toEqual([
      { kind: 'NodeClaim', annotations: { [VERSION]: 'v3' } },
    ]);
  });

  it('162: follows a label of the template, and no limit, weight or budget', () => {
    const stamped = (difference: Parameters<typeof aNodePool>[0]) =>
      stamps(
        aSettledSnapshot({
          nodePools: [
            aNodePool({
              ...difference,
              meta: { annotations: { [HASH]: current, [VERSION]: 'v3' } },
            }),
          ],
        }),
      );
    const metadata = { labels: { team: 'a' } };

    expect(stamped({ wireTemplate: { ...aNodePool().wireTemplate, metadata } })).toEqual([
      { kind: 'NodePool', annotations: { [HASH]: expect.not.stringMatching(current) } },
    ]);
    expect(
      stamped({ limits: { cpu: 1 }, weight: 7, disruption: { budgets: [{ nodes: '1' }] } }),
    ).toEqual([]);
  });

  it('162: leaves NodePools of other providers alone', () => {
    const nodeClassRef = { group: 'example.com', kind: 'OtherNodeClass', name: 'default' };
    const template = { ...aNodePool().template, nodeClassRef };

    expect(stamps(aSettledSnapshot({ nodePools: [aNodePool({ template })] }))).toEqual([]);
  });
});
