import { compareText } from '#lib/constraints/order.ts';
import type { NodeOverlay } from '#lib/model/node-overlay.ts';
import { requirementProblems } from './requirement-validation.ts';

/** Source: karpenter v1.14, NodeOverlay CRD, spec.price and spec.priceAdjustment. */
const PRICE = /^\d+(\.\d+)?$/;
const ADJUSTMENT = /^(([+-]\d*\.?\d+)|(\+\d*\.?\d+%)|(-\d{1,2}(\.\d+)?%)|(-100%))$/;
/** What a machine is made of, which nobody can add to it by wish. */
const MACHINE_RESOURCES = ['cpu', 'ephemeral-storage', 'memory', 'pods'];

/**
 * All that is wrong with a NodeOverlay, each a sentence; empty where nothing is. An API server
 * refuses most of it; a NodeOverlay that was written before a rule was may break it still.
 *
 * Source: karpenter v1.14, apis/v1alpha1/nodeoverlay_validation.go, RuntimeValidate.
 */
export function nodeOverlayProblems(overlay: NodeOverlay): readonly string[] {
  const { requirements, price, priceAdjustment, capacity } = overlay;
  return [
    ...requirements.flatMap((each) => requirementProblems(each)),
    ...(price !== undefined && priceAdjustment !== undefined
      ? ["cannot set both 'price' and 'priceAdjustment'"]
      : []),
    ...(price !== undefined && price !== '' && !PRICE.test(price)
      ? [`invalid price ${JSON.stringify(price)}`]
      : []),
    ...(priceAdjustment !== undefined && priceAdjustment !== '' && !ADJUSTMENT.test(priceAdjustment)
      ? [`invalid priceAdjustment ${JSON.stringify(priceAdjustment)}`]
      : []),
    ...Object.keys(capacity)
      .filter((name) => MACHINE_RESOURCES.includes(name))
      .sort(compareText)
      .map((name) => `invalid capacity: ${name} in resource, restricted`),
  ];
}
