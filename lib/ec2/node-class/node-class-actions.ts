import { compareText } from '#lib/constraints/order.ts';
import type { InstanceType } from '#lib/model/instance-type.ts';
import { NODECLASS_FINALIZER, RESOLVED } from '#lib/model/labels.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import type { NodeClassFacts, NodeClassRemains } from '#lib/model/node-class-facts.ts';
import { nodeClassRef } from '#lib/model/object-ref.ts';
import type { Action, MetaChange, StatusChange } from '#lib/model/plan.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import type { EpochMs } from '#lib/model/time.ts';
import { instanceProfileOf, unneededProfiles } from './instance-profile.ts';
import { nodeClassDeletion } from './node-class-deletion.ts';
import { claimRestamps, hashStamps } from './node-class-stamps.ts';
import { nodeClassStatus, type Resolution } from './node-class-status.ts';
import { resolvedAnnotation } from './resolved-annotation.ts';

/** What is known of a NodeClass besides the object itself. */
export interface NodeClassContext {
  /** Absent: AWS was not asked this time, and the status stays. */
  readonly facts?: NodeClassFacts;
  /** Absent: it is not being deleted, or AWS was not asked what it leaves. */
  readonly remains?: NodeClassRemains;
  /** The NodeClaims that refer to it, sorted by name. */
  readonly claims: readonly NodeClaim[];
  /** Names of NodeClaims that could not be read, so that each may refer to it; sorted. */
  readonly unreadClaims: readonly string[];
  /** What could be launched with it; absent where it is not resolved. */
  readonly instanceTypes?: readonly InstanceType[];
  readonly settings: ClusterSettings;
  readonly now: EpochMs;
}

/**
 * What is to be done about a NodeClass: its finalizer and hash, its status where it changed, its
 * instance profile where that is missing, profiles that nobody needs any more. One that is being
 * deleted stays while NodeClaims refer to it; then what it left in the account is deleted, and
 * then its finalizer goes.
 *
 * Source: karpenter AWS provider v1.14, controllers/nodeclass.
 */
export function nodeClassActions(
  nodeClass: NodeClass,
  context: NodeClassContext,
): readonly Action[] {
  if (nodeClass.meta.deletedAt !== undefined) {
    const claims = context.claims.map(({ meta }) => meta.name);
    const users = [...claims, ...context.unreadClaims].sort(compareText);
    return nodeClassDeletion(nodeClass, users, context.remains);
  }
  const { facts } = context;
  const resolution = facts && nodeClassStatus(nodeClass, facts, context);
  const restamps = claimRestamps(nodeClass, context.claims, context.settings);
  return [
    ...restamps,
    ...stamp(nodeClass, resolution, { ...context, isWaiting: restamps.length > 0 }),
    ...(facts === undefined || resolution === undefined
      ? []
      : [
          // A profile that cannot be made is told in a condition, so the others stand before it.
          ...statusChange(nodeClass, resolution),
          ...missingProfile(nodeClass, resolution, facts, context),
          ...needlessProfiles(nodeClass, resolution, facts, context),
        ]),
  ];
}

function stamp(
  nodeClass: NodeClass,
  resolution: Resolution | undefined,
  { settings, isWaiting }: NodeClassContext & { readonly isWaiting: boolean },
): readonly Action[] {
  const { annotations, finalizers } = nodeClass.meta;
  const wanted: Readonly<Record<string, string>> = {
    // NodeClaims are stamped first, or they would drift.
    ...(isWaiting ? {} : hashStamps(nodeClass, settings)),
    ...(resolution && { [RESOLVED]: besideStatus(nodeClass, resolution) }),
  };
  const missing = Object.entries(wanted).filter(([key, value]) => annotations[key] !== value);
  const meta: MetaChange = {
    ...(missing.length === 0 ? {} : { annotations: Object.fromEntries(missing) }),
    ...(finalizers.includes(NODECLASS_FINALIZER)
      ? {}
      : { finalizers: [...finalizers, NODECLASS_FINALIZER] }),
  };
  if (Object.keys(meta).length === 0) return [];
  return [{ kind: 'update', object: nodeClassRef(nodeClass), meta }];
}

/** What was not answered this time stays as it was known. */
const besideStatus = ({ status: known }: NodeClass, { status, placementGroup }: Resolution) =>
  resolvedAnnotation({
    subnets: status.subnets ?? known.subnets,
    capacityReservations: status.capacityReservations ?? known.capacityReservations,
    ...(placementGroup && { placementGroup }),
  });

/** None is made while it is not known which are there. */
function missingProfile(
  nodeClass: NodeClass,
  { status }: Resolution,
  { instanceProfiles }: NodeClassFacts,
  { settings }: NodeClassContext,
): readonly Action[] {
  const profile = instanceProfileOf(nodeClass, settings);
  const isThere = status.instanceProfile !== undefined || 'failed' in instanceProfiles;
  if (profile === undefined || isThere) return [];
  return [{ kind: 'ensureInstanceProfile', nodeClass: nodeClassRef(nodeClass), ...profile }];
}

function needlessProfiles(
  nodeClass: NodeClass,
  { status }: Resolution,
  { instanceProfiles: found }: NodeClassFacts,
  context: NodeClassContext,
): readonly Action[] {
  if ('failed' in found || nodeClass.spec.instanceProfile !== undefined) return [];
  if (context.settings.isolatedVpc === true) return [];
  if (context.unreadClaims.length > 0) return [];
  const use = { ...context, current: status.instanceProfile };
  return unneededProfiles(nodeClass, found, use).map(({ name, roles }) => ({
    kind: 'deleteInstanceProfile',
    nodeClass: nodeClassRef(nodeClass),
    profile: name,
    roles,
  }));
}

function statusChange(nodeClass: NodeClass, { status: next }: Resolution): readonly Action[] {
  const status = changed(nodeClass, next);
  return status === undefined
    ? []
    : [{ kind: 'updateStatus', object: nodeClassRef(nodeClass), status }];
}

/** The fields of a status that differ from what stands there; undefined where none does. */
function changed({ status }: NodeClass, next: StatusChange): StatusChange | undefined {
  const known: Readonly<Record<string, unknown>> = { ...status };
  const fields = Object.entries(next).filter(
    ([field, value]) => JSON.stringify(written(value)) !== JSON.stringify(written(known[field])),
  );
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}

/** Numbers and instants that stand in the annotation, and no part of the status. */
const BESIDE: ReadonlySet<string> = new Set(['freeAddresses', 'availableInstances', 'countedAt']);

/** A value as the status takes it, its keys sorted, so that only what it says is compared. */
function written(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(written);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, field]) => field !== undefined && !BESIDE.has(key))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, field]) => [key, written(field)]),
  );
}
