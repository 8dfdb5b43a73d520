import { compareText } from '#lib/constraints/order.ts';
import { isRejection } from '#lib/constraints/rejection.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import { type Admission, admissionsFor, type Choice } from '../admission.ts';
import { timesThatFit } from '../amounts.ts';
import type { PodGroup } from '../pods/pod-groups.ts';
import type { Source } from '../sources.ts';
import { type Company, mostBeside } from '../topology/node-rules.ts';
import { byPrice, choicesByPrice } from './by-price.ts';
import {
  holdersOf,
  isHolder,
  joinDraft,
  type NodeClaimDraft,
  offersEnough,
  openDraft,
  requirementsOfDraft,
} from './draft.ts';
import { type FillContext, fillDraft } from './fill.ts';
import { allowanceIn, type Ledger, tightAllowanceIn } from './ledger.ts';
import { allows, shareOf } from './limits.ts';
import { type Lineup, lineUp, type Portion } from './lineup.ts';
import { lowerMinimums, unmetMinimums } from './min-values.ts';
import type { Queue } from './queue.ts';
import { costInDollars, FREE_USD_PER_HOUR, type Shapes } from './shapes.ts';
import { bestTrial } from './trials.ts';

/** What opening a node needs to know beside the pods. */
export interface OpenContext extends FillContext {
  /** Heaviest first. */
  readonly sources: readonly Source[];
  readonly minValuesPolicy: ClusterSettings['minValuesPolicy'];
  /** Whose nodes are opened first: those of the dearest pods, or of those that few may share. */
  readonly first: 'dearest' | 'hardest';
  readonly shapes: Shapes;
  /** Hears of groups that have got a place. */
  readonly settle: (group: PodGroup) => void;
}

/**
 * The best new node for a pod of `seed`, filled with what else of the queue belongs on it; or
 * undefined where no NodePool can give one. The heaviest NodePools that can have the say. Among
 * those of one weight, all ways to meet the pod's demands and all instance types, it is the one on
 * which a dollar carries most, measured by what its pods are worth; the first of equals.
 *
 * A reservation with instances left goes first: it is paid for already.
 *
 * Cost: instance types, plus portions for each shape that is tried.
 */
export function openBest(
  seed: Portion,
  queue: Queue,
  ledger: Ledger,
  context: OpenContext,
): NodeClaimDraft | undefined {
  if (mostBeside(seed.group, NO_COMPANY, context) < 1) return undefined;
  const byWeight = Map.groupBy(context.sources, ({ nodePool }) => nodePool.weight);
  for (const sources of byWeight.values()) {
    const ways = waysInto(sources, seed, queue, { ledger, context });
    const reserved = firstOf(ways, (way) => fromReservation(way, seed, { ledger, context }));
    if (reserved) return reserved;
    const drafts = ways.flatMap((way) => fromMarket(way, seed, { ledger, context }) ?? []);
    const [first, ...others] = drafts;
    // Shares of what limits leave say nothing across NodePools.
    if (first && context.economy === 'limits') return first;
    const yieldOf = (draft: NodeClaimDraft): number =>
      carried(draft, context) / Math.max(draft.usdPerHour, FREE_USD_PER_HOUR);
    if (first) {
      return others.reduce((best, each) => (yieldOf(each) > yieldOf(best) ? each : best), first);
    }
  }
  return undefined;
}

const NO_COMPANY: Company = new Map();

/** One way to meet a pod's demands in one NodePool, and who else may go on such a node. */
interface Way {
  readonly admission: Admission;
  readonly fillers: Lineup;
}

const waysInto = (
  sources: readonly Source[],
  seed: Portion,
  { portions, lineup }: Queue,
  around: Around,
): readonly Way[] => {
  const { admissions: known, axes, prices } = around.context;
  return sources.flatMap((source) => {
    const admissions = admissionsFor(source, seed.asks, known).filter((each) =>
      hasShape(each, seed, around.ledger),
    );
    if (admissions.length === 0) return [];
    const welcome = withoutHeavierHome(portions, source, around);
    const fillers = welcome === portions ? lineup() : lineUp(welcome, axes, prices);
    return admissions.map((admission) => ({ admission, fillers }));
  });
};

function firstOf<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What is left of things that run out, and everything that does not change. */
export interface Around {
  readonly ledger: Ledger;
  readonly context: OpenContext;
}

/**
 * The portions that may fill a node of `source`: a heavier NodePool that could make a node for a
 * pod goes first, even where there is room for the pod here.
 */
export function withoutHeavierHome(
  portions: readonly Portion[],
  source: Source,
  around: Around,
): readonly Portion[] {
  const heavier = around.context.sources.filter(
    ({ nodePool }) => nodePool.weight > source.nodePool.weight,
  );
  if (heavier.length === 0) return portions;
  return portions.filter((portion) => !heavier.some((each) => isHome(each, portion, around)));
}

/** Whether a NodePool could make a node for one pod alone. */
function isHome(source: Source, portion: Portion, { ledger, context }: Around): boolean {
  const isStrict = source.hasMinValues && context.minValuesPolicy === 'Strict';
  return admissionsFor(source, portion.asks, context.admissions).some((admission) => {
    const [any] = admission.choices.values();
    if (!any) return false;
    const alone = withOne(openDraft(admission, any, tightAllowanceIn(ledger, source)), portion);
    if (isStrict) return offersEnough(alone);
    for (const choice of admission.choices.values()) if (isHolder(alone, choice)) return true;
    return false;
  });
}

/** An empty draft as though one pod were on it. */
const withOne = (draft: NodeClaimDraft, { group }: Portion): NodeClaimDraft => ({
  ...draft,
  used: group.amounts,
  hostPorts: group.hostPorts,
  counts: new Map([[group, 1]]),
});

