import type { Rejection } from '#lib/constraints/rejection.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import type { Packed } from './attempt.ts';
import { type Ground, groundOf } from './ground.ts';
import { hostsOf } from './hosts/hosts.ts';
import type { SealedClaim } from './opening/seal.ts';
import { pack } from './pack.ts';
import { schedulingCopies } from './pods/default-spread.ts';
import { groupPods } from './pods/pod-groups.ts';
import { explainRefusal, type PoolRejection } from './refusals/refusal.ts';
import { unsupportedNeed } from './refusals/unsupported.ts';
import type { Source } from './sources.ts';
import { ruleBookOf } from './topology/rules.ts';
import { topologyOf } from './topology/topology.ts';
import { topologyWishesOf } from './topology/wish-rules.ts';
import { NO_VOLUMES, type Volumes, volumesOf } from './volumes/volumes.ts';
import { type Granted, grantWishes, WISHLESS } from './wishes/grant-wishes.ts';
import { unmetWishes } from './wishes/unmet-wishes.ts';
import type { WishGivenUp } from './wishes/wishes.ts';

/** Pods that need a place in the cluster of a Snapshot. */
export interface SolveProblem {
  /** All bound pods stand under their nodes; `snapshot.pods` are not looked at. */
  readonly snapshot: Snapshot;
  readonly pods: readonly Pod[];
  /** By node: pods that the scheduler is about to bind there, whose room is taken. */
  readonly promised: ReadonlyMap<string, readonly Pod[]>;
  /** By pod uid: the NodeClaim that was made for it and is where it is tried first. */
  readonly expected: ReadonlyMap<string, string>;
  /** Hosts that take none of these pods, by name and uid; simulations use it. */
  readonly standstill?: {
    readonly hosts: ReadonlySet<string>;
    readonly movers: ReadonlySet<string>;
  };
  /** What this solve shares with others; found for it alone where absent. */
  readonly ground?: Ground;
}

/** A pod that goes on a node which is there or on its way. */
interface HostPlacement {
  readonly pod: Pod;
  /** The StateNode's name. */
  readonly host: string;
}

/** Pods that can be given no node, all for the same reason. */
export interface SolveRefusal {
  readonly pods: readonly Pod[];
  readonly rejection: Rejection;
  /** Heaviest NodePool first. */
  readonly nodePools: readonly PoolRejection[];
}

/** Which pod goes where, which can go nowhere, and what the new nodes cost at the very least. */
export interface SolveResult {
  readonly placements: readonly HostPlacement[];
  readonly claims: readonly SealedClaim[];
  readonly refusals: readonly SolveRefusal[];
  readonly wishesGivenUp: readonly WishGivenUp[];
  /** Proven: nobody who places the same pods adds less. */
  readonly lowerBoundUsdPerHour: number;
}

/**
 * Gives every pod a place, on nodes that are there or on their way before new ones, or says why it
 * can have none. Every pod is in exactly one list; what the order of the input was makes no
 * difference.
 *
 * Source of the rules: karpenter v1.14, provisioning/scheduling/scheduler.go, Solve. It packs pod
 * by pod without a look at prices; here groups are packed onto what a dollar carries most on.
 */
