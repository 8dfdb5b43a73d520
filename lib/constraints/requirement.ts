/** The operators of a NodePool's and a NodeClaim's requirements. Source: karpenter v1.14 CRDs. */
export type Operator = 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt' | 'Gte' | 'Lte';

/** A requirement as it stands in a manifest and in a plan: one line of `requirements`. */
export interface RequirementSpec {
  readonly key: string;
  readonly operator: Operator;
  readonly values?: readonly string[];
  readonly minValues?: number;
}

/**
 * The set of values that one label key may take, closed under intersection: `values` themselves,
 * or, where `complement` holds, everything but them; within the inclusive bounds, if any.
 */
export interface Requirement {
  readonly key: string;
  readonly complement: boolean;
  readonly values: ReadonlySet<string>;
  readonly gte?: bigint;
  readonly lte?: bigint;
  readonly minValues?: number;
}
