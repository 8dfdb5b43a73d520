import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { type Admissions, admissionsFor, createAdmissions } from './admission.ts';
import { type Axes, timesThatFit } from './amounts.ts';
import type { Economy } from './fill.ts';
import { type HostPacking, packHosts } from './host-packing.ts';
import type { Host } from './hosts.ts';
import { type Ledger, openLedger } from './ledger.ts';
import { lowerBound } from './lower-bound.ts';
import { packNewNodes } from './new-nodes.ts';
import type { PodGroup } from './pod-groups.ts';
import { priceOut } from './prices.ts';
import type { SealedClaim } from './seal.ts';
import type { Source } from './sources.ts';
import { canYield, levelOf, type Waiting, waitingOf, yieldWish } from './waiting.ts';
import { type WishGivenUp, wishesGivenUp } from './wishes.ts';

/** Groups to place, and what there is to place them on. */
export interface PackProblem {
  readonly snapshot: Snapshot;
  readonly groups: readonly PodGroup[];
  readonly hosts: readonly Host[];
  readonly sources: readonly Source[];
  readonly axes: Axes;
  /** By pod uid: the host that was made for it. */
  readonly expected: ReadonlyMap<string, string>;
}

/** Where every pod of the groups went, and what is left of them and of everything else. */
export interface Packed {
  readonly placements: ReturnType<HostPacking['placements']>;
  readonly claims: readonly SealedClaim[];
  /** The groups of which some pods got no place. */
  readonly left: readonly Waiting[];
  readonly wishesGivenUp: readonly WishGivenUp[];
  readonly lowerBoundUsdPerHour: number;
  readonly admissions: Admissions;
  readonly ledger: Ledger;
}

/**
 * Packs groups onto hosts, then onto new nodes, for the fewest dollars. Where limits leave some
 * without a place, they are packed anew so that limits carry as far as they can, if that places
 * more.
 */
export function pack(problem: PackProblem): Packed {
  const cheapest = packFor('dollars', problem);
  if (cheapest.left.length === 0 || cheapest.ledger.allowances.size === 0) return cheapest;
  const densest = packFor('limits', problem);
  return servesMore(densest, cheapest, problem.groups) ? densest : cheapest;
}

/** Whether `a` leaves fewer pods than `b` of the first, largest, group in which they differ. */
function servesMore(a: Packed, b: Packed, groups: readonly PodGroup[]): boolean {
  const leftOf = ({ left }: Packed) =>
    new Map(left.map((waiting) => [waiting.group, waiting.left.length]));
  const [leftByA, leftByB] = [leftOf(a), leftOf(b)];
  const differs = groups.find((group) => leftByA.get(group) !== leftByB.get(group));
  return differs !== undefined && (leftByA.get(differs) ?? 0) < (leftByB.get(differs) ?? 0);
}

function packFor(economy: Economy, problem: PackProblem): Packed {
  const { snapshot, groups, hosts, sources, axes, expected } = problem;
  const admissions = createAdmissions();
  const onHosts = packHosts(hosts);
  const waiting = groups.map(waitingOf);
  for (const each of waiting) onHosts.placeExpected(each, expected);
  for (const each of waiting) placeOrYield(each, onHosts, sources, admissions);

  const demands = waiting
    .filter(({ left }) => left.length > 0)
    .map(({ group, left }) => ({ group, count: left.length }));
  const prices = priceOut(demands, sources, admissions);
  const opening = openLedger(sources, snapshot);
  const { claims, ledger } = packNewNodes(waiting, onHosts, opening, {
    axes,
    admissions,
    prices,
    sources,
    economy,
    minValuesPolicy: snapshot.settings.minValuesPolicy,
  });
  const groupOf = new Map(groups.flatMap((group) => group.pods.map((pod) => [pod, group])));
  return {
    placements: onHosts.placements(),
    claims,
    left: waiting.filter(({ left }) => left.length > 0),
    wishesGivenUp: wishesGivenUp(waiting),
    lowerBoundUsdPerHour: lowerBound({
      onNewNodes: countByGroup(claims, groupOf),
      hosts,
      sources,
      reservations: opening.reservations,
      prices,
      admissions,
    }),
    admissions,
    ledger,
  };
}

/** Wishes that neither a host nor any new node could fulfil are given up before packing begins. */
function placeOrYield(
  waiting: Waiting,
  onHosts: HostPacking,
  sources: readonly Source[],
  admissions: Admissions,
): void {
  onHosts.place(waiting);
  while (
    waiting.left.length > 0 &&
    canYield(waiting) &&
    !couldBeMade(waiting, sources, admissions)
  ) {
    yieldWish(waiting);
    onHosts.place(waiting);
  }
}

/** Whether some NodePool has a type for these pods, limits and reservations aside. */
function couldBeMade(
  waiting: Waiting,
  sources: readonly Source[],
  admissions: Admissions,
): boolean {
  const { amounts } = waiting.group;
  return sources
    .flatMap((source) => admissionsFor(source, levelOf(waiting).asks, admissions))
    .some(({ choices }) =>
      [...choices.values()].some(
        ({ sourceType }) => timesThatFit(sourceType.roomAmounts, [], amounts) > 0,
      ),
    );
}

function countByGroup(
  claims: readonly SealedClaim[],
  groupOf: ReadonlyMap<Pod, PodGroup>,
): readonly { readonly group: PodGroup; readonly count: number }[] {
  const counts = new Map<PodGroup, number>();
  for (const { pods } of claims) {
    for (const pod of pods) {
      const group = groupOf.get(pod);
      if (group) counts.set(group, (counts.get(group) ?? 0) + 1);
    }
  }
  return [...counts].map(([group, count]) => ({ group, count }));
}
