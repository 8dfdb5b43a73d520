import { isInteger, MAX_INT64, MIN_INT64, parseComparable, parseInteger } from './integer.ts';
import { compareText } from './order.ts';

/** The operators of a NodePool's and a NodeClaim's requirements. Source: karpenter v1.14 CRDs. */
export const OPERATORS = [
  'In',
  'NotIn',
  'Exists',
  'DoesNotExist',
  'Gt',
  'Lt',
  'Gte',
  'Lte',
] as const;

/** One of them. */
export type Operator = (typeof OPERATORS)[number];

/** A requirement as it stands in a manifest and in a plan: one line of `requirements`. */
export interface RequirementSpec {
  readonly key: string;
  readonly operator: Operator;
  readonly values?: readonly string[];
  readonly minValues?: number;
}

/**
 * The set of values that one label key may take, closed under intersection: `values` themselves,
 * or, where `complement` holds, everything but them; within the inclusive bounds, if any. Only a
 * complement has bounds, and none of its exclusions lies outside them.
 */
export interface Requirement {
  readonly key: string;
  readonly complement: boolean;
  readonly values: ReadonlySet<string>;
  readonly gte?: bigint;
  readonly lte?: bigint;
  /** Whether a bound was asked for as Gt, or Lt: sentences say it as it was asked. */
  readonly isGt?: true;
  readonly isLt?: true;
  readonly minValues?: number;
}

/**
 * Old names of label keys, which mean the new ones wherever a requirement or label is read.
 *
 * Source: karpenter v1.14, apis/v1/labels.go, NormalizedLabels; the AWS provider's zone alias.
 */
const NEW_KEY_OF: ReadonlyMap<string, string> = new Map([
  ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
  ['beta.kubernetes.io/arch', 'kubernetes.io/arch'],
  ['beta.kubernetes.io/os', 'kubernetes.io/os'],
  ['beta.kubernetes.io/instance-type', 'node.kubernetes.io/instance-type'],
  ['topology.ebs.csi.aws.com/zone', 'topology.kubernetes.io/zone'],
]);

/** The key under which a label is required and offered; old names become the new ones. */
export const normalizeKey = (key: string): string => NEW_KEY_OF.get(key) ?? key;

const NO_VALUES: ReadonlySet<string> = new Set();

/**
 * The Requirement that one line of a manifest means. Gt of the largest and Lt of the smallest
 * 64-bit integer leave nothing: they are DoesNotExist without minValues. A bound that is no
 * integer counts as 0; validation is where it is refused.
 *
 * Source: karpenter v1.14, scheduling/requirement.go, NewRequirementWithFlexibility.
 */
export function requirementOf(spec: RequirementSpec): Requirement {
  const key = normalizeKey(spec.key);
  const more = spec.minValues === undefined ? {} : { minValues: spec.minValues };
  switch (spec.operator) {
    case 'In':
      return { key, complement: false, values: new Set(spec.values), ...more };
    case 'DoesNotExist':
      return { key, complement: false, values: NO_VALUES, ...more };
    case 'NotIn':
      return { key, complement: true, values: new Set(spec.values), ...more };
    case 'Exists':
      return { key, complement: true, values: NO_VALUES, ...more };
    case 'Gte':
      return { key, complement: true, values: NO_VALUES, gte: boundOf(spec), ...more };
    case 'Lte':
      return { key, complement: true, values: NO_VALUES, lte: boundOf(spec), ...more };
    case 'Gt': {
      const bound = boundOf(spec);
      if (bound === MAX_INT64) return { key, complement: false, values: NO_VALUES };
      return { key, complement: true, values: NO_VALUES, gte: bound + 1n, isGt: true, ...more };
    }
    case 'Lt': {
      const bound = boundOf(spec);
      if (bound === MIN_INT64) return { key, complement: false, values: NO_VALUES };
      return { key, complement: true, values: NO_VALUES, lte: bound - 1n, isLt: true, ...more };
    }
  }
}

