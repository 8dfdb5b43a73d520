/**
 * Karpenter's behaviours of drift and of carrying commands out, restated.
 * Source: karpenter v1.14, disruption/{drift,queue,suite}_test.go.
 */
import { describe, expect, it } from 'vitest';
import { decideConsolidate } from '#lib/decide/consolidate.ts';
import { inFlightOf } from '#lib/disruption/commands/in-flight.ts';
import type { Offering } from '#lib/model/instance-type.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { allUp, type Happening, playedBetween } from '#test/build/command-world.ts';
import { aDriftedNode, aLargePod, deletedIn, replacementsIn } from '#test/build/drifted-nodes.ts';
import { aCatalog, anInstanceType } from '#test/build/instance-types.ts';
import { aNodeClaim } from '#test/build/node-claims.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { aNode, aStateNode } from '#test/build/nodes.ts';
import { HOUR, MINUTE, NOON, SECOND } from '#test/build/objects.ts';
import { aPod, aPodDisruptionBudget, aRunningPod } from '#test/build/pods.ts';
import { quietWorld } from '#test/build/quiet-world.ts';

const CHEAP = anInstanceType('m5.large', { cpu: 2, usdPerHour: 0.1 });
const atTenTimesThePrice = (offering: Offering): Offering => ({
  ...offering,
  usdPerHour: 10 * offering.usdPerHour,
});
const budgets = (nodes: string) => ({ disruption: { budgets: [{ nodes }] } });
const aCluster = (difference: Partial<Snapshot>, nodes = '100%'): Snapshot =>
  quietWorld({ nodePools: [aNodePool(budgets(nodes))], ...difference });
const upAt =
  (at: number): Happening =>
  (snapshot, second) =>
    second === at ? allUp(snapshot, second) : snapshot;

describe('drift', () => {
  it('110: deletes a node whose pods fit elsewhere without a replacement', () => {
    const idle = aStateNode({
      node: aNode({ meta: { name: 'idle' }, providerId: 'aws:///us-east-1a/i-idle' }),
      pods: [aRunningPod({ meta: { name: 'small' }, nodeName: 'idle', requests: { cpu: 100 } })],
    });
    const { snapshot } = playedBetween(0, 30, aCluster({ nodes: [aDriftedNode(), idle] }));

    expect(deletedIn(snapshot)).toEqual(['node-1']);
    expect(snapshot.nodes).toHaveLength(2);
  });

  it('111: leaves nodes alone that have not drifted', () => {
    const node = aDriftedNode('node-1', { isDrifted: false });

    expect(deletedIn(playedBetween(0, 60, aCluster({ nodes: [node] }), upAt(40)).snapshot)).toEqual(
      [],
    );
  });

  it('29: replaces one node in each of ten pools with a budget of one, at once, where upstream takes ten passes', () => {
    const names = Array.from({ length: 10 }, (_, at) => `pool-${at}`);
    const nodePools = names.map((name) => aNodePool({ meta: { name }, ...budgets('1') }));
    const nodes = names.flatMap((nodePool) => [
      aDriftedNode(`${nodePool}-a`, { nodePool }),
      aDriftedNode(`${nodePool}-b`, { nodePool }),
    ]);
    const { snapshot } = playedBetween(0, 9, aCluster({ nodePools, nodes }));

    expect([...inFlightOf(snapshot).members].sort()).toEqual(names.map((name) => `${name}-a`));
  });

  it('30: begins with nodes without pods, then those that drifted first', () => {
    const since = (state: StateNode, minutes: number): StateNode => ({
      ...state,
      ...(state.claim && {
        claim: {
          ...state.claim,
          status: {
            ...state.claim.status,
            conditions: state.claim.status.conditions.map((each) =>
              each.type === 'Drifted' ? { ...each, changedAt: NOON - minutes * MINUTE } : each,
            ),
          },
        },
      }),
    });
    const first = (...nodes: readonly StateNode[]) =>
      inFlightOf(playedBetween(0, 1, aCluster({ nodes }, '1')).snapshot).members;
    const idle = since(aDriftedNode('idle', { pods: [] }), 1);

    expect([...first(since(aDriftedNode('old'), 30), idle)]).toEqual(['idle']);
    expect([...first(since(aDriftedNode('a'), 20), since(aDriftedNode('b'), 30))]).toEqual(['b']);
  });

  it('33: has no regard to the price of what comes instead', () => {
    const dearer = { ...CHEAP, offerings: CHEAP.offerings.map(atTenTimesThePrice) };
    const catalog = aCatalog([dearer]);
    const before = aCluster({ nodes: [aDriftedNode()], catalog });

    expect(deletedIn(playedBetween(0, 60, before, upAt(40)).snapshot)).toEqual(['node-1']);
  });

  it('34: takes room on nodes whose pods have just changed, which consolidation leaves to settle', () => {
    const settling = aStateNode({
      node: aNode({ meta: { name: 'settling' }, providerId: 'aws:///us-east-1a/i-settling' }),
      claim: aNodeClaim({
        meta: { name: 'claim-of-settling' },
        status: {
          nodeName: 'settling',
          providerId: 'aws:///us-east-1a/i-settling',
          lastPodEventAt: NOON - SECOND,
        },
      }),
      pods: [aRunningPod({ meta: { name: 'new' }, nodeName: 'settling', requests: { cpu: 100 } })],
    });
    const small = aRunningPod({
      meta: { name: 'small' },
      nodeName: 'node-1',
      requests: { cpu: 100 },
    });
    const nodePools = [
      aNodePool({ disruption: { consolidateAfter: HOUR, budgets: [{ nodes: '100%' }] } }),
    ];
    const nodes = [aDriftedNode('node-1', { pods: [small] }), settling];
    const { snapshot } = playedBetween(0, 30, aCluster({ nodePools, nodes }));

    expect(deletedIn(snapshot)).toEqual(['node-1']);
    expect(replacementsIn(snapshot)).toEqual([]);
    expect(decideConsolidate(aCluster({ nodePools, nodes })).commands).toEqual([]);
  });

  it('60: starts as many at once as the budget allows, where upstream takes a pass for each', () => {
    const nodes = Array.from({ length: 10 }, (_, at) => aDriftedNode(`node-${at}`));
    const { snapshot } = playedBetween(0, 40, aCluster({ nodes }, '3'));

    expect(snapshot.nodes).toHaveLength(13);
    expect(replacementsIn(snapshot)).toHaveLength(3);
  });

  it('170: waits for unhealthy pods under a PodDisruptionBudget, unless they may always be evicted', () => {
    const sick = { ...aLargePod('node-1'), ready: 'False' as const };
    const withPdb = (unhealthyPodEvictionPolicy: 'AlwaysAllow' | 'IfHealthyBudget') =>
      playedBetween(
        0,
        60,
        aCluster({
          nodes: [aDriftedNode('node-1', { pods: [sick] })],
          podDisruptionBudgets: [
            aPodDisruptionBudget({ disruptionsAllowed: 0, unhealthyPodEvictionPolicy }),
          ],
        }),
        upAt(40),
      ).snapshot;

    expect(deletedIn(withPdb('IfHealthyBudget'))).toEqual([]);
    expect(deletedIn(withPdb('AlwaysAllow'))).toEqual(['node-1']);
  });

  it('never evicts a protected pod, unless the node’s end is given a time', () => {
    const guarded = aRunningPod({
      meta: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } },
      requests: { cpu: 1500 },
    });
    const ended = (terminationGraceMs?: number) =>
      deletedIn(
        playedBetween(
          0,
          60,
          aCluster({
            nodes: [
              aDriftedNode('node-1', {
                pods: [guarded],
                ...(terminationGraceMs !== undefined && { terminationGraceMs }),
              }),
            ],
          }),
          upAt(40),
        ).snapshot,
      );

    expect(ended()).toEqual([]);
    expect(ended(3_600_000)).toEqual(['node-1']);
  });
});

