import type { AdmittedProblem, Packed } from '../attempt.ts';
import { emptyLoads, type HostLoads } from '../hosts/host-loads.ts';
import { createWelcome } from '../hosts/host-packing.ts';
import type { Host } from '../hosts/hosts.ts';
import type { NodeClaimDraft } from '../opening/draft.ts';
import type { Ledger } from '../opening/ledger.ts';
import type { OpenContext } from '../opening/open.ts';
import type { SealedClaim } from '../opening/seal.ts';
import { createShapes } from '../opening/shapes.ts';
import { type Ask, type LabelAsk, requiredAlternatives } from '../pods/ask.ts';
import type { PodGroup } from '../pods/pod-groups.ts';
import type { Prices } from '../prices/prices.ts';
import { createNarrowing, type Narrowing, permits } from '../topology/cells.ts';
import type { Census, Counting, Place } from '../topology/census.ts';
import { createOffers, type Offers } from '../topology/offer.ts';
import type { TopologyRule } from '../topology/rule.ts';
import { stuckAmong } from './binding-order.ts';
import { type Spot, type Stand, standsOf, topologyKeysOf } from './stands.ts';

/** A whole plan that takes more pods. It is changed in place as they come. */
export interface OpenPlan {
  readonly problem: AdmittedProblem;
  readonly context: OpenContext;
  readonly placements: Packed['placements'][number][];
  readonly claims: SealedClaim[];
  /** What the claims were sealed from, in their order. */
  readonly drafts: NodeClaimDraft[];
  ledger: Ledger;
  /** Who stands on which node. */
  readonly stands: Stand[];
  /** All of them, and all that run, as if nothing else were to come. */
  readonly census: Census;
  readonly loads: HostLoads;
  readonly settle: (group: PodGroup) => void;
  readonly welcomes: (host: Host, asks: readonly Ask[]) => boolean;
  /** The topology keys of all rules over domains. */
  readonly keys: readonly string[];
  readonly offers: Offers;
  readonly narrowing: Narrowing;
}

/** Opens a plan again. Cost: its pods. */
export function reopened(packed: Packed, problem: AdmittedProblem): OpenPlan {
  const { groups, topology, snapshot } = problem;
  const begun = new Set(topology.begun);
  const context: OpenContext = {
    ...problem,
    prices: ANY_PRICE,
    shapes: createShapes(ANY_PRICE),
    economy: 'dollars',
    first: 'dearest',
    minValuesPolicy: snapshot.settings.minValuesPolicy,
    mayBegin: (rule) => !begun.has(rule),
    settle: () => {},
  };
  const plan: OpenPlan = {
    problem,
    context,
    placements: [...packed.placements],
    claims: [...packed.claims],
    drafts: [...packed.drafts],
    ledger: packed.ledger,
    stands: [],
    census: topology.openCensus(new Set()),
    loads: emptyLoads(topology, context),
    settle: ({ standing }) => {
      for (const { rule, selected } of standing.byNode) if (selected) begun.add(rule);
    },
    welcomes: createWelcome(),
    keys: topologyKeysOf(groups),
    offers: createOffers(problem),
    narrowing: createNarrowing(),
  };
  for (const stand of standsOf(packed, problem)) addStand(plan, stand);
  return plan;
}

/** One pod alone has no dearer or cheaper company: the cheapest node is the best. */
const ANY_PRICE: Prices = {
  worthOf: () => 1,
  valueOf: () => 1,
  boost: 1,
  pricesAt: () => undefined,
  dearest: [],
};

/**
 * How pods count on a planned node, for spreads of pods that can go by one of several terms. Only
 * those compare less than where nodes could be made, and must see those that will be.
 */
const countingPlanned =
  ({ countingFor }: Spot) =>
  (rule: TopologyRule): Counting =>
    (rule.filter.alternatives?.length ?? 0) > 1 ? countingFor(rule) : 'never';

/** Whether a node more would make the spread of pods uneven that have a place by now. */
export const strands = ({ census }: OpenPlan, { standing }: PodGroup, spot: Spot): boolean =>
  census.strandsOwners(standing.byDomain, spot.place, countingPlanned(spot));

/** Takes note of pods that have come. */
export function addStand({ census, loads, settle, stands }: OpenPlan, stand: Stand): void {
  const { group, spot, count } = stand;
  if (!spot.host) census.addNode(spot.place, countingPlanned(spot));
  census.record(group.standing.byDomain, spot.place, count, spot.countingFor);
  if (spot.host) loads.add(spot.host, group, count);
  settle(group);
  stands.push(stand);
}

/**
 * Whether rules over domains let one more pod of a group in. Of several ways to meet its node
 * affinity it goes by one that a node there `meets`, as far as domains are compared that nobody is
 * in yet: it is enough that one will do.
 */
export function admits(
  { census, problem: { topology } }: OpenPlan,
  { standing: { byDomain }, sample }: PodGroup,
  place: Place,
  meets: (ask: LabelAsk) => boolean,
): boolean {
  const allowed = topology.allowedTo(sample);
  const isFree = (ask: LabelAsk): boolean =>
    !census.objection(byDomain, place, (topologyKey, value, isReal) =>
      isReal ? allowed(topologyKey, value) : permits(ask, topologyKey, value),
    );
  if (
    sample.nodeAffinity.required.length > 1 &&
    requiredAlternatives(sample).filter(meets).some(isFree)
  ) {
    return true;
  }
  return !census.objection(byDomain, place, allowed);
}

/** The same on a node. */
export const admitsOn = (plan: OpenPlan, group: PodGroup, { place, isSure }: Spot): boolean =>
  admits(plan, group, place, isSure);

/** Whether one more pod there would keep somebody from being the first of his kind elsewhere. */
export function spoils(
  { stands, problem: { topology } }: OpenPlan,
  group: PodGroup,
  spot: Spot,
): boolean {
  const { byNode, byDomain } = group.standing;
  const isLookedFor = [...byNode, ...byDomain].some(
    ({ rule, selected }) => selected && rule.kind === 'affinity',
  );
  return isLookedFor && stuckAmong([...stands, { group, spot, count: 1 }], topology).size > 0;
}
