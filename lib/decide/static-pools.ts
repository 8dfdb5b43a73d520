import { compareText } from '#lib/constraints/order.ts';
import { isRejection } from '#lib/constraints/rejection.ts';
import { DISRUPTION_REASON, INSTANCE_TERMINATING } from '#lib/model/condition-types.ts';
import { isTrue } from '#lib/model/conditions.ts';
import { NODEPOOL } from '#lib/model/labels.ts';
import type { StateNode } from '#lib/model/node.ts';
import { isServed, type NodePool } from '#lib/model/node-pool.ts';
import { isOpen } from '#lib/model/settings.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { choiceOf } from '#lib/solver/admission.ts';
import { axesOf } from '#lib/solver/amounts.ts';
import { allowanceOf, nodesAllowed } from '#lib/solver/opening/limits.ts';
import type { SealedClaim } from '#lib/solver/opening/seal.ts';
import { type Source, sourceOf, whyNoNodes } from '#lib/solver/sources.ts';

/** The nodes of a static NodePool, by what they will count as. */
export interface StaticMembers {
  /** Those that stay. */
  readonly running: readonly StateNode[];
  /** Those that are to go once what replaces them is there. */
  readonly leaving: readonly StateNode[];
  /** Those that are on their way out. */
  readonly going: readonly StateNode[];
}

/** What static NodePools lack. */
export interface StaticShortfall {
  readonly claims: readonly SealedClaim[];
  readonly warnings: readonly string[];
  /** A limit may let go before the heartbeat. */
  readonly lookAgainInMs?: number;
}

/** Source: karpenter v1.14, static/provisioning/controller.go. */
const WHEN_LIMITED_MS = 30_000;

/** The static NodePools that are Joinery's to run, by name; none where the gate is closed. */
export const staticPools = ({ nodePools, settings }: Snapshot): readonly NodePool[] =>
  isOpen(settings, 'StaticCapacity')
    ? nodePools
        .filter(
          ({ replicas, template }) => replicas !== undefined && isServed(template.nodeClassRef),
        )
        .toSorted((a, b) => compareText(a.meta.name, b.meta.name))
    : [];

/** The nodes of `pool` that have a NodeClaim, in the Snapshot's order. */
export function membersOf(pool: NodePool, { nodes }: Snapshot): StaticMembers {
  const members = nodes.filter(({ claim }) => claim?.meta.labels[NODEPOOL] === pool.meta.name);
  const isGone = ({ claim }: StateNode): boolean =>
    claim?.meta.deletedAt !== undefined ||
    isTrue(claim?.status.conditions ?? [], INSTANCE_TERMINATING);
  const isMarked = ({ claim }: StateNode): boolean =>
    isTrue(claim?.status.conditions ?? [], DISRUPTION_REASON);
  const staying = members.filter((each) => !isGone(each));
  return {
    running: staying.filter((each) => !isMarked(each)),
    leaving: staying.filter(isMarked),
    going: members.filter(isGone),
  };
}

/**
 * The NodeClaims that static NodePools lack, straight from their templates: they are for no pods
 * and leave the choice of a type to the launch. Limits hold, and what is on its way out still
 * counts against `nodes`. Those that are to be replaced count as there, so that the nodes which
 * replace them are not taken for a shortfall that is mended.
 *
 * Source: karpenter v1.14, static/provisioning/controller.go, Reconcile; it leaves the replaced
 * out of the amount.
 */
export function staticShortfall(snapshot: Snapshot): StaticShortfall {
  const parts = staticPools(snapshot).map((pool) => shortfallOf(pool, snapshot));
  const isLimited = parts.some(({ lookAgainInMs }) => lookAgainInMs !== undefined);
  return {
    claims: parts.flatMap(({ claims }) => claims),
    warnings: parts.flatMap(({ warnings }) => warnings),
    ...(isLimited && { lookAgainInMs: WHEN_LIMITED_MS }),
  };
}

const NOTHING: StaticShortfall = { claims: [], warnings: [] };

function shortfallOf(pool: NodePool, snapshot: Snapshot): StaticShortfall {
  const { running, leaving, going } = membersOf(pool, snapshot);
  const missing = (pool.replicas ?? 0) - running.length - leaving.length;
  if (missing <= 0) return NOTHING;
  const lacks = `NodePool ${pool.meta.name} lacks ${missing} of its ${pool.replicas} nodes`;
  const source = whyNoNodes(pool, snapshot) ?? sourceOf(pool, snapshot, axesOf([]));
  if (isRejection(source)) return { ...NOTHING, warnings: [`${lacks}: ${source.because}`] };
  const claim = bareClaimOf(source);
  if (!claim) {
    const because = `all ${source.types.length} instance types that it allows are sold out`;
    return { ...NOTHING, warnings: [`${lacks}: ${because}`] };
  }
  const allowed = Math.max(0, allowedOf(source, snapshot, going.length));
  const claims = Array.from({ length: Math.min(missing, allowed) }, () => claim);
  if (allowed >= missing) return { ...NOTHING, claims };
  const more = allowed === 0 ? 'no more' : `only ${allowed} more`;
  return {
    claims,
    warnings: [`${lacks}: its limits allow ${more}`],
    lookAgainInMs: WHEN_LIMITED_MS,
  };
}

/** How many more nodes the limits let `source` have, each as dear as its dearest offering. */
function allowedOf({ nodePool, types }: Source, snapshot: Snapshot, going: number): number {
  const allowance = allowanceOf(nodePool, snapshot);
  const limits = allowance && {
    ...allowance,
    ...('nodes' in allowance && { nodes: (allowance.nodes ?? 0) - going }),
  };
  return types
    .flatMap((type) => choiceOf(type, type.offerings) ?? [])
    .reduce((least, choice) => Math.min(least, nodesAllowed(limits, choice)), Infinity);
}

/** The NodeClaim of a template; undefined where nothing that it allows can be bought now. */
export function bareClaimOf(source: Source): SealedClaim | undefined {
  const choices = source.types
    .flatMap((type) => choiceOf(type, type.offerings) ?? [])
    .sort(
      (a, b) =>
        a.usdPerHour - b.usdPerHour || compareText(a.sourceType.type.name, b.sourceType.type.name),
    );
  const [first] = choices;
  const [offering] = first?.offerings ?? [];
  if (!first || !offering) return undefined;
  return {
    source,
    instanceTypes: choices.map(({ sourceType }) => sourceType.type.name),
    requirements: source.requirements,
    requests: {},
    pods: [],
    cheapest: { instanceType: first.sourceType.type.name, offering },
    hasLoweredMinimums: false,
  };
}
