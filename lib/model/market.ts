import type { EpochMs } from './time.ts';

/** The parts that EC2 is asked for what it sells in: each has its own age. */
export const MARKET_PARTS = ['types', 'onDemandPrices', 'spotPrices'] as const;

/** One of those parts. Types come with the zones that they are sold in. */
export type MarketPart = (typeof MARKET_PARTS)[number];

/** When each part was last asked for; a part that never was is absent. */
export type MarketDates = Readonly<Partial<Record<MarketPart, EpochMs>>>;
