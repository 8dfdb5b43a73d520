import type { RejectionPhase } from '#lib/constraints/rejection.ts';
import type { RequirementSpec } from '#lib/constraints/requirement.ts';
import type { Resources } from '#lib/constraints/resources.ts';
import type { Taint } from '#lib/constraints/taints.ts';
import type { Command } from './command.ts';
import type { CapacityType } from './instance-type.ts';
import type { Launch, LaunchedInstance } from './launch.ts';
import type { MarketPart } from './market.ts';
import type { MemoryRecord } from './memory-record.ts';
import type { NewNodeClaim } from './node-claim.ts';
import type {
  ResolvedAmi,
  ResolvedCapacityReservation,
  ResolvedSecurityGroup,
  ResolvedSubnet,
} from './node-class.ts';
import type { Condition, ObjectRef, Owner } from './object.ts';
import type { UnavailableOffering } from './sold-out.ts';
import type { EpochMs } from './time.ts';

/** A change of labels, annotations, finalizers or owners. null takes a key away. */
export interface MetaChange {
  readonly labels?: Readonly<Record<string, string | null>>;
  readonly annotations?: Readonly<Record<string, string | null>>;
  /** The whole list, as it shall be. */
  readonly finalizers?: readonly string[];
  /** The whole list, as it shall be. */
  readonly owners?: readonly Owner[];
}

/** What of a Node is written as a whole. */
export interface NodeLists {
  readonly finalizers: readonly string[];
  readonly owners: readonly Owner[];
  readonly taints: readonly Taint[];
}

/** A change of an object's status; what is absent stays. Lists are whole. */
export interface StatusChange {
  readonly conditions?: readonly Condition[];
  /** NodeClaims. */
  readonly nodeName?: string;
  readonly capacity?: Resources;
  readonly allocatable?: Resources;
  readonly lastPodEventAt?: EpochMs;
  /** NodePools. */
  readonly resources?: Resources;
  readonly nodes?: number;
  readonly nodeClassObservedGeneration?: number;
  /** EC2NodeClasses. */
  readonly subnets?: readonly ResolvedSubnet[];
  readonly securityGroups?: readonly ResolvedSecurityGroup[];
  readonly amis?: readonly ResolvedAmi[];
  readonly capacityReservations?: readonly ResolvedCapacityReservation[];
  readonly instanceProfile?: string;
  /** CapacityBuffers. */
  readonly podTemplateName?: string;
  readonly replicas?: number;
  readonly podTemplateGeneration?: number;
  readonly provisioningStrategy?: string;
}

/** One effect on the world, as data: a Plan can be logged, compared, kept and replayed. */
export type Action =
  | {
      readonly kind: 'createNodeClaim';
      readonly claim: NewNodeClaim;
      /** namespace/name of the pods it is for. */
      readonly forPods: readonly string[];
    }
  | { readonly kind: 'launch'; readonly launch: Launch }
  /** Tells an instance that EC2 gave, or that was found by its tags, to its claim. */
  | {
      readonly kind: 'adoptInstance';
      readonly claim: ObjectRef;
      readonly instance: LaunchedInstance;
    }
  | {
      readonly kind: 'update';
      readonly object: ObjectRef;
      readonly meta: MetaChange;
      /** Nodes only: the whole list, as it shall be. */
      readonly taints?: readonly Taint[];
      /**
       * Nodes only: the lists as they were. Where others have written to the Node since, the same
       * difference is made to what it has become; without them the update is lost then.
       */
      readonly seen?: NodeLists;
      /** Notes what was announced of a NodeClaim's machine: right whatever else is being decided. */
      readonly needsNoLease?: true;
    }
  | { readonly kind: 'updateStatus'; readonly object: ObjectRef; readonly status: StatusChange }
  | {
      readonly kind: 'delete';
      readonly object: ObjectRef;
      readonly because: string;
      /** A NodeClaim whose machine goes: whatever else is being decided, this is right. */
      readonly needsNoLease?: true;
    }
  | {
      readonly kind: 'evict';
      readonly pod: ObjectRef;
      readonly node: ObjectRef;
      readonly because: string;
    }
  | {
      readonly kind: 'forceDelete';
      readonly pod: ObjectRef;
      readonly graceSeconds: number;
      readonly because: string;
    }
  /** Remembers offerings that EC2 takes back as unavailable for a while. Ours alone: needs no Lease. */
  | { readonly kind: 'markUnavailable'; readonly offerings: readonly UnavailableOffering[] }
  /** Not-found is success; the finalizer goes only after a later look saw the instance gone. */
  | {
      readonly kind: 'terminateInstance';
      readonly instanceId: string;
      /** Absent: no NodeClaim holds it. */
      readonly claim?: ObjectRef;
    }
  /** Adds tags that the instance lacks; those that it has are not listed here. */
  | {
      readonly kind: 'tagInstance';
      readonly instanceId: string;
      readonly claim: ObjectRef;
      readonly tags: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'ensureInstanceProfile';
      readonly nodeClass: ObjectRef;
      readonly profile: string;
      /** Where IAM files it, e.g. /karpenter/us-east-1/shop/0f3a…/. */
      readonly path: string;
      readonly role: string;
      readonly tags: Readonly<Record<string, string>>;
    }
  /** Not-found is success; the roles are those that IAM listed, and are taken out first. */
  | {
      readonly kind: 'deleteInstanceProfile';
      readonly nodeClass: ObjectRef;
      readonly profile: string;
      readonly roles: readonly string[];
    }
  /** Not-found is success. */
  | { readonly kind: 'deleteLaunchTemplate'; readonly name: string; readonly because: string }
  /**
   * Tells kube-scheduler where a pod should go (status.nominatedNodeName); null takes that back.
   * Carries the pod's uid alone: a pod that is bound by then refuses it.
   */
  | { readonly kind: 'nominate'; readonly pod: ObjectRef; readonly nodeName: string | null }
  /**
   * Binds pods to a node that keeps kube-scheduler away, unless other pods are on it by then than
   * `podsSeen` (uids, sorted).
   */
  | {
      readonly kind: 'bind';
      readonly node: ObjectRef;
      readonly pods: readonly ObjectRef[];
      readonly podsSeen: readonly string[];
    }
  /**
   * Takes one taint off a Node and touches nothing else of it. All of a Plan are done at the same
   * moment, once its nominations and bindings are.
   */
  | {
      readonly kind: 'liftTaint';
      readonly node: ObjectRef;
      readonly taint: Taint;
      /** Where in the Node's list it was seen. */
      readonly at: number;
    }
  /** Asks EC2 again what it sells, and keeps it. Ours alone: needs no Lease. */
  | { readonly kind: 'refreshMarket'; readonly parts: readonly MarketPart[] }
  /** Keeps what nodes told of their memory. Ours alone: needs no Lease. */
  | { readonly kind: 'rememberMemory'; readonly records: readonly MemoryRecord[] }
  | {
      readonly kind: 'recordEvent';
      readonly about: ObjectRef;
      readonly type: 'Normal' | 'Warning';
      readonly reason: string;
      readonly message: string;
      /** Goes with something that needs no Lease, and would not be said by the next look. */
      readonly needsNoLease?: true;
    };

