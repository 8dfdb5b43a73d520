import type { Resources } from '#lib/constraints/resources.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Choice } from '../admission.ts';
import type { HostPacking } from '../hosts/host-packing.ts';
import type { PodGroup } from '../pods/pod-groups.ts';
import { portionOf, take, type Waiting, yieldWish } from '../pods/waiting.ts';
import { closeDraft } from './close.ts';
import type { NodeClaimDraft } from './draft.ts';
import { isGathering, isServed, openTogether, partyOf, servedBy, wantsCompany } from './gather.ts';
import { leastCharge } from './least-charge.ts';
import { allowanceIn, charged, chargeOf, type Ledger, reserved } from './ledger.ts';
import { nodesAllowed } from './limits.ts';
import { joinFirst, type OpenContext, openBest, withoutHeavierHome } from './open.ts';
import { openPortions, type Queue, queueOf, withoutTaken } from './queue.ts';
import { createSealer, createTypeLister, type SealedClaim } from './seal.ts';
import { createShapes } from './shapes.ts';

/** A draft, the very pods that go on it, and what it has been counted as against limits. */
interface Planned {
  readonly draft: NodeClaimDraft;
  readonly pods: readonly Pod[];
  /** Absent where the NodePool has no limits. */
  readonly charge?: Resources;
}

/** New nodes, and what is left of limits and reservations. */
export interface NewNodes {
  readonly claims: readonly SealedClaim[];
  /** What the claims were sealed from, in their order. */
  readonly drafts: readonly NodeClaimDraft[];
  readonly ledger: Ledger;
}

/** A plan so far. */
interface Course {
  readonly planned: readonly Planned[];
  readonly ledger: Ledger;
  readonly usdPerHour: number;
  /** Of a plan that was closed early: the groups it closes with, and what they had given up. */
  readonly yielded: ReadonlyMap<PodGroup, Waiting['yielded']>;
}

/**
 * New nodes for all that waits, the dearest pods first. Pods for which no node can be opened give
 * up a wish and look again at everything that is there; once none is left they stay in `waiting`.
 *
 * Cost: for each kind of node that is opened, the instance types and the portions of each shape
 * that is tried. Nodes that come out alike are planned in one go.
 */
export function packNewNodes(
  waiting: readonly Waiting[],
  onHosts: HostPacking,
  opening: Ledger,
  around: Omit<OpenContext, 'shapes'>,
): NewNodes {
  const context = { ...around, shapes: createShapes(around.prices) };
  const inOrder = inOrderOfOpening(waiting, context);
  const byGroup = new Map(waiting.map((each) => [each.group, each]));
  let course: Course = { planned: [], ledger: opening, usdPerHour: 0, yielded: new Map() };
  let closed: Course | undefined;
  course = gatherAll(inOrder, course, byGroup, context);
  let queue = queueOf(inOrder.flatMap(openPortions), context);
  for (;;) {
    const [first] = queue.portions;
    const seed = first && byGroup.get(first.group);
    if (!seed) break;
    const draft = openBest(first, queue, course.ledger, context);
    if (draft) {
      closed = cheaper(closed, closing(draft, queue, course, { byGroup, context }));
      course = extended(course, copies(draft, byGroup, course.ledger));
      for (const group of draft.counts.keys()) context.settle(group);
      queue = withoutTaken(queue, draft.counts, byGroup, context);
      continue;
    }
    const before = seed.left.length;
    yieldWish(seed);
    onHosts.place(seed, 'last');
    course = { ...course, planned: joinPlanned(seed, course, context) };
    // It was made for pods that have found another place by now.
    if (seed.left.length < before) closed = undefined;
    queue = queueOf([...openPortions(seed), ...queue.portions.slice(1)], context);
  }
  const best = better(course, closed, waiting);
  return sealAll(best.planned, best.ledger);
}

