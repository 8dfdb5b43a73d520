import { isReschedulable } from '#lib/consent/pods.ts';
import { type Catalog, typesFor } from '#lib/model/catalog.ts';
import { CAPACITY_TYPE, INSTANCE_TYPE, RESERVATION_ID, ZONE } from '#lib/model/labels.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import {
  type Blocked,
  type CandidacyFacts,
  type Candidate,
  candidateOf,
  holdsBuffer,
  isBlocked,
} from '../candidates.ts';
import { heldBack } from '../commands/back-off.ts';
import { restingPods } from '../memory-of-moves.ts';
import { unsettled } from '../settled.ts';
import { closedWindow } from '../windows.ts';

/** A node that may be replaced to save money, as far as itself and its NodePool are concerned. */
export interface Source {
  readonly candidate: Candidate;
  readonly name: string;
  readonly instanceType: string;
  readonly capacityType: string;
  readonly usdPerHour: number;
}

/**
 * The node as one that consolidation may take, or the first rule that keeps it.
 *
 * Source: karpenter v1.14, disruption/consolidation.go, ShouldDisrupt. A node whose price nobody
 * knows is kept: there it counts as free. Windows, back-off and the rest after a move are ours.
 */
export function sourceOf(state: StateNode, facts: CandidacyFacts): Source | Blocked {
  const candidate = candidateOf(state, facts);
  if (isBlocked(candidate)) return candidate;
  const { node, claim, pool } = candidate;
  const { snapshot } = facts;
  const labels = { ...claim.meta.labels, ...node.meta.labels };
  const missing = blockedByLabels(candidate, labels, snapshot);
  if (missing) return missing;
  const ofPool = blockedByPool(candidate);
  if (ofPool) return ofPool;
  const buffer = holdsBuffer(candidate, facts);
  if (buffer) return buffer;
  const settling = unsettled(candidate, snapshot.takenAt);
  if (settling) return settling;
  const window = closedWindow(pool, 'Underutilized', snapshot);
  if (window !== undefined) return { by: 'window', because: window };
  const failed = heldBack(claim, snapshot.takenAt);
  if (failed !== undefined) return { by: 'back-off', because: failed };
  const resting = restingPods(state.pods, snapshot);
  if (resting !== undefined) return { by: 'memory', because: resting };
  const usdPerHour = priceOf(candidate, snapshot);
  if (usdPerHour === undefined) {
    const because = 'its price is not known, so nobody can tell what its removal would save';
    return { by: 'price', because };
  }
  return {
    candidate,
    name: state.name,
    instanceType: labels[INSTANCE_TYPE] ?? '',
    capacityType: labels[CAPACITY_TYPE] ?? '',
    usdPerHour,
  };
}

function blockedByLabels(
  { pool }: Candidate,
  labels: Readonly<Record<string, string>>,
  { catalog }: Snapshot,
): Blocked | undefined {
  if (pool.replicas !== undefined) {
    return { by: 'nodePool', because: `NodePool "${pool.meta.name}" is static` };
  }
  const type = labels[INSTANCE_TYPE] ?? '';
  if (!typesFor(catalog, pool).some(({ name }) => name === type)) {
    return { by: 'instanceType', because: `Instance Type "${type}" not found` };
  }
  const absent = [CAPACITY_TYPE, ZONE].find((key) => labels[key] === undefined);
  return absent === undefined
    ? undefined
    : { by: 'labels', because: `Node does not have label "${absent}"` };
}

function blockedByPool({ state, pool }: Candidate): Blocked | undefined {
  const { name } = pool.meta;
  const { consolidateAfter, consolidationPolicy } = pool.disruption;
  if (consolidateAfter === 'Never') {
    return { by: 'consolidateAfter', because: `NodePool "${name}" has consolidation disabled` };
  }
  if (!state.pods.some(isReschedulable)) return { by: 'empty', because: 'it is empty' };
  if (consolidationPolicy !== 'WhenEmpty') return undefined;
  const because = `NodePool "${name}" has consolidation policy WhenEmpty, but node is not empty`;
  return { by: 'consolidationPolicy', because };
}

/**
 * What a node costs: the offering that its labels name, whether or not it can be had now; undefined
 * where the catalogue knows none, or no price of it.
 *
 * Source: karpenter v1.14, disruption/types.go, NewCandidate.
 */
export function priceOf(
  { node, claim, pool }: Candidate,
  { catalog }: Pick<Snapshot, 'catalog'>,
): number | undefined {
  return priceByLabels({ ...claim.meta.labels, ...node.meta.labels }, pool, catalog);
}

/** What a node of a NodePool with such labels costs; undefined as for `priceOf`. */
export function priceByLabels(
  labels: Readonly<Record<string, string>>,
  pool: NodePool,
  catalog: Catalog,
): number | undefined {
  const type = typesFor(catalog, pool).find(({ name }) => name === labels[INSTANCE_TYPE]);
  const named = type?.offerings.filter(
    ({ zone, capacityType }) => zone === labels[ZONE] && capacityType === labels[CAPACITY_TYPE],
  );
  const reservation = labels[RESERVATION_ID];
  const offering = named?.find(({ reservationId }) => reservationId === reservation) ?? named?.[0];
  const price = offering?.usdPerHour;
  return price === undefined || Number.isNaN(price) ? undefined : price;
}
