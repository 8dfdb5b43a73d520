import type { Labels } from '#lib/constraints/label-selector.ts';
import type { RequirementSpec } from '#lib/constraints/requirement.ts';
import type { Resources } from '#lib/constraints/resources.ts';
import type { Taint } from '#lib/constraints/taints.ts';
import { AWS_GROUP } from './labels.ts';
import type { Condition, ObjectMeta } from './object.ts';
import type { DurationMs } from './time.ts';

/** Which NodeClass a pool's nodes are made with. */
export interface NodeClassRef {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

/** Whether a NodeClass is of the kind that Joinery serves; what others serve is left alone. */
export const isServed = ({ group, kind }: NodeClassRef): boolean =>
  group === AWS_GROUP && kind === 'EC2NodeClass';

/** Why nodes are disrupted, as budgets tell it apart. Source: karpenter v1.14, NodePool CRD. */
export type BudgetReason = 'Underutilized' | 'Empty' | 'Drifted';

/** How many nodes of a pool may be disrupted at once, when, and for which reasons. */
export interface BudgetSpec {
  /** "10%" or "3", as written. */
  readonly nodes: string;
  readonly schedule?: string;
  readonly durationMs?: number;
  /** Absent: every reason. */
  readonly reasons?: readonly BudgetReason[];
}

/** What every NodeClaim of a pool starts from. */
export interface NodePoolTemplate {
  readonly labels: Labels;
  readonly annotations: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly startupTaints: readonly Taint[];
  /** As written, in the order of the manifest: keys may repeat. */
  readonly requirements: readonly RequirementSpec[];
  readonly nodeClassRef: NodeClassRef;
  readonly expireAfter: DurationMs;
  readonly terminationGraceMs?: number;
}

/** A NodePool: a template for nodes, with limits, a weight and rules for disruption. */
export interface NodePool {
  readonly meta: ObjectMeta;
  readonly template: NodePoolTemplate;
  /** `spec.template` as it stands in the object: the hash distinguishes absent from empty. */
  readonly wireTemplate: Readonly<Record<string, unknown>>;
  readonly disruption: {
    readonly consolidationPolicy: 'WhenEmpty' | 'WhenEmptyOrUnderutilized' | 'Balanced';
    readonly consolidateAfter: DurationMs;
    readonly budgets: readonly BudgetSpec[];
  };
  /** Only what is listed is limited; `nodes` counts nodes. */
  readonly limits: Resources;
  readonly weight: number;
  /** Set: the pool is static and no source of nodes for pods. */
  readonly replicas?: number;
  readonly status: {
    readonly resources: Resources;
    readonly nodes: number;
    readonly nodeClassObservedGeneration?: number;
    readonly conditions: readonly Condition[];
  };
}