/** Where limits bind somebody goes without: the largest pods are served first, as upstream does. */
function inOrderOfOpening(
  waiting: readonly Waiting[],
  { prices, economy, first }: Pick<OpenContext, 'prices' | 'economy' | 'first'>,
): readonly Waiting[] {
  if (economy === 'limits') return waiting;
  const seats = ({ group }: Waiting): number =>
    first === 'hardest' && isHardToSeat(group) ? 1 : 0;
  return waiting.toSorted(
    (a, b) => seats(b) - seats(a) || prices.valueOf(b.group) - prices.valueOf(a.group),
  );
}

/** Of the plan to its end and the one that was closed early the one that places more, or for less. */
function better(course: Course, closed: Course | undefined, waiting: readonly Waiting[]): Course {
  const placesMore = waiting.some(
    ({ left, group }) => left.length > 0 && closed?.yielded.has(group),
  );
  if (!closed || (!placesMore && closed.usdPerHour >= course.usdPerHour)) return course;
  for (const each of waiting) {
    const yielded = closed.yielded.get(each.group);
    if (!yielded) continue;
    each.left = [];
    each.yielded = yielded;
  }
  return closed;
}

/** Whether only so many pods of a group may share a node: the others have room beside them. */
const isHardToSeat = ({ standing }: PodGroup): boolean =>
  standing.byNode.some(({ rule, owns }) => owns && rule.kind !== 'affinity');

/** The plan so far and one last node for all that is left, if there is such a node. */
function closing(
  draft: NodeClaimDraft,
  { portions, lineup }: Queue,
  course: Course,
  { byGroup, context }: { byGroup: ReadonlyMap<PodGroup, Waiting>; context: OpenContext },
): Course | undefined {
  const { source } = draft.admission;
  const mayClose = withoutHeavierHome(portions, source, { ledger: course.ledger, context });
  if (mayClose.length < portions.length) return undefined;
  const last = closeDraft(lineup(), source, course.ledger, context);
  if (!last) return undefined;
  const pods = portions.flatMap(({ group }) => byGroup.get(group)?.left ?? []);
  const yielded = new Map(
    portions.map(({ group }) => [group, byGroup.get(group)?.yielded ?? []] as const),
  );
  return { ...extended(course, [planned(last, pods, course.ledger)]), yielded };
}

const cheaper = (a: Course | undefined, b: Course | undefined): Course | undefined =>
  a && (!b || a.usdPerHour <= b.usdPerHour) ? a : b;

/** Nodes for pods that must share one, before anything else takes the room beside them. */
function gatherAll(
  inOrder: readonly Waiting[],
  start: Course,
  byGroup: ReadonlyMap<PodGroup, Waiting>,
  context: OpenContext,
): Course {
  const seeds = inOrder.filter(({ group }) => wantsCompany(group));
  if (seeds.length === 0) return start;
  let course = start;
  let portions = inOrder.flatMap(openPortions);
  const served = servedBy(portions);
  for (const seed of seeds.filter(({ group }) => isServed(group, served))) {
    while (seed.left.length > 0) {
      const party = partyOf(portionOf(seed), portions, context);
      const draft = party && openTogether(party, portions, course.ledger, context);
      if (!draft) break;
      course = extended(course, copies(draft, byGroup, course.ledger));
      for (const group of draft.counts.keys()) context.settle(group);
      portions = inOrder.flatMap(openPortions);
    }
  }
  return course;
}

/** The plan with nodes that are all alike. */
function extended(course: Course, alike: readonly Planned[]): Course {
  const usdPerHour = alike.reduce((sum, { draft }) => sum + draft.usdPerHour, course.usdPerHour);
  return {
    ...course,
    planned: [...course.planned, ...alike],
    ledger: paidFor(alike, course.ledger),
    usdPerHour,
  };
}

