import { describe, expect, it } from 'vitest';
import type { InstanceType } from '#lib/model/instance-type.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import type { Choice } from '#lib/solver/admission.ts';
import {
  allowanceOf,
  allows,
  nodesAllowed,
  USD,
  USD_OF_ALL,
  usdOf,
} from '#lib/solver/opening/limits.ts';
import { spec } from '#test/build/constraints.ts';
import { anInstanceType } from '#test/build/instance-types.ts';
import { aNewClaim, aNodeClaim } from '#test/build/node-claims.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { aNode, anInFlightNode, aStateNode } from '#test/build/nodes.ts';
import { NOON } from '#test/build/objects.ts';
import { aSnapshot, someSettings } from '#test/build/snapshots.ts';

const choiceOf = (type: InstanceType): Choice => ({
  sourceType: {
    type,
    requirements: type.requirements,
    daemonRequests: {},
    daemonPorts: [],
    room: type.allocatable,
    roomAmounts: [],
    offerings: type.offerings,
  },
  offerings: type.offerings,
  usdPerHour: type.offerings[0]?.usdPerHour ?? 0,
});
const pool = aNodePool({ limits: { cpu: 10_000, nodes: 3 } });

describe('allowanceOf', () => {
  it('is undefined where nothing is limited', () => {
    expect(allowanceOf(aNodePool(), aSnapshot())).toBeUndefined();
  });

  it('counts nodes and claims that stay, and none that go', () => {
    const going = anInFlightNode(aNodeClaim({ meta: { name: 'going', deletedAt: NOON } }));
    const snapshot = aSnapshot({ nodes: [aStateNode(), going] });

    expect(allowanceOf(pool, snapshot)).toEqual({ cpu: 8000, nodes: 2 });
  });

  it('counts a claim that is not launched as the largest type that it lists', () => {
    const requirements = [spec('node.kubernetes.io/instance-type In m5.large m5.xlarge')];
    const snapshot = aSnapshot({ nodes: [anInFlightNode(aNewClaim({ spec: { requirements } }))] });

    expect(allowanceOf(pool, snapshot)).toEqual({ cpu: 6000, nodes: 2 });
  });
});

describe('nodesAllowed', () => {
  it('is the least that any limit leaves, nodes themselves included', () => {
    const large = choiceOf(anInstanceType('m5.large', { cpu: 2 }));

    expect(nodesAllowed({ cpu: 7000 }, large)).toBe(3);
    expect(nodesAllowed({ cpu: 7000, nodes: 1 }, large)).toBe(1);
    expect(nodesAllowed({ cpu: 7000, nodes: -1 }, large)).toBe(0);
    expect(nodesAllowed(undefined, large)).toBe(Number.POSITIVE_INFINITY);
    expect([allows({ cpu: 2000 }, large), allows({ cpu: 1999 }, large)]).toEqual([true, false]);
  });

  it('takes a node for as dear as its dearest offering', () => {
    const large = choiceOf(anInstanceType('m5.large', { usdPerHour: 0.1 }));
    const dollars = (usd: number) => ({ [USD]: Math.round(usd * 1e9) });

    expect(nodesAllowed(dollars(0.3), large)).toBe(3);
    expect(nodesAllowed(dollars(0.299_999_999), large)).toBe(2);
    expect(nodesAllowed(dollars(-0.1), large)).toBe(0);
  });
});

describe('dollar limits', () => {
  const limited = (usd: string) =>
    aNodePool({ meta: { annotations: { 'joinery.dev/limit-usd-per-hour': usd } } });
  const left = (snapshot: Snapshot, usd = '1', name = USD) =>
    usdOf(allowanceOf(limited(usd), snapshot)?.[name] ?? Number.NaN);

  it('count nodes at the price of the offering that they came from', () => {
    expect(left(aSnapshot({ nodes: [aStateNode()] }))).toBe(0.9);
  });

  it('count a node whose offering is not known at the dearest of its type', () => {
    const node = aNode({ meta: { labels: { 'topology.kubernetes.io/zone': 'us-east-1z' } } });

    expect(left(aSnapshot({ nodes: [aStateNode({ node })] }))).toBe(0.9);
  });

  it('count a claim that is not launched at the dearest that it may become', () => {
    const requirements = [
      spec('node.kubernetes.io/instance-type In m5.large m5.xlarge'),
      spec('karpenter.sh/capacity-type In spot'),
    ];
    const nodes = [anInFlightNode(aNewClaim({ spec: { requirements } }))];

    expect(left(aSnapshot({ nodes }))).toBe(0.92);
  });

  it('count the nodes of every NodePool where all together are limited', () => {
    const other = aStateNode({
      node: aNode({ meta: { labels: { 'karpenter.sh/nodepool': 'other' } } }),
      claim: aNodeClaim({ meta: { labels: { 'karpenter.sh/nodepool': 'other' } } }),
    });
    const snapshot = aSnapshot({ nodes: [other], settings: someSettings({ limitUsdPerHour: 2 }) });

    expect(left(snapshot, '1', USD_OF_ALL)).toBe(1.9);
    expect(left(snapshot, '1', USD)).toBe(1);
  });
});