/** One NodeClaim to be, as plan-format tells it. Types are sorted by price, pods by name. */
export interface PlannedNodeClaim {
  readonly name: string;
  readonly nodePool: string;
  readonly instanceTypes: readonly string[];
  readonly requirements: readonly RequirementSpec[];
  /** Kubernetes quantities. */
  readonly requests: Readonly<Record<string, string>>;
  /** namespace/name. */
  readonly pods: readonly string[];
  readonly cheapest: {
    readonly instanceType: string;
    readonly zone: string;
    readonly capacityType: CapacityType;
  };
  readonly usdPerHour: number;
}

/** A pod that fits a node which exists or is on its way: one of `node` and `nodeClaim`. */
export interface Placement {
  readonly pod: string;
  readonly node?: string;
  readonly nodeClaim?: string;
}

/** A pod that no node can be given, with the reason of each NodePool, heaviest pool first. */
export interface Refusal {
  readonly pod: string;
  readonly by: RejectionPhase;
  readonly because: string;
  readonly nodePools: readonly {
    readonly nodePool: string;
    readonly by: RejectionPhase;
    readonly because: string;
  }[];
}

/** Where the room is that a CapacityBuffer keeps. */
export interface BufferPlan {
  /** namespace/name. */
  readonly buffer: string;
  /** How many pods it keeps room for: those on nodes, on new nodes, and refused, together. */
  readonly replicas: number;
  readonly onNodes: number;
  readonly onNewNodes: number;
  readonly refused: number;
  /** Why some are refused, or why there are none. */
  readonly because?: string;
}

/** A node that was looked at and stays, with the first reason that keeps it. */
export interface Kept {
  readonly node: string;
  readonly by: string;
  readonly because: string;
}

/** Which of the four functions a Plan is of. */
export type Decision = 'provision' | 'consolidate' | 'drift' | 'interrupt';

/**
 * What one decision wants done and why, as plain JSON. Everything is sorted; the same Snapshot,
 * its lists shuffled, gives the same bytes. `joinery plan -o json` prints it as it is, under
 * apiVersion and kind.
 */
export interface Plan {
  readonly decision: Decision;
  /** RFC 3339. */
  readonly takenAt: string;
  readonly nodeClaims: readonly PlannedNodeClaim[];
  readonly placements: readonly Placement[];
  readonly commands: readonly Command[];
  readonly kept: readonly Kept[];
  readonly refused: readonly Refusal[];
  /** Absent where there is no CapacityBuffer. */
  readonly buffers?: readonly BufferPlan[];
  /** The sum over nodeClaims. */
  readonly usdPerHour: number;
  /** Proven: no plan that places the same pods on new nodes adds less. */
  readonly lowerBoundUsdPerHour: number;
  /** In the order in which they are to be done; each may be done alone. */
  readonly actions: readonly Action[];
  readonly warnings: readonly string[];
  /** RFC 3339; absent where nothing is expected to happen before the next heartbeat. */
  readonly lookAgainAt?: string;
}

/** What became of an Action. */
export interface Outcome {
  readonly action: Action;
  /** lost: the object had changed or gone, look again. retry: not now. failed: a person must look. */
  readonly result: 'done' | 'lost' | 'retry' | 'failed';
  readonly because?: string;
  /** How long the API server bids us wait before the same is tried again; absent: it did not say. */
  readonly retryAfterSeconds?: number;
}
