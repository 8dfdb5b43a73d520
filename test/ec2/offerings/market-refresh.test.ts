import { describe, expect, it } from 'vitest';
import { memoryFor } from '#lib/ec2/catalog/discovered-memory.ts';
import { marketUpkeep } from '#lib/ec2/offerings/market-refresh.ts';
import type { MarketDates } from '#lib/model/market.ts';
import type { MemoryRecord } from '#lib/model/memory-record.ts';
import { typesOf } from '#test/build/markets.ts';
import { aNodeClaim } from '#test/build/node-claims.ts';
import { aNodeClass } from '#test/build/node-pools.ts';
import { aNode, aStateNode } from '#test/build/nodes.ts';
import { HOUR, MINUTE, NOON } from '#test/build/objects.ts';
import { aSnapshot, someSettings } from '#test/build/snapshots.ts';

const DAY = 24 * HOUR;
const NEVER: MarketDates = {};
const partsDue = (market: MarketDates, settings = {}) =>
  marketUpkeep(aSnapshot({ market, settings: someSettings(settings) })).flatMap((action) =>
    action.kind === 'refreshMarket' ? action.parts : [],
  );
const asked = (ago: number, spotAgo = ago): MarketDates => ({
  types: NOON - ago,
  onDemandPrices: NOON - ago,
  spotPrices: NOON - spotAgo,
});

describe('marketUpkeep', () => {
  it('asks for everything where nothing was ever asked', () => {
    expect(partsDue(NEVER)).toEqual(['types', 'onDemandPrices', 'spotPrices']);
  });

  it('asks for types and list prices twice a day, for spot prices twice an hour', () => {
    expect(partsDue(asked(28 * MINUTE - 1))).toEqual([]);
    expect(partsDue(asked(28 * MINUTE))).toEqual(['spotPrices']);
    expect(partsDue(asked(12 * HOUR, 0))).toEqual(['types', 'onDemandPrices']);
  });

  it.each([
    ['inside a VPC that reaches nothing else', { isolatedVpc: true }],
    ['in GovCloud', { region: 'us-gov-west-1' }],
  ])('does not ask for list prices %s', (_where, settings) => {
    expect(partsDue(NEVER, settings)).toEqual(['types', 'spotPrices']);
  });

  it('asks for nothing where nobody looked how old it is, as in a plan on files', () => {
    expect(marketUpkeep(aSnapshot())).toEqual([]);
  });
});

/** A registered node of the NodeClass's image with that much memory. */
const aTeller = (name: string, memory: number, difference: { imageId?: string } = {}) => {
  const node = aNode({
    meta: { name },
    providerId: `aws:///us-east-1a/i-${name}`,
    capacity: { cpu: 2000, memory },
  });
  const claim = aNodeClaim({
    meta: { name, labels: { 'node.kubernetes.io/instance-type': 'm5.large' } },
    status: { imageId: 'ami-1', ...difference },
  });
  return aStateNode({ node, claim });
};

const remembered = (
  nodes: readonly ReturnType<typeof aTeller>[],
  memory: readonly MemoryRecord[] = [],
  takenAt = NOON,
) =>
  marketUpkeep(aSnapshot({ nodes: [...nodes], memory, takenAt, market: asked(0) })).flatMap(
    (action) => (action.kind === 'rememberMemory' ? action.records : []),
  );

describe('the memory that nodes tell of', () => {
  it('is the least that one of a type and its images has', () => {
    const [record, ...others] = remembered([
      aTeller('a', 8_100),
      aTeller('b', 8_000),
      aTeller('c', 8_050),
    ]);

    expect(others).toEqual([]);
    expect(record).toMatchObject({ instanceType: 'm5.large', bytes: 8_000, seenAt: NOON });
  });

  it('is written down once, and again where it is less or about to be forgotten', () => {
    const [known] = remembered([aTeller('a', 8_000)]);
    const records = known ? [known] : [];

    expect(remembered([aTeller('a', 8_000)], records)).toEqual([]);
    expect(remembered([aTeller('a', 8_100)], records)).toEqual([]);
    expect(remembered([aTeller('a', 7_900)], records)).toMatchObject([{ bytes: 7_900 }]);
    expect(remembered([aTeller('a', 8_100)], records, NOON + 7 * DAY)).toMatchObject([
      { bytes: 8_000, seenAt: NOON + 7 * DAY },
    ]);
    expect(remembered([aTeller('a', 8_100)], records, NOON + 60 * DAY)).toMatchObject([
      { bytes: 8_100 },
    ]);
  });

  it('is not told by nodes of other images, or that are not registered', () => {
    const stranger = aTeller('a', 8_000, { imageId: 'ami-old' });
    const { node, ...rest } = aTeller('b', 8_000);
    const labels = { 'karpenter.sh/registered': 'false' };
    const young = node && { ...rest, node: { ...node, meta: { ...node.meta, labels } } };

    expect(remembered([stranger, ...(young ? [young] : [])])).toEqual([]);
  });

  it('takes the place of the estimate until the images change', () => {
    const memory = remembered([aTeller('a', 8_000_000_000)]);
    const nodeClass = aNodeClass();
    const renewed = aNodeClass({
      status: { amis: nodeClass.status.amis.map((ami) => ({ ...ami, id: 'ami-2' })) },
    });
    const capacity = (nodeClasses: (typeof nodeClass)[]) =>
      typesOf({ memory, nodeClasses }).get('m5.large')?.capacity.memory;

    expect(capacity([nodeClass])).toBe(8_000_000_000);
    expect(capacity([renewed])).toBe(typesOf().get('m5.large')?.capacity.memory);
    expect(memoryFor(renewed, memory).size).toBe(0);
  });
});
