import { NODECLASS_FINALIZER, NODECLASS_HASH, NODECLASS_HASH_VERSION } from '#lib/model/labels.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import type { NodeClassFacts } from '#lib/model/node-class-facts.ts';
import { nodeClassRef } from '#lib/model/object-ref.ts';
import type { Action, MetaChange, StatusChange } from '#lib/model/plan.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import type { EpochMs } from '#lib/model/time.ts';
import { instanceProfileOf } from './instance-profile.ts';
import { NODECLASS_HASH_VERSION_VALUE, nodeClassHash } from './node-class-hash.ts';
import { nodeClassStatus } from './node-class-status.ts';

/** What is known of a NodeClass besides the object itself. */
export interface NodeClassContext {
  /** Absent: AWS was not asked this time, and the status stays. */
  readonly facts?: NodeClassFacts;
  /** The names of the NodeClaims that refer to it, sorted. */
  readonly claims: readonly string[];
  readonly settings: ClusterSettings;
  readonly now: EpochMs;
}

/** How many NodeClaims an event names. Source: karpenter AWS provider v1.14, nodeclass/events. */
const NAMED = 5;

/**
 * What is to be done about a NodeClass: its finalizer and hash, its status where it changed, its
 * instance profile where that is missing. One that is being deleted stays while NodeClaims refer
 * to it; then its finalizer goes. Its instance profile and launch templates stay in the account,
 * findable by path and tag.
 *
 * Source: karpenter AWS provider v1.14, controllers/nodeclass.
 */
export function nodeClassActions(
  nodeClass: NodeClass,
  context: NodeClassContext,
): readonly Action[] {
  if (nodeClass.meta.deletedAt !== undefined) return deletion(nodeClass, context);
  return [...stamp(nodeClass, context), ...resolution(nodeClass, context)];
}

function deletion(nodeClass: NodeClass, { claims }: NodeClassContext): readonly Action[] {
  const object = nodeClassRef(nodeClass);
  const { finalizers } = nodeClass.meta;
  if (!finalizers.includes(NODECLASS_FINALIZER)) return [];
  if (claims.length > 0) {
    const named = claims.slice(0, NAMED).join(', ');
    return [
      {
        kind: 'recordEvent',
        about: object,
        type: 'Normal',
        reason: 'WaitingOnNodeClaimTermination',
        message: `Waiting on NodeClaim termination for ${named}`,
      },
    ];
  }
  const left = finalizers.filter((finalizer) => finalizer !== NODECLASS_FINALIZER);
  return [{ kind: 'update', object, meta: { finalizers: left } }];
}

function stamp(nodeClass: NodeClass, { settings }: NodeClassContext): readonly Action[] {
  const { annotations, finalizers } = nodeClass.meta;
  const wanted: Readonly<Record<string, string>> = {
    [NODECLASS_HASH]: nodeClassHash(nodeClass, settings),
    [NODECLASS_HASH_VERSION]: NODECLASS_HASH_VERSION_VALUE,
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

function resolution(
  nodeClass: NodeClass,
  { facts, settings, now }: NodeClassContext,
): readonly Action[] {
  if (facts === undefined) return [];
  const object = nodeClassRef(nodeClass);
  const status = changed(nodeClass, nodeClassStatus(nodeClass, facts, settings, now));
  const profile = instanceProfileOf(nodeClass, settings);
  // Before the status, so that a name is only published once its profile can be used.
  return [
    ...(profile !== undefined && facts.instanceProfile === undefined
      ? [{ kind: 'ensureInstanceProfile', nodeClass: object, ...profile } as const]
      : []),
    ...(status === undefined ? [] : [{ kind: 'updateStatus', object, status } as const]),
  ];
}

/** The fields of a status that differ from what stands there; undefined where none does. */
function changed({ status }: NodeClass, next: StatusChange): StatusChange | undefined {
  const known: Readonly<Record<string, unknown>> = { ...status };
  const fields = Object.entries(next).filter(
    ([field, value]) => JSON.stringify(ordered(value)) !== JSON.stringify(ordered(known[field])),
  );
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}

/** A value with its keys sorted, so that only what it says is compared. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, field]) => [key, ordered(field)]),
  );
}