/** The reserved node on which most is carried; price has no say. */
function fromReservation(
  { admission, fillers }: Way,
  seed: Portion,
  { ledger, context }: Around,
): NodeClaimDraft | undefined {
  const filled = [...ledger.reservations]
    .filter(([, left]) => left > 0)
    .map(([reservationId]) => reservationId)
    .sort(compareText)
    .flatMap((reservationId) => {
      const inside = context.admissions.reserved(admission, reservationId);
      if (isRejection(inside)) return [];
      return shapesFor(inside, seed, ledger).flatMap((choice) => {
        const empty = emptyDraft(inside, choice, seed, { ledger, context });
        return fillDraft({ ...empty, reservationId }, seed, fillers, context) ?? [];
      });
    });
  const [first, ...others] = filled;
  return others.reduce(
    (best, each) => (best && carried(each, context) > carried(best, context) ? each : best),
    first,
  );
}

function fromMarket(
  { admission, fillers }: Way,
  seed: Portion,
  { ledger, context }: Around,
): NodeClaimDraft | undefined {
  const market = context.admissions.unreserved(admission);
  if (isRejection(market)) return undefined;
  const costOf = costIn(admission.source, { ledger, context });
  const next = context.shapes(market, {
    least: seed.group.amounts,
    total: fillers.total,
    allowance: tightAllowanceIn(ledger, admission.source),
    costOf: context.economy === 'dollars' ? undefined : costOf,
  });
  const best = bestTrial(next, {
    fill: (choice) =>
      fillDraft(emptyDraft(market, choice, seed, { ledger, context }), seed, fillers, context),
    worthOf: (draft) => carried(draft, context),
    costOf,
    boost: context.prices.boost,
  });
  return best && onBestHolder(best, costOf);
}

/** The types that hold one pod of `seed` and that limits allow. */
const shapesFor = (admission: Admission, seed: Portion, ledger: Ledger): readonly Choice[] =>
  [...admission.choices.values()].filter(isShape(admission, seed, ledger));

/** Whether there is such a type. */
function hasShape(admission: Admission, seed: Portion, ledger: Ledger): boolean {
  const isOne = isShape(admission, seed, ledger);
  for (const choice of admission.choices.values()) if (isOne(choice)) return true;
  return false;
}

function isShape(
  { source }: Admission,
  { group }: Portion,
  ledger: Ledger,
): (choice: Choice) => boolean {
  const allowance = tightAllowanceIn(ledger, source);
  return (choice) =>
    allows(allowance, choice) &&
    timesThatFit(choice.sourceType.roomAmounts, [], group.amounts) >= 1;
}

/** What a node costs in the economy at hand; never 0. */
export function costIn(
  { nodePool }: Source,
  { ledger, context }: Around,
): (choice: Choice) => number {
  const allowance = allowanceIn(ledger, nodePool);
  if (context.economy === 'dollars' || !allowance) return costInDollars;
  return (choice) => shareOf(choice, allowance) + choice.usdPerHour * TIE_BREAKING_SHARE;
}

/** Of nodes that take the same share of limits, the cheaper one. */
const TIE_BREAKING_SHARE = 1e-6;

/** What the pods on a draft are worth. */
function carried({ counts }: NodeClaimDraft, { prices }: OpenContext): number {
  let sum = 0;
  counts.forEach((count, group) => {
    sum += prices.valueOf(group) * count;
  });
  return sum;
}

/** The draft in the shape that costs least of all that hold what it holds. */
export function onBestHolder(
  draft: NodeClaimDraft,
  costOf: (choice: Choice) => number,
): NodeClaimDraft {
  let [shape, cost] = [draft.shape, costOf(draft.shape)];
  for (const choice of choicesByPrice(draft.admission)) {
    const other = costOf(choice);
    if (costOf === costInDollars && other > cost) break;
    const isBetter = other < cost || (other === cost && byPrice(choice, shape) < 0);
    if (isBetter && isHolder(draft, choice)) [shape, cost] = [choice, other];
  }
  return { ...draft, shape, usdPerHour: shape.usdPerHour };
}

/**
 * An empty draft; where minimums cannot be met for `seed` even alone and the policy lets them,
 * they are lowered to what there is.
 *
 * Source: karpenter v1.14, provisioning/scheduling/nodeclaim.go, MinValuesPolicyBestEffort.
 */
function emptyDraft(
  admission: Admission,
  shape: Choice,
  seed: Portion,
  { ledger, context }: Around,
): NodeClaimDraft {
  const draft = openDraft(admission, shape, tightAllowanceIn(ledger, admission.source));
  if (!admission.source.hasMinValues || context.minValuesPolicy === 'Strict') return draft;
  const alone = withOne(draft, seed);
  const types = holdersOf(alone).map(({ sourceType }) => sourceType);
  const unmet = unmetMinimums(types, requirementsOfDraft(alone));
  if (unmet.length === 0) return draft;
  return { ...draft, lowered: lowerMinimums(admission.requirements, unmet) };
}

/** The first of `drafts` that a pod of `portion` can join without a dearer node; or undefined. */
export function joinFirst(
  drafts: readonly NodeClaimDraft[],
  portion: Portion,
  around: Around,
): { readonly at: number; readonly joined: NodeClaimDraft } | undefined {
  const { admissions } = around.context;
  for (const [at, draft] of drafts.entries()) {
    if (withoutHeavierHome([portion], draft.admission.source, around).length === 0) continue;
    const joined = joinDraft(draft, portion.group, portion.asks, {
      most: portion.left,
      admissions,
      mayBegin: around.context.mayBegin,
    });
    if (joined) return { at, joined };
  }
  return undefined;
}