describe('the queue', () => {
  /** Two pods of one drifted node that need a node each. */
  const twoPods = [aLargePod('node-1', 'web-1'), aLargePod('node-1', 'web-2')];
  const cluster = aCluster({ nodes: [aDriftedNode('node-1', { pods: twoPods })] });
  const oneUpAt =
    (at: number): Happening =>
    (snapshot, second) => {
      if (second !== at) return snapshot;
      const [first] = replacementsIn(snapshot);
      const up = allUp(snapshot, second).nodes.find(
        ({ claim }) => claim?.meta.name === first?.claim?.meta.name,
      );
      return {
        ...snapshot,
        nodes: snapshot.nodes.map((each) => (each.name === first?.name && up ? up : each)),
      };
    };

  it('56: waits for all replacements, and does not mind one that is not Ready again', () => {
    const { snapshot } = playedBetween(0, 60, cluster, oneUpAt(30));
    expect(replacementsIn(snapshot)).toHaveLength(2);
    expect(deletedIn(snapshot)).toEqual([]);

    const unready: Happening = (current, second) =>
      second === 62
        ? {
            ...current,
            nodes: current.nodes.map((each) =>
              each.node && each.name.startsWith('node-of-')
                ? { ...each, node: { ...each.node, ready: { status: 'False', changedAt: 0 } } }
                : each,
            ),
          }
        : upAt(61)(current, second);
    expect(deletedIn(playedBetween(61, 75, snapshot, unready).snapshot)).toEqual(['node-1']);
  });

  it('59: has nothing planned for pods of its nodes while replacements are made', () => {
    const { snapshot } = playedBetween(0, 60, aCluster({ nodes: [aDriftedNode()] }));

    expect(replacementsIn(snapshot)).toHaveLength(1);
  });

  it('107: has a pending pod take room on a replacement, and no third node made for it', () => {
    const comes: Happening = (snapshot, second) =>
      second === 25
        ? { ...snapshot, pods: [aPod({ meta: { name: 'late' }, requests: { cpu: 300 } })] }
        : snapshot;
    const { snapshot } = playedBetween(0, 60, aCluster({ nodes: [aDriftedNode()] }), comes);

    expect(replacementsIn(snapshot)).toHaveLength(1);
  });
});
