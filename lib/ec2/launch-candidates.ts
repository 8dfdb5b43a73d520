import { compareText } from '#lib/constraints/order.ts';
import { type Rejection, reject } from '#lib/constraints/rejection.ts';
import type { Requirement } from '#lib/constraints/requirement.ts';
import { has } from '#lib/constraints/requirement.ts';
import { agrees, type Requirements } from '#lib/constraints/requirements.ts';
import { fits, type Resources } from '#lib/constraints/resources.ts';
import type { CapacityType, InstanceType, Offering } from '#lib/model/instance-type.ts';
import { CAPACITY_TYPE, INSTANCE_SIZE } from '#lib/model/labels.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';

/** How many types one request may name. Source: karpenter AWS provider v1.14, MaxInstanceTypes. */
const MAX_TYPES = 60;
/** Devices that are dear, and of no use to who did not ask for them. */
const DEVICES = ['nvidia.com/gpu', 'amd.com/gpu', 'habana.ai/gaudi', 'aws.amazon.com/neuron'];

/** A type that may be launched, with the offerings that may be used, cheapest first. */
export interface Candidate {
  readonly type: InstanceType;
  readonly offerings: readonly Offering[];
}

/** What a launch may ask EC2 for: one capacity type, and types by their cheapest offering. */
export interface Candidates {
  readonly capacityType: 'on-demand' | 'spot';
  readonly list: readonly Candidate[];
}

/**
 * The types and offerings that a launch may use, or why there are none. Spot is used where it is
 * allowed and to be had. Reserved capacity is not bought: its offerings are left out.
 *
 * Source: karpenter AWS provider v1.14, providers/instance/filter, and instance.go.
 */
export function launchCandidates(
  instanceTypes: readonly InstanceType[],
  requirements: Requirements,
  requests: Resources,
  policy: ClusterSettings['minValuesPolicy'],
): Candidates | Rejection {
  const available = instanceTypes.flatMap((type) => {
    const candidate = candidateOf(type, requirements, requests);
    return candidate === undefined ? [] : [candidate];
  });
  if (available.length === 0) {
    return reject('offerings', 'no instance type that fits can be bought at the moment');
  }
  const minimums = [...requirements.values()].filter(({ minValues }) => minValues !== undefined);
  const sensible = minimums.length > 0 ? available : withoutDearSpot(withoutExotic(available));
  const cheapest = [...sensible].sort(byPrice).slice(0, MAX_TYPES);
  const unmet = policy === 'Strict' ? firstUnmet(minimums, cheapest) : undefined;
  if (unmet !== undefined) return unmet;
  const capacityType = capacityTypeOf(requirements, cheapest);
  const list = cheapest.flatMap(({ type, offerings }) => {
    const usable = offerings.filter((offering) => offering.capacityType === capacityType);
    return usable.length === 0 ? [] : [{ type, offerings: usable }];
  });
  return list.length === 0
    ? reject('offerings', `no ${capacityType} capacity can be bought at the moment`)
    : { capacityType, list };
}

function candidateOf(
  type: InstanceType,
  requirements: Requirements,
  requests: Resources,
): Candidate | undefined {
  if (!agrees(type.requirements, requirements) || !fits(requests, type.allocatable)) return;
  const offerings = type.offerings.filter(
    (offering) =>
      offering.available &&
      offering.capacityType !== 'reserved' &&
      agrees(offering.requirements, requirements),
  );
  return offerings.length === 0 ? undefined : { type, offerings };
}

function withoutExotic(candidates: readonly Candidate[]): readonly Candidate[] {
  const generic = candidates.filter(({ type }) => !isExotic(type));
  return generic.length === 0 ? candidates : generic;
}

const isExotic = ({ capacity, requirements }: InstanceType): boolean =>
  DEVICES.some((device) => (capacity[device] ?? 0) > 0) ||
  [...(requirements.get(INSTANCE_SIZE)?.values ?? [])].some((size) => size.includes('metal'));

/** Spot that costs more than on-demand only adds the risk of losing it. */
function withoutDearSpot(candidates: readonly Candidate[]): readonly Candidate[] {
  const prices = candidates
    .flatMap(({ offerings }) => offerings)
    .filter(({ capacityType }) => capacityType === 'on-demand')
    .map(({ usdPerHour }) => usdPerHour);
  const cheapest = prices.reduce((least, price) => Math.min(least, price), Number.MAX_VALUE);
  return candidates.flatMap(({ type, offerings }) => {
    const kept = offerings.filter(
      ({ capacityType, usdPerHour }) => capacityType !== 'spot' || usdPerHour <= cheapest,
    );
    return kept.length === 0 ? [] : [{ type, offerings: kept }];
  });
}

const byPrice = (a: Candidate, b: Candidate): number =>
  priceOf(a) - priceOf(b) || compareText(a.type.name, b.type.name);

const priceOf = ({ offerings }: Candidate): number =>
  offerings.reduce((least, { usdPerHour }) => Math.min(least, usdPerHour), Number.MAX_VALUE);

function firstUnmet(
  minimums: readonly Requirement[],
  candidates: readonly Candidate[],
): Rejection | undefined {
  for (const { key, minValues = 0 } of minimums) {
    const values = new Set(
      candidates.flatMap(({ type }) => [...(type.requirements.get(key)?.values ?? [])]),
    );
    if (values.size < minValues) {
      return reject(
        'minValues',
        `only ${values.size} of the ${minValues} values that ${key} must leave can be bought now`,
      );
    }
  }
  return undefined;
}

function capacityTypeOf(
  requirements: Requirements,
  candidates: readonly Candidate[],
): 'on-demand' | 'spot' {
  const asked = requirements.get(CAPACITY_TYPE);
  const allows = (capacityType: CapacityType) => asked === undefined || has(asked, capacityType);
  const offered = candidates.some(({ offerings }) =>
    offerings.some(({ capacityType }) => capacityType === 'spot'),
  );
  return allows('spot') && offered ? 'spot' : 'on-demand';
}
