import type { Resources } from '#lib/constraints/resources.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { NodeClaimDraft } from './draft.ts';
import type { HostPacking } from './host-packing.ts';
import { allowanceIn, charged, chargeOf, type Ledger, reserved } from './ledger.ts';
import { chargeFor, nodesAllowed } from './limits.ts';
import { joinFirst, type OpenContext, openBest } from './open.ts';
import type { PodGroup } from './pod-groups.ts';
import { listTypes, type SealedClaim, sealDraft } from './seal.ts';
import { canYield, portionOf, take, type Waiting, yieldWish } from './waiting.ts';

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
  readonly ledger: Ledger;
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
  context: OpenContext,
): NewNodes {
  const { worthOf } = context.prices;
  const dearestFirst = [...waiting].sort((a, b) => worthOf(b.group) - worthOf(a.group));
  const byGroup = new Map(waiting.map((each) => [each.group, each]));
  const planned: Planned[] = [];
  let ledger = opening;
  for (const seed of dearestFirst) {
    while (seed.left.length > 0) {
      const portions = dearestFirst.filter(({ left }) => left.length > 0).map(portionOf);
      const draft = openBest(portionOf(seed), portions, ledger, context);
      if (draft) {
        const alike = copies(draft, byGroup, ledger);
        ledger = paidFor(alike, ledger);
        planned.push(...alike);
        continue;
      }
      if (!canYield(seed)) break;
      yieldWish(seed);
      onHosts.place(seed);
      joinPlanned(seed, planned, context);
    }
  }
  return sealAll(planned, ledger);
}

/** The draft as often as its pods, the limits and its reservation allow. */
function copies(
  draft: NodeClaimDraft,
  byGroup: ReadonlyMap<PodGroup, Waiting>,
  ledger: Ledger,
): readonly Planned[] {
  const { source } = draft.admission;
  const allowance = allowanceIn(ledger, source.nodePool);
  const charge = allowance && chargeAtOpening(draft, allowance);
  // Minimums may only be met by types that a second node could no longer list.
  let times = allowance && source.hasMinValues ? 1 : Number.POSITIVE_INFINITY;
  times = Math.min(times, nodesAllowed(allowance, draft.shape.sourceType.type));
  if (draft.reservationId !== undefined) {
    times = Math.min(times, ledger.reservations.get(draft.reservationId) ?? 0);
  }
  for (const [group, count] of draft.counts) {
    times = Math.min(times, Math.floor((byGroup.get(group)?.left.length ?? 0) / count));
  }
  return Array.from({ length: Math.max(1, times) }, () => ({
    draft: charge && source.hasMinValues ? { ...draft, allowance: charge } : draft,
    pods: [...draft.counts].flatMap(([group, count]) => {
      const members = byGroup.get(group);
      return members ? take(members, count) : [];
    }),
    ...(charge && { charge }),
  }));
}

const chargeAtOpening = (draft: NodeClaimDraft, allowance: Resources): Resources =>
  draft.admission.source.hasMinValues
    ? chargeOf(listTypes(draft), allowance)
    : chargeFor(draft.shape.sourceType.type.capacity, allowance);

function paidFor(alike: readonly Planned[], ledger: Ledger): Ledger {
  const [first] = alike;
  if (!first) return ledger;
  const { draft, charge } = first;
  const paid = charge ? charged(ledger, draft.admission.source.name, charge, alike.length) : ledger;
  return draft.reservationId === undefined
    ? paid
    : reserved(paid, draft.reservationId, alike.length);
}

/** Puts pods that have given up a wish on nodes that are planned already. */
function joinPlanned(seed: Waiting, planned: Planned[], context: OpenContext): void {
  for (;;) {
    if (seed.left.length === 0) return;
    const drafts = planned.map(({ draft }) => draft);
    const found = joinFirst(drafts, portionOf(seed), context);
    const known = found && planned[found.at];
    if (!found || !known) return;
    const before = known.draft.counts.get(seed.group) ?? 0;
    const more = (found.joined.counts.get(seed.group) ?? 0) - before;
    const pods = [...known.pods, ...take(seed, more)];
    planned[found.at] = { ...known, draft: found.joined, pods };
  }
}

/** What limits leave over in the end goes, plan by plan, to listing larger types as well. */
function sealAll(planned: readonly Planned[], ledger: Ledger): NewNodes {
  const claims: SealedClaim[] = [];
  let left = ledger;
  for (const { draft, pods, charge } of planned) {
    const { nodePool } = draft.admission.source;
    const rest = charge && allowanceIn(left, nodePool);
    if (!rest) {
      claims.push(sealDraft(draft, pods, listTypes(draft)));
      continue;
    }
    const returned = charged(left, nodePool.meta.name, charge, -1);
    const allowance = allowanceIn(returned, nodePool);
    const listed = listTypes({ ...draft, allowance });
    claims.push(sealDraft(draft, pods, listed));
    left = charged(returned, nodePool.meta.name, chargeOf(listed, rest), 1);
  }
  return { claims, ledger: left };
}
