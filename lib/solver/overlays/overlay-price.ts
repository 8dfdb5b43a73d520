import type { NodeOverlay } from '#lib/model/node-overlay.ts';

/** Twelve places are kept: what lies behind them is noise of binary fractions. */
const NOISE = 1e12;

/** Whether a NodeOverlay says anything of prices. */
export const changesPrice = ({ price, priceAdjustment }: NodeOverlay): boolean =>
  Boolean(price) || Boolean(priceAdjustment);

/**
 * A price as a NodeOverlay wants it, USD per hour, never below 0: `price` replaces it, an
 * adjustment adds to it or, as a percentage, scales it.
 *
 * Example: 1.5 adjusted by "-25%" is 1.125; 10 adjusted by "+5" is 15.
 * Source: karpenter v1.14, cloudprovider/types.go, AdjustedPrice.
 */
export function overlaidPrice(
  usdPerHour: number,
  { price, priceAdjustment }: Pick<NodeOverlay, 'price' | 'priceAdjustment'>,
): number {
  if (price) return Number(price);
  if (!priceAdjustment) return usdPerHour;
  const change = Number.parseFloat(priceAdjustment);
  const changed = priceAdjustment.endsWith('%')
    ? (usdPerHour * (100 + change)) / 100
    : usdPerHour + change;
  return Math.max(0, Math.round(changed * NOISE) / NOISE);
}
