import { isProtected, isProtectedNode } from '#lib/consent/do-not-disrupt.ts';
import { pdbVerdict } from '#lib/consent/pdb-verdict.ts';
import { isActive } from '#lib/consent/pod-state.ts';
import { isEvictable } from '#lib/consent/pods.ts';
import { typesFor } from '#lib/model/catalog.ts';
import { INSTANCE_TERMINATING } from '#lib/model/condition-types.ts';
import { isTrue } from '#lib/model/conditions.ts';
import { INITIALIZED, NODEPOOL, REGISTERED, ZONE } from '#lib/model/labels.ts';
import type { Node, StateNode } from '#lib/model/node.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import { isServed, type NodePool } from '#lib/model/node-pool.ts';
import type { Pod } from '#lib/model/pod.ts';
import { shiftedZoneNames } from '#lib/model/shifted-zones.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import type { InFlight } from './commands/in-flight.ts';

/** A node that may be disrupted as far as itself and its pods are concerned. */
export interface Candidate {
  readonly state: StateNode;
  readonly node: Node;
  readonly claim: NodeClaim;
  readonly pool: NodePool;
}

/** Why a node may not be disrupted now: which rule, and upstream's sentence for its event. */
export interface Blocked {
  readonly by: string;
  readonly because: string;
}

/** Whether candidateOf gave a reason rather than a candidate. */
export const isBlocked = (result: Candidate | Blocked): result is Blocked => 'by' in result;

/** What candidacy depends on besides the Snapshot. */
export interface CandidacyFacts {
  readonly snapshot: Snapshot;
  /** Names of nodes that pending pods were promised room on. */
  readonly nominated: ReadonlySet<string>;
  /** Names of nodes on which room is kept for CapacityBuffers; none where absent. */
  readonly held?: ReadonlySet<string>;
  /** The commands that are under way; none where absent. */
  readonly inFlight?: Pick<InFlight, 'members' | 'replacements'>;
  /** Whether pods stand back where their node's end is given a time, as drift has it. */
  readonly forgives?: true;
}

/**
 * The node as a candidate for voluntary disruption, or the first rule that keeps it. What its pods
 * say, each by itself, is forgiven where `forgives` is set and the NodeClaim has a
 * terminationGracePeriod; what the node says never is.
 *
 * Source: karpenter v1.14, disruption/types.go, NewCandidate; state/statenode.go,
 * ValidateNodeDisruptable and ValidatePodsDisruptable.
 */
export function candidateOf(state: StateNode, facts: CandidacyFacts): Candidate | Blocked {
  const { node, claim, pods } = state;
  if (!claim || !isServed(claim.spec.nodeClassRef)) {
    return { by: 'unmanaged', because: 'Node is not managed by a NodeClaim' };
  }
  if (!node) return { by: 'node', because: 'Nodeclaim does not have an associated node' };
  const blocked = blockedByNode(node, claim, facts);
  if (blocked) return blocked;

  const name = metaOf(node, claim).labels[NODEPOOL];
  if (name === undefined) {
    return { by: 'nodePool', because: `Node doesn't have required label (label=${NODEPOOL})` };
  }
  const pool = poolWithTypes(name, facts.snapshot);
  if (!pool) return { by: 'nodePool', because: `NodePool not found (NodePool=${name})` };
  const isForgiven = facts.forgives && claim.spec.terminationGraceMs !== undefined;
  const byPods = isForgiven ? undefined : blockedByPods(pods, facts.snapshot);
  return byPods ?? { state, node, claim, pool };
}

/**
 * Why a node on which room is kept for a CapacityBuffer is not removed to save money: that room would
 * be bought anew. It is replaced all the same when it has drifted.
 *
 * Source: karpenter v1.14, disruption/emptiness.go, ShouldDisrupt.
 */
export const holdsBuffer = (
  { state }: Candidate,
  { held }: Pick<CandidacyFacts, 'held'>,
): Blocked | undefined =>
  held?.has(state.name)
    ? { by: 'buffer', because: `Node "${state.name}" has buffer pods` }
    : undefined;

/** A node speaks for itself once it is registered; until then its NodeClaim does. */
const metaOf = (node: Node, claim: NodeClaim) =>
  node.meta.labels[REGISTERED] === 'true' ? node.meta : claim.meta;

function blockedByNode(
  node: Node,
  claim: NodeClaim,
  { snapshot, nominated, inFlight }: CandidacyFacts,
): Blocked | undefined {
  const { name } = node.meta;
  if (inFlight?.members.has(name)) return { by: 'command', because: 'Node is part of a command' };
  if (inFlight?.replacements.has(name)) {
    return { by: 'command', because: 'Node replaces others that have not gone yet' };
  }
  const zone = metaOf(node, claim).labels[ZONE] ?? '';
  if (shiftedZoneNames(snapshot).has(zone)) {
    return { by: 'zone', because: `Traffic is shifted away from zone ${zone}` };
  }
  if (node.meta.labels[INITIALIZED] !== 'true') {
    return { by: 'node', because: "Node isn't initialized" };
  }
  const isGoing =
    node.meta.deletedAt !== undefined ||
    claim.meta.deletedAt !== undefined ||
    isTrue(claim.status.conditions, INSTANCE_TERMINATING);
  if (isGoing) return { by: 'node', because: 'Node is deleting or marked for deletion' };
  if (nominated.has(name)) {
    return { by: 'nominated', because: 'Node is nominated for a pending pod' };
  }
  if (!isProtectedNode(metaOf(node, claim))) return undefined;
  const because = 'Disruption is blocked through the "karpenter.sh/do-not-disrupt" annotation';
  return { by: 'do-not-disrupt', because };
}

function poolWithTypes(name: string, { nodePools, catalog }: Snapshot): NodePool | undefined {
  const pool = nodePools.find(({ meta }) => meta.name === name);
  return pool && typesFor(catalog, pool).length > 0 ? pool : undefined;
}

function blockedByPods(pods: readonly Pod[], snapshot: Snapshot): Blocked | undefined {
  const now = snapshot.takenAt;
  const guarded = pods.find((pod) => isActive(pod) && isProtected(pod, now));
  if (guarded) {
    const pod = `${guarded.meta.namespace}/${guarded.meta.name}`;
    const because = `Pod has "karpenter.sh/do-not-disrupt" annotation (Pod=${pod})`;
    return { by: 'do-not-disrupt', because };
  }
  for (const pod of pods) {
    if (!isEvictable(pod, now)) continue;
    const verdict = pdbVerdict(pod, snapshot.podDisruptionBudgets);
    if (verdict.kind !== 'allowed') return { by: 'pdb', because: capitalized(verdict.because) };
  }
  return undefined;
}

const capitalized = (sentence: string): string =>
  sentence.slice(0, 1).toUpperCase() + sentence.slice(1);
