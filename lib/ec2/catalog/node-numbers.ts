import { hasExpressions, kubeletNumbers } from '#lib/ec2/kubelet/kubelet-numbers.ts';
import { allocatableOf, overheadOf } from '#lib/ec2/kubelet/overhead.ts';
import type { InstanceType } from '#lib/model/instance-type.ts';
import { capacityOf } from './capacity.ts';
import type { NodeSettings } from './node-settings.ts';
import type { InstanceTypeFacts } from './table.ts';

/** What a node has, keeps back and leaves to pods, and what its kubelet is told to keep back. */
export type NodeNumbers = Pick<InstanceType, 'capacity' | 'overhead' | 'allocatable' | 'reserves'>;

/**
 * All numbers of a node of this type under the settings of a NodeClass.
 *
 * Example: m5.large with AL2023 has 7577Mi and 29 pods, and leaves 1930m and 6903Mi to them.
 * Source: karpenter AWS provider v1.14, providers/instancetype/types.go, NewInstanceType.
 */
export function nodeNumbersOf(facts: InstanceTypeFacts, settings: NodeSettings): NodeNumbers {
  const { podLimit, reserves } = kubeletNumbers(facts, settings);
  const capacity = capacityOf(facts, settings, podLimit);
  const overhead = overheadOf(facts, settings, capacity, reserves);
  return {
    capacity,
    overhead,
    allocatable: allocatableOf(capacity, overhead),
    ...(hasExpressions(settings.nodeClass.spec.kubelet ?? {}) && { reserves }),
  };
}
