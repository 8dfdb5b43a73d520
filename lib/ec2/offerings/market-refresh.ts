import { memoryToRemember } from '#lib/ec2/catalog/discovered-memory.ts';
import { partitionOf } from '#lib/ec2/partition.ts';
import { MARKET_PARTS, type MarketPart } from '#lib/model/market.ts';
import type { Action } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/**
 * How old a part may grow. Types and list prices as upstream; spot prices move by the hour, and
 * asking takes some ten calls: twice an hour, on a schedule that comes by every five minutes.
 *
 * Source: karpenter AWS provider v1.14, controllers/providers/{pricing,instancetype}, 12 hours.
 */
const MAY_AGE_MS: Readonly<Record<MarketPart, number>> = {
  types: 12 * HOUR_MS,
  onDemandPrices: 12 * HOUR_MS,
  spotPrices: 28 * MINUTE_MS,
};

/**
 * What is to be asked anew or written down so that launches need not ask: the parts of what EC2
 * sells that have grown old, and what nodes told of their memory. Nothing in a Snapshot that was
 * not made for it.
 */
export function marketUpkeep(snapshot: Snapshot): readonly Action[] {
  const parts = MARKET_PARTS.filter((part) => isDue(part, snapshot));
  const records = snapshot.memory === undefined ? [] : memoryToRemember(snapshot);
  return [
    ...(parts.length > 0 ? [{ kind: 'refreshMarket', parts } as const] : []),
    ...(records.length > 0 ? [{ kind: 'rememberMemory', records } as const] : []),
  ];
}

function isDue(part: MarketPart, { market, takenAt, settings }: Snapshot): boolean {
  if (market === undefined) return false;
  if (part === 'onDemandPrices' && !hasPriceList(settings)) return false;
  return takenAt - (market[part] ?? Number.NEGATIVE_INFINITY) >= MAY_AGE_MS[part];
}

/** The price list has no address inside a VPC, and none in some partitions. */
const hasPriceList = ({ isolatedVpc, region }: Snapshot['settings']): boolean =>
  isolatedVpc !== true && partitionOf(region).priceListRegion !== undefined;
