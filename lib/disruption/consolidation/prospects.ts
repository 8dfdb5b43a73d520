import { compareText } from '#lib/constraints/order.ts';
import { DRIFTED } from '#lib/model/condition-types.ts';
import { isTrue } from '#lib/model/conditions.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { type Host, hostsOf } from '#lib/solver/hosts/hosts.ts';
import { isUninitialized } from '#lib/solver/simulation.ts';
import { NOTHING_LIMITED } from '#lib/solver/volumes/volume-usage.ts';
import type { Bench } from './bench.ts';
import type { Source } from './eligible.ts';
import { dearestFirst, type Prospect, wasteOf } from './prospect.ts';
import { movedPods } from './world.ts';

/** A node as the search sees it. */
export function prospectOf(source: Source, { maker, prices }: Bench, snapshot: Snapshot): Prospect {
  const movers = movedPods([source.candidate], snapshot)
    .map(maker.moverOf)
    .sort(dearestFirst(prices));
  return {
    source,
    movers,
    worth: movers.reduce((sum, { kind }) => sum + prices.worth(kind.amounts), 0),
    isDue: isDue(source, snapshot.takenAt),
  };
}

const NEAR_MS = 86_400_000;

/** Whether a node will be renewed soon anyway, or does not serve. */
function isDue({ candidate: { node, claim } }: Source, now: number): boolean {
  if (node.ready?.status !== 'True' || isTrue(claim.status.conditions, DRIFTED)) return true;
  const { expireAfter } = claim.spec;
  return expireAfter !== 'Never' && claim.meta.createdAt + expireAfter - now < NEAR_MS;
}

/** The nodes that pods may move to: those that stay anyway first, then those that waste least. */
export function placesIn(
  snapshot: Snapshot,
  { ground, going, promised }: Bench,
  prospects: readonly Prospect[],
): readonly Host[] {
  const waste = new Map(prospects.map((each) => [each.source.name, wasteOf(each)]));
  const wasteAt = ({ name }: Host): number => waste.get(name) ?? Number.NEGATIVE_INFINITY;
  const daemonsCounted = { ...snapshot, daemonSets: ground.daemonSets };
  return hostsOf(daemonsCounted, promised, ground.axes, { ...NOTHING_LIMITED, memo: ground.hosts })
    .filter(({ name, stateNode }) => !going.has(name) && !isUninitialized(stateNode))
    .sort((a, b) => order(wasteAt(a), wasteAt(b)) || compareText(a.name, b.name));
}

const order = (a: number, b: number): number => (a < b ? -1 : Number(a > b));
