import { firstPortConflict } from '#lib/constraints/host-ports.ts';
import { compareText } from '#lib/constraints/order.ts';
import { addResources, type Resources, subtractResources } from '#lib/constraints/resources.ts';
import { type Amounts, type Axes, amountsOf } from '#lib/solver/amounts.ts';
import { accepts, type Host } from '#lib/solver/hosts/hosts.ts';
import type { SealedClaim } from '#lib/solver/opening/seal.ts';
import { pricedTypes } from './certain-price.ts';
import type { Mover, MoverKind } from './movers.ts';

/** A node as kube-scheduler weighs it: what it has, and what is left. */
export interface LandingPlace {
  readonly host: Pick<Host, 'name' | 'labels' | 'taints' | 'hostPorts'>;
  readonly has: Amounts;
  readonly free: Amounts;
}

/**
 * The pods that may be left without room when others land elsewhere than planned, for each of three
 * orders in which they may come: as listed, largest first, smallest first. Pods that are evicted are
 * placed by kube-scheduler, which gives each to the node that has most left and knows no
 * plan. Domains, volumes and pods that shun each other are not regarded.
 *
 * Source: kube-scheduler v1.36, NodeResourcesFit with LeastAllocated.
 * Cost: movers × places, three times.
 */
export function leftOut(
  movers: readonly Mover[],
  places: readonly LandingPlace[],
  axes: Axes,
): readonly (readonly Mover[])[] {
  const size = sizeAmong(places, axes);
  const bySize = movers.toSorted(
    (a, b) =>
      size(b.kind.amounts) - size(a.kind.amounts) || compareText(a.pod.meta.uid, b.pod.meta.uid),
  );
  return [movers, bySize, bySize.toReversed()].map((order) => landed(order, places, axes));
}

/** The node that a replacement will be if it is launched as the cheapest that it may be. */
export function landingPlaceOf(claim: SealedClaim, name: string, axes: Axes): LandingPlace {
  const { source, requirements, requests, pods } = claim;
  const asked = pods.reduce<Resources>((sum, pod) => addResources(sum, pod.requests), {});
  const daemons = subtractResources(requests, asked);
  const allocatable = pricedTypes(claim)[0]?.sourceType.type.allocatable ?? {};
  const { taints } = source.nodePool.template;
  return {
    host: { name, labels: [requirements], taints, hostPorts: [] },
    has: amountsOf(allocatable, axes),
    free: amountsOf(subtractResources(allocatable, daemons), axes),
  };
}

/** How large a pod is: its largest share of what all places have. */
function sizeAmong(places: readonly LandingPlace[], axes: Axes): (amounts: Amounts) => number {
  const total = axes.map((_, axis) => places.reduce((sum, { has }) => sum + (has[axis] ?? 0), 0));
  return (amounts) =>
    Math.max(...amounts.map((amount, axis) => (amount === 0 ? 0 : amount / (total[axis] || 1))));
}

function landed(
  movers: readonly Mover[],
  places: readonly LandingPlace[],
  axes: Axes,
): readonly Mover[] {
  const scored = [axes.indexOf('cpu'), axes.indexOf('memory')].filter((axis) => axis >= 0);
  const free = places.map((place) => [...place.free]);
  const scores = new Map<MoverKind, number[]>();
  const scoreOf = (kind: MoverKind, at: number): number => {
    const place = places[at];
    return place ? scoreOn(place, free[at] ?? [], { kind, scored }) : Number.NEGATIVE_INFINITY;
  };
  const put = (kind: MoverKind, at: number, room: number[]): void => {
    for (const [axis, amount] of kind.amounts.entries()) room[axis] = (room[axis] ?? 0) - amount;
    for (const [each, list] of scores) {
      // A host port is taken once.
      const isTaken = each === kind && kind.hostPorts.length > 0;
      list[at] = isTaken ? Number.NEGATIVE_INFINITY : scoreOf(each, at);
    }
  };
  return movers.filter(({ kind }) => {
    const ofKind = scores.get(kind) ?? places.map((_, at) => scoreOf(kind, at));
    scores.set(kind, ofKind);
    const best = indexOfLargest(ofKind);
    const room = free[best];
    if (room) put(kind, best, room);
    return room === undefined;
  });
}

/** The index of the largest number that is finite; -1 where there is none. */
function indexOfLargest(numbers: readonly number[]): number {
  let best = -1;
  let most = Number.NEGATIVE_INFINITY;
  for (const [at, number] of numbers.entries()) if (number > most) [best, most] = [at, number];
  return best;
}

/** The share that is left with the pod on it; minus infinity where it does not fit. */
function scoreOn(
  { host, has }: LandingPlace,
  free: readonly number[],
  { kind, scored }: { readonly kind: MoverKind; readonly scored: readonly number[] },
): number {
  const { amounts, asks, hostPorts } = kind;
  for (let axis = 0; axis < amounts.length; axis++) {
    const asked = amounts[axis] ?? 0;
    if (asked > 0 && asked > (free[axis] ?? 0)) return Number.NEGATIVE_INFINITY;
  }
  const isWelcome =
    asks.some((ask) => accepts(host, ask)) && !firstPortConflict(hostPorts, host.hostPorts);
  if (!isWelcome) return Number.NEGATIVE_INFINITY;
  return scored.reduce(
    (sum, axis) => sum + ((free[axis] ?? 0) - (amounts[axis] ?? 0)) / (has[axis] || 1),
    0,
  );
}