/** The integer of a bound; beyond 64 bits the nearest one, and 0 for what is no integer. */
function boundOf({ values }: RequirementSpec): bigint {
  const text = values?.[0] ?? '';
  const parsed = parseInteger(text);
  if (parsed !== undefined || !isInteger(text)) return parsed ?? 0n;
  return text.startsWith('-') ? MIN_INT64 : MAX_INT64;
}

/** The values that both allow, with the stricter minValues; one of the two itself if it can be. */
export function intersectRequirement(a: Requirement, b: Requirement): Requirement {
  if (a === b || (hasNoSay(b) && addsNoMinimum(b, a))) return a;
  if (hasNoSay(a) && addsNoMinimum(a, b)) return b;

  const gte = largest(a.gte, b.gte);
  const lte = smallest(a.lte, b.lte);
  if (contradict(gte, lte)) {
    return { key: a.key, complement: false, values: NO_VALUES, ...stricterMinimum(a, b) };
  }
  const within = (value: string): boolean => isWithin(value, gte, lte);
  if (!a.complement || !b.complement) {
    return isWalked(a, b) ? narrow(a, b, within) : narrow(b, a, within);
  }
  const values = new Set([...a.values, ...b.values].filter(within));
  const bounds = { ...lowerBound(gte, a, b), ...upperBound(lte, a, b) };
  return { key: a.key, complement: true, values, ...bounds, ...stricterMinimum(a, b) };
}

function lowerBound(gte: bigint | undefined, a: Requirement, b: Requirement) {
  if (gte === undefined) return {};
  const isGt = [a, b].some((each) => each.gte === gte && each.isGt);
  return isGt ? { gte, isGt } : { gte };
}

function upperBound(lte: bigint | undefined, a: Requirement, b: Requirement) {
  if (lte === undefined) return {};
  const isLt = [a, b].some((each) => each.lte === lte && each.isLt);
  return isLt ? { lte, isLt } : { lte };
}

/** What `other` and the bounds leave of a concrete requirement; the same one if that is all. */
function narrow(
  concrete: Requirement,
  other: Requirement,
  within: (value: string) => boolean,
): Requirement {
  const values = keep(concrete.values, other, within);
  if (values === concrete.values && addsNoMinimum(other, concrete)) return concrete;
  return { key: concrete.key, complement: false, values, ...stricterMinimum(concrete, other) };
}

/** Of two requirements that are not both complements, whether `a` is the one to go through. */
const isWalked = (a: Requirement, b: Requirement): boolean =>
  !a.complement && (b.complement || a.values.size <= b.values.size);

const contradict = (gte: bigint | undefined, lte: bigint | undefined): boolean =>
  gte !== undefined && lte !== undefined && gte > lte;

function stricterMinimum(a: Requirement, b: Requirement): { readonly minValues?: number } {
  const minValues = Math.max(a.minValues ?? 0, b.minValues ?? 0);
  return minValues === 0 ? {} : { minValues };
}

/** The values that `other` has and that stand `within` bounds; the same set if that is all. */
function keep(
  values: ReadonlySet<string>,
  other: Requirement,
  within: (value: string) => boolean,
): ReadonlySet<string> {
  const kept: string[] = [];
  for (const value of values) {
    if (other.values.has(value) !== other.complement && within(value)) kept.push(value);
  }
  return kept.length === values.size ? values : new Set(kept);
}

/** Whether a requirement allows every value. */
const hasNoSay = (requirement: Requirement): boolean =>
  requirement.complement &&
  requirement.values.size === 0 &&
  requirement.gte === undefined &&
  requirement.lte === undefined;

const addsNoMinimum = (other: Requirement, to: Requirement): boolean =>
  other.minValues === undefined || other.minValues <= (to.minValues ?? 0);

function largest(a: bigint | undefined, b: bigint | undefined): bigint | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a > b ? a : b;
}

function smallest(a: bigint | undefined, b: bigint | undefined): bigint | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a < b ? a : b;
}

/** Whether `value` stands between the bounds; what is no integer does not, if there is one. */
function isWithin(value: string, gte: bigint | undefined, lte: bigint | undefined): boolean {
  if (gte === undefined && lte === undefined) return true;
  const integer = parseComparable(value);
  if (integer === undefined) return false;
  return (gte === undefined || integer >= gte) && (lte === undefined || integer <= lte);
}

