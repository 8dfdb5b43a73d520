import { type Admission, type Admissions, admissionsFor } from '../admission.ts';
import { type Amounts, hasRoom, timesThatFit } from '../amounts.ts';
import { accepts, type Host } from '../hosts/hosts.ts';
import type { AskLevel } from '../pods/ask.ts';
import type { PodGroup } from '../pods/pod-groups.ts';
import type { Source } from '../sources.ts';

/** What a group can get in its cell. */
export interface Offer {
  /** The most wishful level that can be met there. */
  readonly level: number;
  /** The weight of the heaviest NodePool that could make the node; Infinity where none has to. */
  readonly weight: number;
  /** What a unit of compute costs there, in no particular unit. */
  readonly price: number;
}

/** Who offers. */
export interface OfferContext {
  readonly hosts: readonly Host[];
  readonly sources: readonly Source[];
  readonly admissions: Admissions;
}

/**
 * What pods of a group, narrowed to its cell, can get there; undefined where nothing. Groups that
 * ask the same for the same amounts get the same answer.
 */
export type Offers = (group: Asking) => Offer | undefined;

/** What a group asks for, and how much of everything. */
type Asking = Pick<PodGroup, 'levels' | 'amounts'>;

/** An empty memory of offers. */
export function createOffers(context: OfferContext): Offers {
  const known = new Map<readonly AskLevel[], Map<Amounts, Offer | undefined>>();
  return (asking) => {
    const { levels, amounts } = asking;
    const ofLevels = known.get(levels) ?? new Map<Amounts, Offer | undefined>();
    known.set(levels, ofLevels);
    if (!ofLevels.has(amounts)) ofLevels.set(amounts, offerTo(asking, context));
    return ofLevels.get(amounts);
  };
}

/** The offer at the most wishful level at which there is one. */
function offerTo(
  { levels, amounts }: Asking,
  { sources, hosts, admissions }: OfferContext,
): Offer | undefined {
  for (const [level, { asks }] of levels.entries()) {
    const holding = sources
      .flatMap((source) => admissionsFor(source, asks, admissions))
      .filter((admission) => holds(admission, amounts));
    const [heaviest] = holding;
    if (heaviest) {
      const price = Math.min(...holding.map((each) => unitPrice(each)));
      return { level, price, weight: heaviest.source.nodePool.weight };
    }
    const takes = (host: Host): boolean =>
      hasRoom(host.free, [], amounts) && asks.some((ask) => accepts(host, ask));
    if (hosts.some(takes)) return { level, price: 0, weight: Number.POSITIVE_INFINITY };
  }
  return undefined;
}

/** All who might take a pod of the group, narrowed to its cell, at any level of its wishes. */
export function takersOf(
  { levels, amounts }: Asking,
  { sources, hosts, admissions }: OfferContext,
): readonly (Source | Host)[] {
  const asks = levels.flatMap((level) => level.asks);
  return [
    ...sources.filter((source) => admissionsFor(source, asks, admissions).length > 0),
    ...hosts.filter(
      (host) => hasRoom(host.free, [], amounts) && asks.some((ask) => accepts(host, ask)),
    ),
  ];
}

/** Whether some type that is left holds these amounts. */
export function holds({ choices }: Admission, amounts: Amounts): boolean {
  for (const { sourceType } of choices.values()) {
    if (timesThatFit(sourceType.roomAmounts, [], amounts) > 0) return true;
  }
  return false;
}

const unitPrices = new WeakMap<Admission, number>();

/** The least that a type's price comes to for each thousandth of a core and 4 MiB of memory. */
export function unitPrice(admission: Admission): number {
  const before = unitPrices.get(admission);
  if (before !== undefined) return before;
  let least = Number.POSITIVE_INFINITY;
  for (const { sourceType, usdPerHour } of admission.choices.values()) {
    const { cpu = 0, memory = 0 } = sourceType.room;
    const units = cpu + memory / (4 * 1024 * 1024);
    if (units > 0) least = Math.min(least, usdPerHour / units);
  }
  unitPrices.set(admission, least);
  return least;
}
