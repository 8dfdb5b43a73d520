import type {
  ResolvedCapacityReservation,
  ResolvedPlacementGroup,
  ResolvedSecurityGroup,
  ResolvedSubnet,
} from './node-class.ts';
import type { EpochMs } from './time.ts';

/** What an SSM parameter promises of the image that it names. */
export type ImageVariant = 'standard' | 'nvidia' | 'neuron' | 'windows';

/** An image as EC2 describes it, before it is known which instance types may boot it. */
export interface FoundImage {
  readonly id: string;
  readonly name: string;
  readonly architecture: 'x86_64' | 'arm64';
  readonly createdAt: EpochMs;
  /** From when on its owner advises against it; absent where that is not planned. */
  readonly deprecatedAt?: EpochMs;
  /** What the SSM parameters that named it promise; absent where tag, id or name found it. */
  readonly variants?: readonly ImageVariant[];
}

/** A subnet as EC2 describes it. */
export interface FoundSubnet extends ResolvedSubnet {
  readonly vpcId?: string;
}

/** A security group as EC2 describes it. */
export interface FoundSecurityGroup extends ResolvedSecurityGroup {
  /** Every network in which it can be used; absent where that could not be found out. */
  readonly vpcIds?: readonly string[];
}

/** A capacity reservation as EC2 describes it; whether it is about to end is the core's to say. */
export type FoundCapacityReservation = Omit<ResolvedCapacityReservation, 'state'>;

/** An instance profile as IAM describes it. */
export interface FoundInstanceProfile {
  readonly name: string;
  readonly roles: readonly string[];
  readonly createdAt: EpochMs;
}

/** What a NodeClass leaves in the account: launch templates by name. */
export interface LeftBehind {
  readonly launchTemplates: readonly string[];
  readonly instanceProfiles: readonly FoundInstanceProfile[];
}

/** Why a part could not be asked. */
export interface Unanswered {
  readonly failed: string;
}

/**
 * What AWS answered about one EC2NodeClass's selectors at this instant. Each part is either what
 * was found (possibly nothing) or why it could not be asked.
 */
export interface NodeClassFacts {
  readonly nodeClass: string;
  readonly subnets: readonly FoundSubnet[] | Unanswered;
  readonly securityGroups: readonly FoundSecurityGroup[] | Unanswered;
  /** Why it could not be found out in which networks those can be used; nothing follows from it. */
  readonly networksUnknown?: string;
  readonly images: readonly FoundImage[] | Unanswered;
  /** Absent: the NodeClass selects none. */
  readonly capacityReservations?: readonly FoundCapacityReservation[] | Unanswered;
  /** Absent: the NodeClass selects none. Empty: the one it selects is not there. */
  readonly placementGroups?: readonly ResolvedPlacementGroup[] | Unanswered;
  /**
   * Where the NodeClass names a role: those that are kept for it. Where it names a profile: that
   * one, if it is there.
   */
  readonly instanceProfiles: readonly FoundInstanceProfile[] | Unanswered;
  /** What a kubelet expression came to for some instance type that cannot be used. */
  readonly kubeletProblem?: string;
}

/** What AWS answered about an EC2NodeClass that is being deleted and that nobody needs any more. */
export interface NodeClassRemains {
  readonly nodeClass: string;
  readonly leftBehind: LeftBehind | Unanswered;
}