/** Whether the key may take `value`. */
export const has = (requirement: Requirement, value: string): boolean =>
  requirement.values.has(value) !== requirement.complement &&
  isWithin(value, requirement.gte, requirement.lte);

/**
 * Whether some value is allowed by both: whether their intersection is anything but DoesNotExist.
 * Two complements always overlap unless their bounds contradict; that the exclusions might use up
 * all that the bounds leave is not looked at.
 *
 * Source: karpenter v1.14, scheduling/requirement.go, HasIntersection.
 */
export function overlaps(a: Requirement, b: Requirement): boolean {
  const gte = largest(a.gte, b.gte);
  const lte = smallest(a.lte, b.lte);
  if (contradict(gte, lte)) return false;
  if (a.complement && b.complement) return true;
  const [walked, other] = isWalked(a, b) ? [a, b] : [b, a];
  for (const value of walked.values) {
    if (other.values.has(value) !== other.complement && isWithin(value, gte, lte)) return true;
  }
  return false;
}

/** The operator that describes the set, bounds left aside: Exists for a mere bound. */
export function operatorOf({ complement, values }: Requirement): Operator {
  if (complement) return values.size > 0 ? 'NotIn' : 'Exists';
  return values.size > 0 ? 'In' : 'DoesNotExist';
}

/**
 * The lines of a manifest that mean this requirement, their values sorted: one, or where there
 * are bounds up to three (Gte, Lte, and NotIn for exclusions between them), each with minValues.
 *
 * Source: karpenter v1.14, scheduling/requirement.go, NodeSelectorRequirement, which forgets the
 * exclusions beside a bound.
 */
export function specsOf(requirement: Requirement): RequirementSpec[] {
  const { key, gte, lte, minValues } = requirement;
  const more = minValues === undefined ? {} : { minValues };
  const operator = operatorOf(requirement);
  const specs: RequirementSpec[] = [];
  if (gte !== undefined) specs.push({ key, operator: 'Gte', values: [`${gte}`], ...more });
  if (lte !== undefined) specs.push({ key, operator: 'Lte', values: [`${lte}`], ...more });
  if (specs.length > 0 && operator === 'Exists') return specs;
  const values = requirement.values.size === 0 ? {} : { values: sortedValues(requirement) };
  return [...specs, { key, operator, ...values, ...more }];
}

/** The values, or the exclusions of a complement, in order. */
const sortedValues = ({ values }: Requirement): string[] => [...values].sort(compareText);

/** How many values a sentence lists before it only counts them. */
const LISTED_VALUES = 5;

/**
 * The requirement as a person reads it in an event.
 *
 * Example: "topology.kubernetes.io/zone In [us-east-1a us-east-1b] minValues 2", and
 * "karpenter.k8s.aws/instance-cpu Gt 3"
 * Source: karpenter v1.14, scheduling/requirement.go, String, which says Exists >=4 of the latter.
 */
export function describeRequirement(requirement: Requirement): string {
  const operator = operatorOf(requirement);
  const values = sortedValues(requirement);
  const listed = values.slice(0, LISTED_VALUES);
  if (values.length > LISTED_VALUES) listed.push(`and ${values.length - LISTED_VALUES} others`);
  const bounds = describeBounds(requirement);
  const isBound = operator === 'Exists' && bounds.length > 0;
  const parts = [requirement.key, ...(isBound ? [] : [operator])];
  if (values.length > 0) parts.push(`[${listed.join(' ')}]`);
  parts.push(...bounds);
  if (requirement.minValues !== undefined) parts.push(`minValues ${requirement.minValues}`);
  return parts.join(' ');
}

/** Bounds as they were asked for: Gt 8, or Gte 9. */
function describeBounds({ gte, lte, isGt, isLt }: Requirement): readonly string[] {
  const bounds: string[] = [];
  if (gte !== undefined) bounds.push(isGt ? `Gt ${gte - 1n}` : `Gte ${gte}`);
  if (lte !== undefined) bounds.push(isLt ? `Lt ${lte + 1n}` : `Lte ${lte}`);
  return bounds;
}
