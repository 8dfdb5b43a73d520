/**
 * Karpenter's behaviours of drift in static NodePools, restated.
 * Source: karpenter v1.14, disruption/staticdrift_test.go.
 */
import { describe, expect, it } from 'vitest';
import { decideDrift } from '#lib/decide/drift.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { playedBetween } from '#test/build/command-world.ts';
import { aDriftedNode, replacementsIn } from '#test/build/drifted-nodes.ts';
import { aCondition, aNodePool } from '#test/build/node-pools.ts';
import { HOUR, NOON } from '#test/build/objects.ts';
import { quietWorld } from '#test/build/quiet-world.ts';
import { someSettings } from '#test/build/snapshots.ts';

const aStaticPool = (
  name: string,
  replicas: number,
  { limit, budget = '100%' }: { readonly limit?: number; readonly budget?: string } = {},
): NodePool =>
  aNodePool({
    meta: { name },
    replicas,
    disruption: { budgets: [{ nodes: budget }] },
    ...(limit !== undefined && { limits: { nodes: limit } }),
  });

const nodesOf = (nodePool: string, count: number) =>
  Array.from({ length: count }, (_, at) =>
    aDriftedNode(`${nodePool}-${at}`, { nodePool, pods: [] }),
  );

const aCluster = (nodePools: readonly NodePool[], nodes: Snapshot['nodes']): Snapshot =>
  quietWorld({ nodePools, nodes, settings: someSettings({ featureGates: ['StaticCapacity'] }) });

const replacedIn = (snapshot: Snapshot, seconds = 30): number =>
  replacementsIn(playedBetween(0, seconds, snapshot).snapshot).length;

describe('drift of static NodePools', () => {
  it.each([
    [5, 0],
    [6, 1],
    [7, 2],
  ])('62: with five nodes and a limit of %i, %i are replaced at once', (limit, replaced) => {
    const pool = aStaticPool('fixed', 5, { limit });

    expect(replacedIn(aCluster([pool], nodesOf('fixed', 5)))).toBe(replaced);
  });

  it('63: waits until there are no more nodes than are wanted', () => {
    const pool = aStaticPool('fixed', 3);
    const { snapshot } = playedBetween(0, 2, aCluster([pool], nodesOf('fixed', 5)));

    expect(replacementsIn(snapshot)).toEqual([]);
  });

  it('64: replaces nodes of several pools at once, each within its own budget', () => {
    const pools = [
      aStaticPool('one', 2, { budget: '1' }),
      aStaticPool('two', 2, { budget: '2' }),
      aStaticPool('all', 2, { budget: '100%' }),
      aStaticPool('none', 0),
    ];
    const nodes = ['one', 'two', 'all'].flatMap((name) => nodesOf(name, 2));
    const made = replacementsIn(playedBetween(0, 30, aCluster(pools, nodes)).snapshot).map(
      ({ claim }) => claim?.meta.labels['karpenter.sh/nodepool'],
    );

    expect(made.sort()).toEqual(['all', 'all', 'one', 'two', 'two']);
  });

  it('65: asks no pods, and makes the node of the bare template', () => {
    const [made] = replacementsIn(
      playedBetween(0, 30, aCluster([aStaticPool('fixed', 1)], nodesOf('fixed', 1))).snapshot,
    );

    expect(made?.claim?.spec.requests).toEqual({});
    expect(made?.claim?.meta.annotations).not.toHaveProperty(['joinery.dev/for-pods']);
  });

  it('says that it is the NodePool which makes no node', () => {
    const world = aCluster([aStaticPool('fixed', 1)], nodesOf('fixed', 1));
    const conditions = [aCondition('Ready', { status: 'False' })];
    const nodePools = world.nodePools.map((pool) => ({
      ...pool,
      status: { ...pool.status, conditions },
    }));
    const { kept } = decideDrift({ ...world, nodePools });

    expect(kept[0]?.because).toContain('NodePool "fixed" makes no node now: it is not ready');
  });

  it('replaces nodes before they expire where the NodePool asks for that', () => {
    const old = aDriftedNode('fixed-0', { nodePool: 'fixed', pods: [], isDrifted: false });
    const { claim, ...rest } = old;
    if (!claim) throw new Error('expected a NodeClaim, found none');
    const meta = { ...claim.meta, createdAt: NOON - 719 * HOUR, annotations: {} };
    const nodes = [
      { ...rest, claim: { ...claim, meta, spec: { ...claim.spec, expireAfter: 720 * HOUR } } },
    ];
    const annotated = (annotations: Readonly<Record<string, string>>) => {
      const pool = aStaticPool('fixed', 1);
      return aCluster([{ ...pool, meta: { ...pool.meta, annotations } }], nodes);
    };
    const { commands } = decideDrift(annotated({ 'joinery.dev/replace-before-expiry': '24h' }));

    expect(commands).toMatchObject([{ reason: 'Expired', remove: ['fixed-0'] }]);
    expect(decideDrift(annotated({})).commands).toEqual([]);
    expect(replacedIn(annotated({ 'joinery.dev/replace-before-expiry': '24h' }))).toBe(1);
  });
});
