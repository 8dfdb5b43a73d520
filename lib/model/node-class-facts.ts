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
  readonly vpcId?: string;
}

/** A capacity reservation as EC2 describes it; whether it is about to end is the core's to say. */
export type FoundCapacityReservation = Omit<ResolvedCapacityReservation, 'state'>;

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
  readonly images: readonly FoundImage[] | Unanswered;
  /** Absent: the NodeClass selects none. */
  readonly capacityReservations?: readonly FoundCapacityReservation[] | Unanswered;
  /** Absent: the NodeClass selects none. Empty: the one it selects is not there. */
  readonly placementGroups?: readonly ResolvedPlacementGroup[] | Unanswered;
  /** The name of the instance profile that is there, its role attached; absent where it is not. */
  readonly instanceProfile?: string | Unanswered;
}
