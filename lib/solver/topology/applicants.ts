import type { AskLevel } from '../pods/ask.ts';
import type { PodGroup } from '../pods/pod-groups.ts';
import type { Waiting } from '../pods/waiting.ts';
import { type Cell, cellsOf, createNarrowing } from './cells.ts';
import type { Allowed, Counting } from './census.ts';
import { countingIn } from './counting.ts';
import { createOffers, type Offer, type OfferContext, takersOf } from './offer.ts';
import type { TopologyRule } from './rule.ts';
import type { Standing } from './rules.ts';
import type { Topology } from './topology.ts';

/** How many pods of a group at most may be sent to a cell, by the cell's text. */
export type Caps = ReadonlyMap<PodGroup, ReadonlyMap<string, number>>;

/** In Caps, what holds for each cell of a group. */
export const EVERY_CELL = '*';

/** A cell as one group sees it. */
export interface Option extends Offer {
  readonly cell: Cell;
  /** The group as it is there: rules over domains have had their say. */
  readonly groupThere: () => PodGroup;
  readonly countingFor: (rule: TopologyRule) => Counting;
  /** How many pods more may be sent there. */
  cap: number;
  /** How many pods more have room on nodes that are there. */
  room: number;
}

/** A group that waits for its domains. */
export interface Applicant {
  readonly waiting: Waiting;
  readonly options: readonly Option[];
  readonly allowed: Allowed;
  readonly isOwner: boolean;
}

/** What applicants are told apart by. */
export interface ApplicantContext extends OfferContext {
  readonly topology: Topology;
  /** What earlier attempts have shown not to go further. */
  readonly caps: Caps;
}

/** A group as it applies. */
export type Applicants = (waiting: Waiting) => Applicant;

/** Applicants, one after the other; what alike ones have in common is found once. */
export function createApplicants(context: ApplicantContext): Applicants {
  const outlookOf = createOutlooks(context);
  const offers = createOffers(context);
  return (waiting) => {
    const { group } = waiting;
    const { amounts } = group;
    const { cells, allowed, isOwner } = outlookOf(group);
    const options: Option[] = [];
    for (const { cell, levels } of cells) {
      const cap = capOf(group, cell, context.caps);
      const offer = cap < 1 ? undefined : offers({ levels, amounts });
      if (!offer) continue;
      const { level, weight, price } = offer;
      const countingFor = countingIn(group, cell, () => takersOf({ levels, amounts }, context));
      const groupThere = once(() => groupInCell(group, levels, cell));
      options.push({ level, weight, price, cell, groupThere, countingFor, cap, room: 0 });
    }
    return { waiting, options, allowed, isOwner };
  };
}

/** Where pods of a group may stand. */
interface Outlook {
  /** With what the group asks there. */
  readonly cells: readonly { readonly cell: Cell; readonly levels: readonly AskLevel[] }[];
  readonly allowed: Allowed;
  readonly isOwner: boolean;
}

/** Groups that ask the same and are the same to every rule have the same outlook. */
function createOutlooks({ topology, sources }: ApplicantContext): (group: PodGroup) => Outlook {
  const known = new Map<readonly AskLevel[], Map<Standing, Outlook>>();
  const narrowing = createNarrowing();
  return (group) => {
    const { levels, standing } = group;
    const ofLevels = known.get(levels) ?? new Map<Standing, Outlook>();
    known.set(levels, ofLevels);
    const before = ofLevels.get(standing);
    if (before) return before;
    const outlook = {
      cells: cellsOf(group, topology, sources).map((cell) => ({
        cell,
        levels: narrowing.levelsIn(levels, cell),
      })),
      allowed: topology.allowedTo(group.sample),
      isOwner: standing.byDomain.some(({ owns }) => owns),
    };
    ofLevels.set(standing, outlook);
    return outlook;
  };
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const capOf = (group: PodGroup, { text }: Cell, caps: Caps): number => {
  const cells = caps.get(group);
  return cells?.get(EVERY_CELL) ?? cells?.get(text) ?? Number.POSITIVE_INFINITY;
};

const groupInCell = (group: PodGroup, levels: readonly AskLevel[], cell: Cell): PodGroup => ({
  ...group,
  levels,
  standing: { ...group.standing, byDomain: [], byDomainText: '' },
  likeness: `${group.likeness} ${cell.text}`,
});
