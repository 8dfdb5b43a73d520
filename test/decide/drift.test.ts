import { describe, expect, it } from 'vitest';
import { decideDrift } from '#lib/decide/drift.ts';
import { aNodeClaim } from '#test/build/node-claims.ts';
import { aNodeClass, aNodePool } from '#test/build/node-pools.ts';
import { aStateNode } from '#test/build/nodes.ts';
import { aReservation } from '#test/build/reserved.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

const HASH = 'karpenter.sh/nodepool-hash';
const VERSION = 'karpenter.sh/nodepool-hash-version';
const pool = aNodePool({ meta: { annotations: { [HASH]: '2', [VERSION]: 'v3' } } });
const nodeOf = (claim: Parameters<typeof aNodeClaim>[0]) =>
  aStateNode({ claim: aNodeClaim(claim) });
const kept = (claim: Parameters<typeof aNodeClaim>[0]) =>
  decideDrift(aSnapshot({ nodePools: [pool], nodes: [nodeOf(claim)] })).kept.map(({ by }) => by);

describe('decideDrift', () => {
  it('names a node whose pool’s template has changed since it was made', () => {
    expect(kept({ meta: { annotations: { [HASH]: '1', [VERSION]: 'v3' } } })).toEqual([
      'NodePoolDrifted',
    ]);
  });

  it.each([
    ['equal hashes', { [HASH]: '2', [VERSION]: 'v3' }],
    ['hashes of another version', { [HASH]: '1', [VERSION]: 'v2' }],
    ['a hash that is missing', { [VERSION]: 'v3' }],
  ])('says nothing of a node with %s', (_what, annotations) => {
    expect(kept({ meta: { annotations } })).toEqual([]);
  });

  it('names a node that is older than it may become', () => {
    const { takenAt } = aSnapshot({});

    expect(
      kept({ meta: { createdAt: takenAt - 3_600_000 }, spec: { expireAfter: 3_600_000 } }),
    ).toEqual(['Expired']);
    expect(
      kept({ meta: { createdAt: takenAt - 3_599_999 }, spec: { expireAfter: 3_600_000 } }),
    ).toEqual([]);
  });

  it('warns of each of them and of nothing else', () => {
    const plan = decideDrift(aSnapshot({ nodePools: [pool], nodes: [nodeOf({})] }));

    expect(plan.warnings).toEqual([]);
  });

  it('lets the nodes of a capacity block go before it ends, and asks for prices that are old', () => {
    const block = aReservation({ reservationType: 'capacity-block', state: 'expiring' });
    const nodeClasses = [aNodeClass({ status: { capacityReservations: [block] } })];
    const labels = { 'karpenter.k8s.aws/capacity-reservation-id': 'cr-1' };
    const nodes = [nodeOf({ meta: { labels } })];
    const kinds = decideDrift(aSnapshot({ nodes, nodeClasses, market: {} })).actions.map(
      ({ kind }) => kind,
    );

    expect(kinds).toEqual(expect.arrayContaining(['delete', 'refreshMarket']));
  });
});