/** The draft as often as its pods, the limits and its reservation allow. */
function copies(
  draft: NodeClaimDraft,
  byGroup: ReadonlyMap<PodGroup, Waiting>,
  ledger: Ledger,
): readonly Planned[] {
  const { source } = draft.admission;
  const allowance = allowanceIn(ledger, source.nodePool);
  // Minimums may only be met by types that a second node could no longer list.
  let times = allowance && source.hasMinValues ? 1 : Number.POSITIVE_INFINITY;
  times = Math.min(times, nodesAllowed(allowance, draft.shape));
  if (draft.reservationId !== undefined) {
    times = Math.min(times, ledger.reservations.get(draft.reservationId) ?? 0);
  }
  if (isGathering(draft)) times = 1;
  for (const [group, count] of draft.counts) {
    times = Math.min(times, Math.floor((byGroup.get(group)?.left.length ?? 0) / count));
  }
  const length = Math.max(1, times);
  const members = [...draft.counts].map(([group, count]) => {
    const waiting = byGroup.get(group);
    return { count, pods: waiting ? take(waiting, count * length) : [] };
  });
  return Array.from({ length }, (_, copy) => {
    const pods = members.flatMap(({ count, pods: all }) =>
      all.slice(copy * count, (copy + 1) * count),
    );
    return planned(draft, pods, ledger);
  });
}

function planned(draft: NodeClaimDraft, pods: readonly Pod[], ledger: Ledger): Planned {
  const { source } = draft.admission;
  const allowance = allowanceIn(ledger, source.nodePool);
  if (!allowance) return { draft, pods };
  const charge = leastCharge(draft, allowance);
  return { draft: source.hasMinValues ? { ...draft, allowance: charge } : draft, pods, charge };
}

function paidFor(alike: readonly Planned[], ledger: Ledger): Ledger {
  const [first] = alike;
  if (!first) return ledger;
  const { draft, charge } = first;
  const paid = charge ? charged(ledger, draft.admission.source.name, charge, alike.length) : ledger;
  return draft.reservationId === undefined
    ? paid
    : reserved(paid, draft.reservationId, alike.length);
}

/** The plan with pods that have given up a wish put on nodes that are planned already. */
function joinPlanned(
  seed: Waiting,
  { planned: before, ledger }: Course,
  context: OpenContext,
): readonly Planned[] {
  const after = [...before];
  while (seed.left.length > 0) {
    const drafts = after.map(({ draft }) => draft);
    const found = joinFirst(drafts, portionOf(seed), { ledger, context });
    const known = found && after[found.at];
    if (!found || !known) break;
    const had = known.draft.counts.get(seed.group) ?? 0;
    const more = (found.joined.counts.get(seed.group) ?? 0) - had;
    const pods = [...known.pods, ...take(seed, more)];
    after[found.at] = { ...known, draft: found.joined, pods };
    context.settle(seed.group);
  }
  return after;
}

/** What limits leave over in the end goes, plan by plan, to listing larger types as well. */
function sealAll(nodes: readonly Planned[], ledger: Ledger): NewNodes {
  const claims: SealedClaim[] = [];
  const listTypes = createTypeLister();
  const seal = createSealer();
  const charges = new Map<readonly Choice[], Resources>();
  let left = ledger;
  for (const { draft, pods, charge } of nodes) {
    const { nodePool } = draft.admission.source;
    const rest = charge && allowanceIn(left, nodePool);
    if (!rest) {
      claims.push(seal(draft, pods, listTypes(draft)));
      continue;
    }
    const returned = charged(left, nodePool.meta.name, charge, -1);
    const allowance = allowanceIn(returned, nodePool);
    const listed = listTypes(draft, allowance);
    claims.push(seal(draft, pods, listed));
    const whole = charges.get(listed) ?? chargeOf(listed, rest);
    charges.set(listed, whole);
    left = charged(returned, nodePool.meta.name, whole, 1);
  }
  return { claims, drafts: nodes.map(({ draft }) => draft), ledger: left };
}
