import type { RequirementSpec } from '#lib/constraints/requirement.ts';
import type { Resources } from '#lib/constraints/resources.ts';
import type { Condition, ObjectMeta } from './object.ts';

/**
 * A NodeOverlay: what Joinery shall believe of instance types beyond what EC2 says of them.
 *
 * Source: karpenter v1.14, apis/v1alpha1/nodeoverlay.go.
 */
export interface NodeOverlay {
  readonly meta: ObjectMeta;
  /** Which types, offerings and NodePools it is about. */
  readonly requirements: readonly RequirementSpec[];
  /** USD per hour, as written; at most one of `price` and `priceAdjustment`. */
  readonly price?: string;
  /** "+0.05" or "-0.05" USD per hour, "+10%" or "-10%", as written. */
  readonly priceAdjustment?: string;
  /** Extended resources that nodes of such types have. */
  readonly capacity: Resources;
  readonly weight: number;
  readonly status: { readonly conditions: readonly Condition[] };
}
