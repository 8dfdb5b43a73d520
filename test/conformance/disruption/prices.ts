/** What a plan says it saves, worked out again from the catalogue. */
import type { Offering } from '#lib/model/instance-type.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { Plan, PlannedNodeClaim } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { allows, CAPACITY_TYPE, INSTANCE_TYPE, RESERVATION, ZONE } from '../soundness/rules.ts';

/** Commands that do not save what they say, or might cost more than they take away. */
export function priceProblems(snapshot: Snapshot, plan: Plan): readonly string[] {
  const nodes = new Map(snapshot.nodes.map((state) => [state.name, state]));
  const claims = new Map(plan.nodeClaims.map((claim) => [claim.name, claim]));
  return plan.commands.flatMap(({ reason, remove, replaceWith, savesUsdPerHour }) => {
    const before = sum(remove.map((name) => priceOf(nodes.get(name), snapshot)));
    const made = replaceWith.flatMap((name) => claims.get(name) ?? []);
    const after = sum(made.map(({ usdPerHour }) => usdPerHour));
    const worst = sum(made.map((claim) => worstOf(claim, snapshot)));
    const problems: string[] = [];
    const named = remove.join(', ');
    if (Math.abs(before - after - savesUsdPerHour) > 1e-6) {
      problems.push(`${named}: saves ${before - after}, not ${savesUsdPerHour}`);
    }
    if (reason === 'Underutilized' && !(worst < before)) {
      problems.push(`${named}: may cost ${worst} in place of ${before}`);
    }
    return [...problems, ...spotProblems(remove, made, { nodes, snapshot })];
  });
}

const sum = (prices: readonly number[]): number => prices.reduce((all, price) => all + price, 0);

const typesOf = ({ catalog }: Snapshot) => [...catalog.byNodeClass.values()].flat();

const labelsOf = (state: StateNode | undefined) => ({
  ...state?.claim?.meta.labels,
  ...state?.node?.meta.labels,
});

function priceOf(state: StateNode | undefined, snapshot: Snapshot): number {
  const labels = labelsOf(state);
  const type = typesOf(snapshot).find(({ name }) => name === labels[INSTANCE_TYPE]);
  const offering = type?.offerings.find(
    ({ zone, capacityType }) => zone === labels[ZONE] && capacityType === labels[CAPACITY_TYPE],
  );
  return offering?.usdPerHour ?? 0;
}

/** What the dearest launch costs that EC2 could answer with, over all listed types. */
function worstOf(claim: PlannedNodeClaim, snapshot: Snapshot): number {
  const listed = typesOf(snapshot).filter(({ name }) => claim.instanceTypes.includes(name));
  const worst = listed.map(({ offerings }) => {
    const possible = offerings.filter((each) => each.available && isAdmitted(each, claim));
    for (const kind of ['reserved', 'spot', 'on-demand']) {
      const own = possible.filter(({ capacityType }) => capacityType === kind);
      if (own.length > 0) return Math.max(...own.map(({ usdPerHour }) => usdPerHour));
    }
    return 0;
  });
  return Math.max(0, ...worst);
}

const isAdmitted = (
  { zone, capacityType, reservationId }: Offering,
  { requirements }: PlannedNodeClaim,
): boolean =>
  requirements.every(({ key, operator, values = [] }) => {
    if (key === ZONE) return allows(operator, values, zone);
    if (key === CAPACITY_TYPE) return allows(operator, values, capacityType);
    return key === RESERVATION ? allows(operator, values, reservationId) : true;
  });

function spotProblems(
  remove: readonly string[],
  made: readonly PlannedNodeClaim[],
  {
    nodes,
    snapshot,
  }: { readonly nodes: ReadonlyMap<string, StateNode>; readonly snapshot: Snapshot },
): readonly string[] {
  const areSpot = remove.every((name) => labelsOf(nodes.get(name))[CAPACITY_TYPE] === 'spot');
  const isOpen = snapshot.settings.featureGates?.includes('SpotToSpotConsolidation') ?? false;
  if (!areSpot) return [];
  return made
    .filter(({ cheapest }) => cheapest.capacityType === 'spot')
    .flatMap(({ name, instanceTypes }) =>
      isOpen && instanceTypes.length >= 15 ? [] : [`${name} replaces spot by spot`],
    );
}
