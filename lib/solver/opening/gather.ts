import { isRejection } from '#lib/constraints/rejection.ts';
import type { Admission } from '../admission.ts';
import type { PodGroup } from '../pods/pod-groups.ts';
import type { Source } from '../sources.ts';
import { mayShare } from '../topology/node-rules.ts';
import type { TopologyRule } from '../topology/rule.ts';
import type { Part } from '../topology/rules.ts';
import { byPrice } from './by-price.ts';
import { joinDraft, type NodeClaimDraft, openDraft } from './draft.ts';
import { topUp } from './fill.ts';
import { allowanceIn, type Ledger } from './ledger.ts';
import { allows } from './limits.ts';
import { lineUp, type Portion } from './lineup.ts';
import { type Around, costIn, type OpenContext, onBestHolder, withoutHeavierHome } from './open.ts';

/** Whether pods of the group must share a node with somebody. */
export const wantsCompany = ({ standing }: PodGroup): boolean => standing.byNode.some(isBond);

const isBond = ({ rule, owns }: Part): boolean => owns && rule.kind === 'affinity';

/** The affinities to which somebody among `portions` is company. */
export const servedBy = (portions: readonly Portion[]): ReadonlySet<TopologyRule> =>
  new Set(
    portions.flatMap(({ group }) =>
      group.standing.byNode.flatMap(({ rule, selected }) => (selected ? [rule] : [])),
    ),
  );

/** Whether all company that the group wants is among those served. */
export const isServed = ({ standing }: PodGroup, served: ReadonlySet<TopologyRule>): boolean =>
  standing.byNode.every((part) => !isBond(part) || served.has(part.rule));

/** Whether a draft holds pods that must stay together, so that a second one like it may not do. */
export const isGathering = ({ counts }: NodeClaimDraft): boolean =>
  [...counts.keys()].some(wantsCompany);

/**
 * Pods that can share a node so that the affinity of each is satisfied there, whom others need
 * first: `seed`, one of each kind that it needs, whom those need in turn, and everybody who wants
 * to be near one of these. Undefined where somebody needed is not waiting for a node.
 *
 * Cost: portions for each kind that is needed.
 */
export function partyOf(
  seed: Portion,
  portions: readonly Portion[],
  { mayBegin }: Pick<OpenContext, 'mayBegin'>,
): readonly Portion[] | undefined {
  const party: Portion[] = [seed];
  for (let at = 0; at < party.length; at++) {
    const wanting = party[at]?.group;
    for (const part of wanting?.standing.byNode.filter(isBond) ?? []) {
      const isMet =
        party.some(({ group }) => group !== wanting && isSelectedBy(group, part)) ||
        (part.selected && mayBegin?.(part.rule) === true);
      if (isMet) continue;
      const found = portions.find(
        (portion) =>
          portion.left > 0 &&
          portion.group !== wanting &&
          isSelectedBy(portion.group, part) &&
          mayShare(onceEach([...party, portion]), { mayBegin: () => true }),
      );
      if (!found) return undefined;
      party.push({ ...found, left: 1 });
    }
  }
  const needed = party.toReversed();
  const inParty = new Set(needed.map(({ group }) => group));
  const followers = portions.filter(
    ({ group }) =>
      !inParty.has(group) &&
      group.standing.byNode.some(
        (part) => isBond(part) && needed.some((each) => isSelectedBy(each.group, part)),
      ),
  );
  return [...needed, ...followers];
}

const isSelectedBy = ({ standing }: PodGroup, { rule }: Part): boolean =>
  standing.byNode.some((part) => part.rule === rule && part.selected);

const onceEach = (party: readonly Portion[]): ReadonlyMap<PodGroup, number> =>
  new Map(party.map(({ group }) => [group, 1]));

/**
 * A node for a party, on the type that holds most of it, and of those the cheapest; topped up with
 * what else of `portions` belongs on it. Undefined where not one pod of each needed kind fits.
 *
 * Cost: instance types × party, then as topUp.
 */
export function openTogether(
  party: readonly Portion[],
  portions: readonly Portion[],
  ledger: Ledger,
  context: OpenContext,
): NodeClaimDraft | undefined {
  for (const source of context.sources) {
    const seatedBest = bestSeats(party, source, { ledger, context });
    if (!seatedBest) continue;
    const fillers = withoutHeavierHome(portions, source, { ledger, context });
    const costOf = costIn(source, { ledger, context });
    return onBestHolder(
      topUp(seatedBest, lineUp(fillers, context.axes, context.prices), context),
      costOf,
    );
  }
  return undefined;
}

/** The party on the source's type that holds most of it, and of those the cheapest. */
function bestSeats(
  party: readonly Portion[],
  source: Source,
  { ledger, context }: Around,
): NodeClaimDraft | undefined {
  const admission = admissionOf(party, source, context);
  if (!admission) return undefined;
  const costOf = costIn(source, { ledger, context });
  const allowance = allowanceIn(ledger, source.nodePool);
  const seats = [...admission.choices.values()]
    .filter((choice) => allows(allowance, choice))
    .sort((a, b) => costOf(a) - costOf(b) || byPrice(a, b))
    .map((choice) => seated(openDraft(admission, choice, allowance), party, context));
  return seats.reduce(
    (best, each) => (each && (!best || heldBy(each) > heldBy(best)) ? each : best),
    undefined,
  );
}

const heldBy = ({ counts }: NodeClaimDraft): number =>
  [...counts.values()].reduce((sum, count) => sum + count, 0);

/** What the source gives outside reservations to all that the first of the party need. */
function admissionOf(
  party: readonly Portion[],
  source: Source,
  { admissions }: OpenContext,
): Admission | undefined {
  const open = admissions.open(source);
  const market = isRejection(open) ? open : admissions.unreserved(open);
  if (isRejection(market)) return undefined;
  let admission: Admission = market;
  for (const { asks } of party) {
    const narrower = asks
      .map((ask) => admissions.narrow(admission, ask))
      .find((each): each is Admission => !isRejection(each));
    if (!narrower) break;
    admission = narrower;
  }
  return admission;
}

/** The draft with one pod of each kind, in their order, then with as many more as go in. */
function seated(
  draft: NodeClaimDraft,
  party: readonly Portion[],
  context: OpenContext,
): NodeClaimDraft | undefined {
  let held: NodeClaimDraft | undefined = draft;
  const [first] = party;
  for (const { group, asks } of party) {
    const joined: NodeClaimDraft | undefined = joinDraft(held, group, asks, {
      most: 1,
      ...context,
    });
    if (!joined && group === first?.group) return undefined;
    held = joined ?? held;
  }
  for (const { group, asks, left } of party) {
    const most: number = left - (held.counts.get(group) ?? 0);
    held = joinDraft(held, group, asks, { most, ...context }) ?? held;
  }
  return held;
}
