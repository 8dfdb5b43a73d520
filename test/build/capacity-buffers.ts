import type { CapacityBuffer } from '#lib/model/capacity-buffer.ts';
import { aNamespacedMeta, type Difference } from './objects.ts';

/** The CapacityBuffer `room` of the default namespace, which refers to nothing. */
export function aCapacityBuffer(difference: Difference<CapacityBuffer> = {}): CapacityBuffer {
  const { meta, ...rest } = difference;
  return {
    meta: aNamespacedMeta('room', meta),
    provisioningStrategy: 'buffer.x-k8s.io/active-capacity',
    limits: {},
    status: { conditions: [] },
    ...rest,
  };
}
