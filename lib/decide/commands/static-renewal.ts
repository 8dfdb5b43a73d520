import { isRejection } from '#lib/constraints/rejection.ts';
import {
  type Blocked,
  type Candidate,
  candidateOf,
  isBlocked,
} from '#lib/disruption/candidates.ts';
import type { DraftCommand } from '#lib/disruption/draft-command.ts';
import { notNow, type RenewalReason, type SimulationFacts } from '#lib/disruption/drift.ts';
import { NODEPOOL } from '#lib/model/labels.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { axesOf } from '#lib/solver/amounts.ts';
import { sourceOf, whyNoNodes } from '#lib/solver/sources.ts';
import { bareClaimOf, membersOf, staticPools } from '../static-pools.ts';

/**
 * The replacement of a drifted or expiring node of a static NodePool: one node of the bare template, whatever
 * pods it will hold. Undefined where the node is of no static NodePool.
 *
 * Source: karpenter v1.14, disruption/staticdrift.go, ComputeCommands.
 */
export function staticRenewalDraft(
  state: StateNode,
  reason: RenewalReason,
  facts: SimulationFacts,
): DraftCommand | Blocked | undefined {
  const snapshot = facts.seen ?? facts.snapshot;
  const name = state.claim?.meta.labels[NODEPOOL];
  const pool = snapshot.nodePools.find(({ meta }) => meta.name === name);
  if (pool?.replicas === undefined) return undefined;
  const candidate = candidateOf(state, { ...facts, forgives: true });
  if (isBlocked(candidate)) return candidate;
  const kept = whyKept(candidate, reason, snapshot);
  if (kept) return kept;
  const source = whyNoNodes(pool, snapshot) ?? sourceOf(pool, snapshot, axesOf([]));
  if (isRejection(source)) return makesNone(pool, source.because);
  const claim = bareClaimOf(source);
  if (!claim) return makesNone(pool, 'all instance types that it allows are sold out');
  return {
    reason,
    members: [candidate],
    replacements: [claim],
    placements: [],
    podsMoved: 0,
    savesUsdPerHour: 0,
  };
}

const makesNone = ({ meta }: NodePool, because: string): Blocked => ({
  by: 'nodePool',
  because: `NodePool "${meta.name}" makes no node now: ${because}`,
});

function whyKept(
  candidate: Candidate,
  reason: RenewalReason,
  snapshot: Snapshot,
): Blocked | undefined {
  const { pool } = candidate;
  const { name } = pool.meta;
  if (!staticPools(snapshot).includes(pool)) {
    return { by: 'nodePool', because: `NodePool "${name}" is static, and that gate is closed` };
  }
  const blocked = notNow(candidate, reason, snapshot);
  if (blocked) return blocked;
  const { running, leaving } = membersOf(pool, snapshot);
  return running.length + leaving.length > (pool.replicas ?? 0)
    ? { by: 'nodePool', because: `NodePool "${name}" has more nodes than it wants already` }
    : undefined;
}

/** How many more nodes the `nodes` limits of static NodePools allow, all commands of a look together. */
export interface StaticRoom {
  /** Takes room for the replacements of a command; whether there was enough. */
  readonly take: (command: Renewal) => boolean;
}

/** Of a command, whose nodes it replaces and by how many. */
interface Renewal {
  readonly members: readonly { readonly pool: NodePool }[];
  readonly replacements: readonly unknown[];
}

/** Opens the count of one look. Source: karpenter v1.14, state/nodepoolstate.go, ReserveNodeCount. */
export function openStaticRoom(snapshot: Snapshot): StaticRoom {
  const left = new Map(
    staticPools(snapshot).map((pool) => {
      const { running, leaving, going } = membersOf(pool, snapshot);
      const held = running.length + leaving.length + going.length;
      return [pool.meta.name, (pool.limits.nodes ?? Number.POSITIVE_INFINITY) - held] as const;
    }),
  );
  return {
    take: ({ members, replacements }) => {
      const name = members[0]?.pool.meta.name ?? '';
      const room = left.get(name);
      if (room === undefined) return true;
      if (room < replacements.length) return false;
      left.set(name, room - replacements.length);
      return true;
    },
  };
}