export function solve(problem: SolveProblem): SolveResult {
  const { promised, expected, standstill } = problem;
  const { snapshot: seen } = problem;
  const pods = problem.pods.map(schedulingCopies(seen));
  const refusals: SolveRefusal[] = [];
  const supported: Pod[] = [];
  const volumes = volumesOf(pods, seen);
  for (const pod of pods) {
    const rejection = unsupportedNeed(pod) ?? volumes.rejectionOf(pod);
    if (rejection) refusals.push({ pods: [pod], rejection, nodePools: [] });
    else supported.push(pod);
  }
  if (supported.length === 0) return { ...NOTHING, refusals };
  const ground = problem.ground ?? groundOf(seen, supported);
  const { axes, domains, others } = ground;
  const snapshot = { ...seen, daemonSets: ground.daemonSets };
  const hosts = hostsOf(snapshot, promised, axes, { ...volumes, memo: ground.hosts }).map((host) =>
    standstill?.hosts.has(host.name) ? { ...host, takesNoMovers: true as const } : host,
  );
  const sources = withAttachmentLimits(ground.sources, volumes);
  const batch = new Set(pods.map(({ meta }) => meta.uid));
  const running = imposingBeside(batch, problem);
  const { namespaces } = snapshot;
  const someTaintsArePreferences = [...hosts, ...sources].some(({ taints }) =>
    taints.some(({ effect }) => effect === 'PreferNoSchedule'),
  );
  const packWith = (granted: Granted): Packed => {
    const book = ruleBookOf({ batch: supported, running, namespaces, wishesOf: granted });
    const groups = groupPods(supported, {
      axes,
      preferencePolicy: snapshot.settings.preferencePolicy,
      someTaintsArePreferences,
      volumes,
      standingOf: book.standingOf,
      moves: ({ meta }) => standstill?.movers.has(meta.uid) ?? false,
    });
    const topology = topologyOf({
      book,
      sources,
      domains,
      nodes: snapshot.nodes,
      hosts,
      promised,
      batch,
    });
    return pack({ snapshot, groups, hosts, sources, axes, expected, topology });
  };
  const wishes = topologyWishesOf(supported, namespaces);
  const isRegarded = snapshot.settings.preferencePolicy === 'Respect' && wishes.areAny;
  const plain = packWith(WISHLESS);
  const packed = isRegarded ? grantWishes(plain, wishes, packWith) : plain;
  const explained = packed.left.map(({ group, left }) => ({
    pods: left,
    ...explainRefusal(group, { ...packed, sources, others, axes }, packed.heldBack.get(group)),
  }));
  return {
    placements: packed.placements,
    claims: packed.claims,
    refusals: [...refusals, ...explained],
    wishesGivenUp: [
      ...packed.wishesGivenUp,
      ...unmetWishes({ packed, nodes: snapshot.nodes, domains, wishes }),
    ],
    lowerBoundUsdPerHour: packed.lowerBoundUsdPerHour,
  };
}

/**
 * Who runs, or is about to be bound, is not placed here, and keeps others away: rules are made of
 * nobody else that runs.
 */
function imposingBeside(
  batch: ReadonlySet<string>,
  { snapshot, promised }: SolveProblem,
): readonly Pod[] {
  const imposing: Pod[] = [];
  const add = (pods: readonly Pod[]): void => {
    for (const pod of imposingAmong(pods)) if (!batch.has(pod.meta.uid)) imposing.push(pod);
  };
  for (const { pods } of snapshot.nodes) add(pods);
  for (const pods of promised.values()) add(pods);
  return imposing;
}

// Asked for the pods of each node in each of many simulations; it follows from the list alone.
const imposers = new WeakMap<readonly Pod[], readonly Pod[]>();

function imposingAmong(pods: readonly Pod[]): readonly Pod[] {
  const known = imposers.get(pods);
  if (known) return known;
  const found = pods.filter(({ podAntiAffinity }) => podAntiAffinity.required.length > 0);
  imposers.set(pods, found);
  return found;
}

/** The sources with what is known of the volumes that nodes of their types may have attached. */
const withAttachmentLimits = (sources: readonly Source[], volumes: Volumes): readonly Source[] =>
  volumes === NO_VOLUMES
    ? sources
    : sources.map((source) => ({
        ...source,
        types: source.types.map((sourceType) => {
          const attachmentLimits = volumes.limitsOfType(sourceType.type.name);
          return attachmentLimits.size === 0 ? sourceType : { ...sourceType, attachmentLimits };
        }),
      }));

const NOTHING = { placements: [], claims: [], wishesGivenUp: [], lowerBoundUsdPerHour: 0 };
