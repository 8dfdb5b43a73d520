import { byName } from '#lib/constraints/order.ts';
import type { Taint } from '#lib/constraints/taints.ts';
import {
  grouped,
  nodesOf,
  type Surroundings,
  surroundingsOf,
} from '#lib/lifecycle/surroundings.ts';
import { BATCH, JOINING, REGISTERED } from '#lib/model/labels.ts';
import type { Node } from '#lib/model/node.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import { nodeRef } from '#lib/model/object-ref.ts';
import type { Action } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import type { EpochMs } from '#lib/model/time.ts';
import { isComingUp } from './initialization.ts';

/**
 * How long the nodes of one plan are waited for, counted from the first that joins; a node that
 * comes later is waited for as long by itself.
 */
const LONGEST_WAIT_MS = 45_000;
/** Plans that are made within this of the first are for one burst; later ones are not waited for. */
const ONE_BURST_MS = 5_000;
/** While some are up and some are not, the last is imminent. */
const LOOK_AGAIN_MS = 2_000;

/** Nodes that were waited for and need not be any longer. */
export interface Release {
  /** Sorted by name; each bears the taint. */
  readonly nodes: readonly Node[];
  /** After how long a look may find more of them; absent where nobody waits. */
  readonly lookAgainInMs?: number;
}

const NOBODY: Release = { nodes: [] };

/**
 * The nodes that may now be given to kube-scheduler. The nodes of one plan are kept from it until
 * all are up: one that joins by itself is filled with whatever waits, and the plan is lost. They are
 * released together when the last is registered, Ready and rid of its other startup taints; 45 s
 * after the first joined, whatever happens; at once where nobody is to be led anywhere.
 *
 * Source: kube-scheduler v1.36, observed: the first lifted taint wakes every waiting pod.
 */
export function releaseOf(around: Surroundings): Release {
  const waiting = around.claims.filter(isHeldBack);
  if (waiting.length === 0) return NOBODY;
  const releases = batchesOf(waiting).map((batch) => releaseOfBatch(batch, around));
  const looks = releases.flatMap(({ lookAgainInMs }) => lookAgainInMs ?? []);
  return {
    nodes: releases.flatMap(({ nodes }) => nodes).sort(byName),
    ...(looks.length > 0 && { lookAgainInMs: Math.min(...looks) }),
  };
}

/** Nodes whose time behind the barrier is over: any look of any function lifts their taint. */
export function overdueLifts(snapshot: Snapshot): readonly Action[] {
  const around = surroundingsOf(snapshot);
  const isOverdue = ({ meta }: Node) => around.now - meta.createdAt >= LONGEST_WAIT_MS;
  return releaseOf(around).nodes.filter(isOverdue).flatMap(liftOf);
}

/** The action that opens the barrier before a node. */
export const liftOf = (node: Node): readonly Action[] =>
  node.taints.flatMap((taint, at) =>
    isBarrier(taint) ? [{ kind: 'liftTaint' as const, node: nodeRef(node), taint, at }] : [],
  );

/** Whether a taint is the one that nodes of one plan wait with. */
const isBarrier = ({ key, effect }: Taint): boolean => key === JOINING && effect === 'NoSchedule';

const isHeldBack = ({ meta, spec }: NodeClaim): boolean =>
  meta.deletedAt === undefined && spec.startupTaints.some(isBarrier);

/**
 * NodeClaims that wait for each other: those of one plan, and of plans that followed within seconds,
 * as when pods of one burst turn up late; else the first release would scatter the others' pods.
 */
function batchesOf(waiting: readonly NodeClaim[]): readonly (readonly NodeClaim[])[] {
  const plans = [...grouped(waiting, planOf).values()]
    .map((claims) => ({ claims, madeAt: Math.min(...claims.map(({ meta }) => meta.createdAt)) }))
    .sort((a, b) => a.madeAt - b.madeAt);
  const batches: { readonly madeAt: EpochMs; claims: readonly NodeClaim[] }[] = [];
  for (const plan of plans) {
    const last = batches.at(-1);
    if (last && plan.madeAt - last.madeAt <= ONE_BURST_MS) {
      last.claims = [...last.claims, ...plan.claims];
    } else batches.push({ ...plan });
  }
  return batches.map(({ claims }) => claims);
}

const planOf = ({ meta }: NodeClaim): string => meta.annotations[BATCH] ?? meta.name;

interface Member {
  readonly node: Node | undefined;
  readonly isUp: boolean;
}

function releaseOfBatch(batch: readonly NodeClaim[], around: Surroundings): Release {
  const members = batch.map((claim) => memberOf(claim, around));
  const joined = members.flatMap(({ node }) => node ?? []);
  const held = members.filter(({ node }) => node?.taints.some(isBarrier) ?? false);
  if (held.length === 0) return NOBODY;
  const { now, snapshot } = around;
  const endsAt = Math.min(...joined.map(({ meta }) => meta.createdAt)) + LONGEST_WAIT_MS;
  const isOver = members.every(({ isUp }) => isUp) || snapshot.settings.placement === 'none';
  const isFree = ({ node, isUp }: Member): boolean =>
    isOver || (now >= endsAt && (isUp || now >= endOf(node, endsAt)));
  const nodes = held
    .filter(isFree)
    .flatMap(({ node }) => (node && isRegistered(node) ? [node] : []));
  const isAllFree = nodes.length === held.length;
  return { nodes, ...(!isAllFree && { lookAgainInMs: lookIn(endsAt - now) }) };
}

/** Until when a node is waited for: as long as its batch is, or as long again if it comes late. */
const endOf = (node: Node | undefined, endsAt: EpochMs): EpochMs =>
  node === undefined || node.meta.createdAt <= endsAt
    ? endsAt
    : node.meta.createdAt + LONGEST_WAIT_MS;

const lookIn = (leftMs: number): number =>
  leftMs > 0 ? Math.min(LOOK_AGAIN_MS, leftMs) : LOOK_AGAIN_MS;

function memberOf(claim: NodeClaim, around: Surroundings): Member {
  const node = nodesOf(around, claim)[0]?.node;
  const others = claim.spec.startupTaints.filter((taint) => !isBarrier(taint));
  return { node, isUp: node !== undefined && isRegistered(node) && !isComingUp(node, others) };
}

const isRegistered = ({ meta }: Node): boolean => meta.labels[REGISTERED] === 'true';
