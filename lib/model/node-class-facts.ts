import type { ResolvedSecurityGroup, ResolvedSubnet } from './node-class.ts';
import type { EpochMs } from './time.ts';

/** An image as EC2 describes it, before it is known which instance types may boot it. */
export interface FoundImage {
  readonly id: string;
  readonly name: string;
  readonly architecture: 'x86_64' | 'arm64';
  readonly createdAt: EpochMs;
  /** From when on its owner advises against it; absent where that is not planned. */
  readonly deprecatedAt?: EpochMs;
  /** What the SSM parameter that named it promises; absent where it was found by tag, id or name. */
  readonly variant?: 'standard' | 'nvidia' | 'neuron';
}

/**
 * What AWS answered about one EC2NodeClass's selectors at this instant. Each part is either what
 * was found (possibly nothing) or why it could not be asked.
 */
export interface NodeClassFacts {
  readonly nodeClass: string;
  readonly subnets: readonly ResolvedSubnet[] | { readonly failed: string };
  readonly securityGroups: readonly ResolvedSecurityGroup[] | { readonly failed: string };
  readonly images: readonly FoundImage[] | { readonly failed: string };
  /** The name of the instance profile that is there, its role attached; absent where it is not. */
  readonly instanceProfile?: string | { readonly failed: string };
}
