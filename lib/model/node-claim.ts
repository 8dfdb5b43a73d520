import type { RequirementSpec } from '#lib/constraints/requirement.ts';
import type { Resources } from '#lib/constraints/resources.ts';
import type { Taint } from '#lib/constraints/taints.ts';
import type { NodeClassRef } from './node-pool.ts';
import type { Condition, ObjectMeta } from './object.ts';
import type { DurationMs, EpochMs } from './time.ts';

/** What a NodeClaim asks for; immutable once it exists. */
export interface NodeClaimSpec {
  readonly taints: readonly Taint[];
  readonly startupTaints: readonly Taint[];
  readonly requirements: readonly RequirementSpec[];
  readonly requests: Resources;
  readonly nodeClassRef: NodeClassRef;
  readonly expireAfter: DurationMs;
  readonly terminationGraceMs?: number;
}

/** A request for one node and the record of its life: the only durable state Joinery has. */
export interface NodeClaim {
  readonly meta: ObjectMeta;
  readonly spec: NodeClaimSpec;
  readonly status: {
    readonly nodeName?: string;
    /** aws:///us-east-1a/i-0123456789abcdef0, once launched. */
    readonly providerId?: string;
    readonly imageId?: string;
    readonly capacity: Resources;
    readonly allocatable: Resources;
    readonly conditions: readonly Condition[];
    readonly lastPodEventAt?: EpochMs;
  };
}

/** A NodeClaim that is to be created: everything its object will say. */
export interface NewNodeClaim {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly owner: { readonly kind: 'NodePool'; readonly name: string; readonly uid: string };
  readonly spec: NodeClaimSpec;
}
