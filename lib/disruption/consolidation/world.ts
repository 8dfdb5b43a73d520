import { isReschedulableNow } from '#lib/consent/pods.ts';
import { byNamespacedName, compareText } from '#lib/constraints/order.ts';
import { specsOfRequirements } from '#lib/constraints/requirements.ts';
import { NODECLASS, NODEPOOL } from '#lib/model/labels.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { type Amounts, amountsOf } from '#lib/solver/amounts.ts';
import type { Ground } from '#lib/solver/ground.ts';
import { hostsOf } from '#lib/solver/hosts/hosts.ts';
import type { SealedClaim } from '#lib/solver/opening/seal.ts';
import { isUninitialized, type SimulationResult, simulate } from '#lib/solver/simulation.ts';
import { NOTHING_LIMITED } from '#lib/solver/volumes/volume-usage.ts';
import type { Candidate } from '../candidates.ts';
import type { DraftCommand } from '../draft-command.ts';
import type { LandingPlace } from './landing.ts';

/** The cluster as it will be once the commands of the pass so far are carried out. */
export interface World {
  /**
   * What would be if these nodes went as well. Nodes that are not initialized take no pods; where new
   * nodes would be bought for want of them it is refused, because it is better to wait for those.
   */
  readonly without: (candidates: readonly Candidate[], leading: Leading) => SimulationResult;
  /** The nodes that kube-scheduler may give pods to once the commands so far are carried out. */
  readonly landingPlaces: () => readonly LandingPlace[];
  /** The Snapshot with all nodes that exist, and those that the commands will create. */
  readonly withCreated: () => Snapshot;
  /** Carries a command out. */
  readonly commit: (command: DraftCommand) => void;
}

/** Where pods should go. */
export interface Leading {
  /** By uid: the StateNode where a pod is tried first. */
  readonly expected: ReadonlyMap<string, string>;
  /** Names of StateNodes that take pods only if these fit nowhere else, and before a new node. */
  readonly avoided: ReadonlySet<string>;
}

/** What a World starts from. */
export interface WorldFacts {
  readonly snapshot: Snapshot;
  readonly ground: Ground;
  /** By StateNode: pods that wait and were given room there. */
  readonly promised: ReadonlyMap<string, readonly Pod[]>;
  /** Names of StateNodes that are to go by commands under way. */
  readonly leaving: ReadonlySet<string>;
}

/**
 * A World that starts as the Snapshot is. What commands create counts against limits and in
 * topology, and takes no other pods: nobody knows whether it will come up.
 */
export function openWorld({ snapshot, ground, promised, leaving }: WorldFacts): World {
  const held = new Map(promised);
  const gone = new Set(leaving);
  const created: StateNode[] = [];
  const closed = new Set<string>();
  const young = snapshot.nodes.filter(isUninitialized).map(({ name }) => name);
  let current = snapshot;
  let places: readonly LandingPlace[] | undefined;
  return {
    without: (candidates, { expected, avoided }) => {
      const simulation = {
        snapshot: current,
        pods: movedPods(candidates, snapshot),
        promised: held,
        expected,
        without: new Set([...gone, ...candidates.map(({ state }) => state.name)]),
        sparesUnsettled: true,
        ground,
      };
      const tried = (...shut: readonly Iterable<string>[]): SimulationResult =>
        simulate({ ...simulation, closed: new Set(shut.flatMap((names) => [...names])) });
      const best = tried(closed, young, avoided);
      if (isComplete(best)) return best;
      const surely = best;
      if (young.length === 0 || isComplete(surely)) return surely;
      const perhaps = tried(closed);
      return perhaps.blocking.length > 0 ? perhaps : surely;
    },
    landingPlaces: () => {
      places ??= placesBeside(gone, held, { snapshot, ground });
      return places;
    },
    withCreated: () => current,
    commit: ({ members, placements, replacements }) => {
      places = undefined;
      for (const { state } of members) gone.add(state.name);
      for (const { pod, host } of placements) held.set(host, [...(held.get(host) ?? []), pod]);
      for (const sealed of replacements) {
        const state = asCreated(sealed, created.length, snapshot.takenAt);
        created.push(state);
        closed.add(state.name);
        held.set(state.name, sealed.pods);
      }
      if (replacements.length > 0) {
        const nodes = [...snapshot.nodes, ...created];
        current = { ...snapshot, nodes: nodes.sort((a, b) => compareText(a.name, b.name)) };
      }
    },
  };
}

const NOBODY_COMES: ReadonlyMap<string, readonly Pod[]> = new Map();

const minus = (all: Amounts, some: Amounts): Amounts =>
  all.map((amount, axis) => amount - (some[axis] ?? 0));

function placesBeside(
  gone: ReadonlySet<string>,
  held: ReadonlyMap<string, readonly Pod[]>,
  { snapshot, ground }: Pick<WorldFacts, 'snapshot' | 'ground'>,
): readonly LandingPlace[] {
  const daemonsCounted = { ...snapshot, daemonSets: ground.daemonSets };
  const limits = { ...NOTHING_LIMITED, memo: ground.hosts };
  return hostsOf(daemonsCounted, NOBODY_COMES, ground.axes, limits)
    .filter(({ name, stateNode }) => !gone.has(name) && !isUninitialized(stateNode))
    .flatMap((host): readonly LandingPlace[] => {
      const { node } = host.stateNode;
      if (!node) return [];
      const coming = (held.get(host.name) ?? []).map(({ requests }) =>
        amountsOf(requests, ground.axes),
      );
      const free = coming.reduce(minus, host.free);
      return [{ host, has: amountsOf(node.allocatable, ground.axes), free }];
    });
}

/** Whether every pod has a place on a node that is there. */
const isComplete = ({ claims, blocking }: SimulationResult): boolean =>
  claims.length === 0 && blocking.length === 0;

/** The pods of these nodes that will need another one, by namespace and name. */
export const movedPods = (
  candidates: readonly Pick<Candidate, 'state'>[],
  { podDisruptionBudgets, takenAt }: Snapshot,
): readonly Pod[] =>
  candidates
    .flatMap(({ state }) => state.pods)
    .filter((pod) => isReschedulableNow(pod, podDisruptionBudgets, takenAt))
    .sort(byNamespacedName);

/** A node to be as one that nothing is known of but its NodeClaim. */
function asCreated(sealed: SealedClaim, index: number, now: number): StateNode {
  const { source, requirements, requests } = sealed;
  const { template } = source.nodePool;
  const name = `replacement ${index}`;
  const claim: NodeClaim = {
    meta: {
      name,
      uid: name,
      resourceVersion: '',
      generation: 1,
      createdAt: now,
      labels: {
        ...template.labels,
        [NODEPOOL]: source.name,
        [NODECLASS]: template.nodeClassRef.name,
      },
      annotations: {},
      finalizers: [],
      owners: [],
    },
    spec: {
      taints: template.taints,
      startupTaints: template.startupTaints,
      requirements: specsOfRequirements(requirements),
      requests,
      nodeClassRef: template.nodeClassRef,
      expireAfter: template.expireAfter,
    },
    status: { capacity: {}, allocatable: {}, conditions: [] },
  };
  return { name, claim, pods: [] };
}
