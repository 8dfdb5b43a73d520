import { byNamespacedName, compareText } from '#lib/constraints/order.ts';
import { requirementOf } from '#lib/constraints/requirement.ts';
import type { Requirements } from '#lib/constraints/requirements.ts';
import { amountOf, minResources, type Resources } from '#lib/constraints/resources.ts';
import type { Offering } from '#lib/model/instance-type.ts';
import { CAPACITY_TYPE, INSTANCE_TYPE } from '#lib/model/labels.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Choice } from '../admission.ts';
import type { Source } from '../sources.ts';
import { byPrice, choicesByPrice } from './by-price.ts';
import { holdersOf, isHolder, type NodeClaimDraft, requirementsOfDraft } from './draft.ts';
import { chargeOf } from './ledger.ts';
import type { Allowance } from './limits.ts';
import { unmetMinimums } from './min-values.ts';

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
  const known = new Map<NodeClaimDraft, Listing>();
  return (draft, allowance = draft.allowance) => {
    if (draft.admission.source.hasMinValues) return listedWithMinimums(draft, allowance);
    const listing = known.get(draft) ?? { cheapest: cheapestHolders(draft, undefined) };
    known.set(draft, listing);
    const { cheapest } = listing;
    if (!allowance) return cheapest;
    listing.charge ??= chargeOf(cheapest, allowance);
    return isWithin(listing.charge, allowance) ? cheapest : cheapestHolders(draft, allowance);
  };
}

/** What is listed for a draft where limits leave enough. */
interface Listing {
  /** Cheapest first. */
  readonly cheapest: readonly Choice[];
  /** What they take of an allowance of the NodePool at most, once that was asked. */
  charge?: Resources;
}

const isWithin = (charge: Resources, allowance: Resources): boolean =>
  Object.keys(allowance).every((name) => amountOf(charge, name) <= amountOf(allowance, name));

function cheapestHolders(draft: NodeClaimDraft, allowance: Allowance): readonly Choice[] {
  const within = { ...draft, allowance };
  const listed: Choice[] = [];
  for (const choice of choicesByPrice(draft.admission)) {
    const ceiling = (listed[0]?.usdPerHour ?? Number.POSITIVE_INFINITY) * DEARER_SHARE;
    const isDear = listed.length >= FLEXIBLE_TYPES && choice.usdPerHour > ceiling;
    if (isDear || listed.length >= MOST_TYPES) break;
    if (isHolder(within, choice)) listed.push(choice);
  }
  return listed;
}

function listedWithMinimums(draft: NodeClaimDraft, allowance: Allowance): readonly Choice[] {
  const holders = holdersOf({ ...draft, allowance }).toSorted(byPrice);
  return withMinimums(draft, cheapestHolders(draft, allowance), holders);
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

/** What makes a NodeClaim of a draft, for these pods, listing these types. */
export type Sealer = (
  draft: NodeClaimDraft,
  pods: readonly Pod[],
  listed: readonly Choice[],
) => SealedClaim;

/**
 * The NodeClaim that a draft has become, for these pods, listing these types.
 *
 * Source: karpenter v1.14, provisioning/scheduling/nodeclaim.go, FinalizeScheduling;
 * nodeclaimtemplate.go, ToNodeClaim.
 */
export const sealDraft: Sealer = (draft, pods, listed) => sealed(sealOf(draft, listed), pods);

/** Seals one draft after the other. What copies have in common is made once. */
export function createSealer(): Sealer {
  const known = new Map<readonly Choice[], Seal>();
  return (draft, pods, listed) => {
    const before = known.get(listed);
    const seal = before?.draft === draft ? before : sealOf(draft, listed);
    known.set(listed, seal);
    return sealed(seal, pods);
  };
}

/** What the NodeClaims of one draft have in common that list the same types. */
interface Seal {
  readonly draft: NodeClaimDraft;
  readonly claim: Omit<SealedClaim, 'requests' | 'pods'>;
  readonly daemons: Resources;
}

function sealOf(draft: NodeClaimDraft, listed: readonly Choice[]): Seal {
  const [first] = listed;
  const [offering] = first?.offerings ?? [];
  if (!first || !offering) {
    throw new Error('expected a draft to have an instance type that holds it, found none');
  }
  return {
    draft,
    claim: {
      source: draft.admission.source,
      instanceTypes: listed.map(({ sourceType }) => sourceType.type.name),
      requirements: withWhatIsListed(requirementsOfDraft(draft), listed),
      cheapest: { instanceType: first.sourceType.type.name, offering },
      hasLoweredMinimums: draft.lowered !== undefined,
    },
    daemons: minResources(listed.map(({ sourceType }) => sourceType.daemonRequests)),
  };
}

const sealed = ({ claim, daemons }: Seal, pods: readonly Pod[]): SealedClaim => ({
  ...claim,
  requests: totalOf(pods, daemons),
  pods: pods.toSorted(byNamespacedName),
});

function totalOf(pods: readonly Pod[], daemons: Resources): Resources {
  const total: Record<string, number> = { ...daemons };
  for (const { requests } of pods) {
    for (const name in requests) {
      const sum = amountOf(total, name) + amountOf(requests, name);
      total[name] = Math.min(sum, Number.MAX_SAFE_INTEGER);
    }
  }
  return total;
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
