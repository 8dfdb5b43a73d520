import type { InstanceType } from './instance-type.ts';
import { NODEPOOL } from './labels.ts';
import type { NodeClaim } from './node-claim.ts';
import type { NodePool } from './node-pool.ts';

/**
 * What EC2 would sell for each NodeClass at one instant, sold-out offerings marked unavailable.
 * Two NodePools with one NodeClass share a list; a NodeClass that is not resolved has none.
 */
export interface Catalog {
  readonly region: string;
  /** The day (YYYY-MM-DD) on which the on-demand prices were taken. */
  readonly pricedAt: string;
  /** Whether spot prices are estimates rather than EC2's own. */
  readonly spotPricesAreEstimates: boolean;
  /** Why it may not be what EC2 sells now, for a person; absent where nothing speaks against it. */
  readonly warning?: string;
  /** By EC2NodeClass name; each list sorted by name. */
  readonly byNodeClass: ReadonlyMap<string, readonly InstanceType[]>;
  /** By NodePool name, for those of which NodeOverlays change what is sold to them. */
  readonly byNodePool?: ReadonlyMap<string, readonly InstanceType[]>;
}

/** What would be sold for nodes of a NodePool, its NodeOverlays applied; sorted by name. */
export const typesFor = (
  { byNodeClass, byNodePool }: Catalog,
  { meta, template }: Pick<NodePool, 'meta' | 'template'>,
): readonly InstanceType[] =>
  byNodePool?.get(meta.name) ?? byNodeClass.get(template.nodeClassRef.name) ?? [];

/** What would be sold for a NodeClaim, the NodeOverlays of its NodePool applied. */
export const typesForClaim = (
  { byNodeClass, byNodePool }: Catalog,
  { meta, spec }: Pick<NodeClaim, 'meta' | 'spec'>,
): readonly InstanceType[] =>
  byNodePool?.get(meta.labels[NODEPOOL] ?? '') ?? byNodeClass.get(spec.nodeClassRef.name) ?? [];
