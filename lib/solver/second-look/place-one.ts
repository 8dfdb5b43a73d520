import type { Pod } from '#lib/model/pod.ts';
import { byPrice } from '../opening/by-price.ts';
import {
  holdersOf,
  joinDraft,
  type NodeClaimDraft,
  requirementsOfDraft,
} from '../opening/draft.ts';
import { unmetMinimums } from '../opening/min-values.ts';
import { withoutHeavierHome } from '../opening/open.ts';
import { type SealedClaim, sealDraft } from '../opening/seal.ts';
import type { Ask } from '../pods/ask.ts';
import type { PodGroup } from '../pods/pod-groups.ts';
import { asksBySingleCell, openNodeFor } from './new-node.ts';
import { addStand, admitsOn, type OpenPlan, spoils } from './open-plan.ts';
import { spotOfClaim, spotOfHost } from './stands.ts';

/**
 * Gives one more pod of a group a place, as if all others were bound by now, and returns the level
 * of its wishes at which it has it; undefined where there is none. Nodes that are there go first,
 * then those that are planned, then a new one.
 *
 * Cost: nodes, planned nodes, and the cells of the group, for each of its levels.
 */
export function placeOne(plan: OpenPlan, group: PodGroup, pod: Pod): number | undefined {
  for (const [level, { asks }] of group.levels.entries()) {
    if (asks.length === 0) continue;
    const isPlaced =
      onHost(plan, group, asks, pod) ||
      onPlanned(plan, group, level, pod) ||
      openNodeFor(plan, group, level, pod);
    if (isPlaced) return level;
  }
  return undefined;
}

function onHost(plan: OpenPlan, group: PodGroup, asks: readonly Ask[], pod: Pod): boolean {
  const { hosts, topology } = plan.problem;
  const { byDomain } = group.standing;
  const takers = hosts
    .filter((host) => plan.loads.roomFor(host, group, 'last') >= 1 && plan.welcomes(host, asks))
    .map((host) => spotOfHost(host, topology))
    .filter((spot) => admitsOn(plan, group, spot) && !spoils(plan, group, spot));
  const spot = takers.find(({ place }) => !plan.census.crowdsOthers(byDomain, place)) ?? takers[0];
  if (!spot) return false;
  plan.placements.push({ pod, host: spot.name });
  addStand(plan, { group, spot, count: 1 });
  return true;
}

/** As the nodes are planned; where a pod must be in one domain, also with all others given up. */
function onPlanned(plan: OpenPlan, group: PodGroup, level: number, pod: Pod): boolean {
  const asks = group.levels[level]?.asks ?? [];
  return (
    joinsPlanned(plan, group, asks, pod) ||
    asksBySingleCell(plan, group, level).some((each) => joinsPlanned(plan, group, each, pod))
  );
}

function joinsPlanned(plan: OpenPlan, group: PodGroup, asks: readonly Ask[], pod: Pod): boolean {
  const { context, ledger, claims, drafts } = plan;
  const portion = { group, asks, left: 1 };
  for (const [at, draft] of drafts.entries()) {
    const joined = joinDraft(draft, group, asks, { most: 1, ...context, mayCrowd: true });
    const before = claims[at];
    if (!joined || !before) continue;
    const { source } = draft.admission;
    if (withoutHeavierHome([portion], source, { ledger, context }).length === 0) continue;
    const claim = sealedAnew(joined, before, pod);
    const spot = claim && spotOfClaim(claim, at, plan.keys);
    if (!spot || !admitsOn(plan, group, spot) || spoils(plan, group, spot)) continue;
    claims[at] = claim;
    drafts[at] = joined;
    addStand(plan, { group, spot, count: 1 });
    return true;
  }
  return false;
}

/** The claim with one more pod; it lists no type that it did not list before: limits count those. */
function sealedAnew(
  draft: NodeClaimDraft,
  { instanceTypes, pods }: SealedClaim,
  pod: Pod,
): SealedClaim | undefined {
  const known = new Set(instanceTypes);
  const listed = holdersOf(draft)
    .filter(({ sourceType }) => known.has(sourceType.type.name))
    .sort(byPrice);
  const types = listed.map(({ sourceType }) => sourceType);
  if (types.length === 0 || unmetMinimums(types, requirementsOfDraft(draft)).length > 0) {
    return undefined;
  }
  return sealDraft(draft, [...pods, pod], listed);
}
