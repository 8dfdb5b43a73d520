import { byNamespacedName, compareText } from '#lib/constraints/order.ts';
import { requirementOf } from '#lib/constraints/requirement.ts';
import type { Requirements } from '#lib/constraints/requirements.ts';
import { addResources, minResources, type Resources } from '#lib/constraints/resources.ts';
import type { Offering } from '#lib/model/instance-type.ts';
import { CAPACITY_TYPE, INSTANCE_TYPE } from '#lib/model/labels.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Choice } from '../admission.ts';
import type { Source } from '../sources.ts';
import { holdersOf, type NodeClaimDraft, requirementsOfDraft } from './draft.ts';
import { type Allowance, allows } from './limits.ts';
import { unmetMinimums } from './min-values.ts';
import { byPrice } from './shapes.ts';

/** A node to be: all that its NodeClaim will say and whom it is for. */
export interface SealedClaim {
  readonly source: Source;
  /** Cheapest first. Each holds the pods and the daemons that would run there. */
  readonly instanceTypes: readonly string[];
  /** The types and the capacity types that can be had are among them. */
  readonly requirements: Requirements;
  /** The pods' requests and what every listed type's daemons ask at least. */
  readonly requests: Resources;
  /** By namespace and name. */
  readonly pods: readonly Pod[];
  readonly cheapest: { readonly instanceType: string; readonly offering: Offering };
  /** Whether minimums were lowered to what could be had. */
  readonly hasLoweredMinimums: boolean;
}

/** Types that are listed however much dearer they are: launches need somewhere to turn to. */
const FLEXIBLE_TYPES = 15;
/** Types beyond those are listed up to this many times the price of the cheapest. */
const DEARER_SHARE = 1.3;
/** Source: karpenter v1.10, provisioning/scheduling/nodeclaimtemplate.go, MaxInstanceTypes. */
const MOST_TYPES = 60;

/** What lists types: of `draft`, as far as `allowance` goes. */
export type TypeLister = (draft: NodeClaimDraft, allowance?: Allowance) => readonly Choice[];

/**
 * Lists the types that a launch of a draft may choose from, cheapest first: of those that hold it
 * the cheapest 15, more within 30 % of the cheapest, at most 60; more than that only where minValues
 * demands other values. Who holds a draft is found once: nodes come in copies.
 */
export function createTypeLister(): TypeLister {
  const known = new Map<NodeClaimDraft, readonly Choice[]>();
  return (draft, allowance = draft.allowance) => {
    const holders =
      known.get(draft) ?? holdersOf({ ...draft, allowance: undefined }).toSorted(byPrice);
    known.set(draft, holders);
    if (!draft.admission.source.hasMinValues) return cheapestOf(holders, allowance);
    const allowed = holders.filter((holder) => allows(allowance, holder));
    return withMinimums(draft, cheapestOf(allowed, undefined), allowed);
  };
}

function cheapestOf(holders: readonly Choice[], allowance: Allowance): readonly Choice[] {
  const listed: Choice[] = [];
  for (const holder of holders) {
    const ceiling = (listed[0]?.usdPerHour ?? Number.POSITIVE_INFINITY) * DEARER_SHARE;
    const isDear = listed.length >= FLEXIBLE_TYPES && holder.usdPerHour > ceiling;
    if (isDear || listed.length >= MOST_TYPES) break;
    if (allows(allowance, holder)) listed.push(holder);
  }
  return listed;
}

/** `listed` and, cheapest first, those of `holders` that offer a value which is still missing. */
function withMinimums(
  draft: NodeClaimDraft,
  listed: readonly Choice[],
  holders: readonly Choice[],
): readonly Choice[] {
  const requirements = requirementsOfDraft(draft);
  const shortBy = (choices: readonly Choice[]): number =>
    unmetMinimums(
      choices.map(({ sourceType }) => sourceType),
      requirements,
    ).reduce((sum, { wanted, found }) => sum + wanted - found, 0);
  const kept = [...listed];
  let short = shortBy(kept);
  for (const holder of holders) {
    if (short === 0) break;
    if (kept.includes(holder)) continue;
    const shorter = shortBy([...kept, holder]);
    if (shorter >= short) continue;
    kept.push(holder);
    short = shorter;
  }
  return kept.sort(byPrice);
}

/**
 * The NodeClaim that a draft has become, for these pods, listing these types.
 *
 * Source: karpenter v1.14, provisioning/scheduling/nodeclaim.go, FinalizeScheduling;
 * nodeclaimtemplate.go, ToNodeClaim.
 */
export function sealDraft(
  draft: NodeClaimDraft,
  pods: readonly Pod[],
  listed: readonly Choice[],
): SealedClaim {
  const [first] = listed;
  const [offering] = first?.offerings ?? [];
  if (!first || !offering) {
    throw new Error('expected a draft to have an instance type that holds it, found none');
  }
  const daemons = minResources(listed.map(({ sourceType }) => sourceType.daemonRequests));
  return {
    source: draft.admission.source,
    instanceTypes: listed.map(({ sourceType }) => sourceType.type.name),
    requirements: withWhatIsListed(requirementsOfDraft(draft), listed),
    requests: pods.reduce<Resources>((sum, { requests }) => addResources(sum, requests), daemons),
    pods: pods.toSorted(byNamespacedName),
    cheapest: { instanceType: first.sourceType.type.name, offering },
    hasLoweredMinimums: draft.lowered !== undefined,
  };
}

function withWhatIsListed(requirements: Requirements, listed: readonly Choice[]): Requirements {
  const names = listed.map(({ sourceType }) => sourceType.type.name).sort(compareText);
  const capacityTypes = new Set(
    listed.flatMap(({ offerings }) => offerings.map(({ capacityType }) => capacityType)),
  );
  const sealed = new Map(requirements);
  for (const [key, values] of [
    [INSTANCE_TYPE, names],
    [CAPACITY_TYPE, [...capacityTypes].sort(compareText)],
  ] as const) {
    const minValues = requirements.get(key)?.minValues;
    const more = minValues === undefined ? {} : { minValues };
    sealed.set(key, requirementOf({ key, operator: 'In', values, ...more }));
  }
  return sealed;
}
