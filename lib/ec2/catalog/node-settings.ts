import { type AmiFamily, amiFamilyOf } from '#lib/ec2/images/ami-family.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';

/** Bytes of memory that nodes told of, by instance type. */
export type DiscoveredMemory = ReadonlyMap<string, number>;

/** What is the same for all types of one NodeClass. */
export interface NodeSettings {
  readonly nodeClass: NodeClass;
  readonly family: AmiFamily;
  /** The share of memory that the hypervisor keeps, e.g. 0.075. */
  readonly vmMemoryOverheadPercent: number;
  readonly reservedInterfaces: number;
  /** Whether kubelet settings may be expressions over the type. */
  readonly kubeletExpressions: boolean;
  /** What nodes with this NodeClass's images told; empty where none did. */
  readonly discoveredMemory: DiscoveredMemory;
}

/** What the cluster's settings say about the numbers of nodes. */
export type NumberSettings = Pick<
  ClusterSettings,
  'vmMemoryOverheadPercent' | 'reservedInterfaces' | 'kubeletExpressions'
>;

const NOTHING_DISCOVERED: DiscoveredMemory = new Map();

/** The settings under which a NodeClass's nodes are counted. */
export const nodeSettingsOf = (
  nodeClass: NodeClass,
  settings: NumberSettings,
  discoveredMemory: DiscoveredMemory = NOTHING_DISCOVERED,
): NodeSettings => ({
  nodeClass,
  family: amiFamilyOf(nodeClass),
  vmMemoryOverheadPercent: settings.vmMemoryOverheadPercent,
  reservedInterfaces: settings.reservedInterfaces ?? 0,
  kubeletExpressions: settings.kubeletExpressions ?? false,
  discoveredMemory,
});
