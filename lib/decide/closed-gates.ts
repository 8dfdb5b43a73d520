import { compareText } from '#lib/constraints/order.ts';
import type { FeatureGate } from '#lib/model/feature-gates.ts';
import { isOpen } from '#lib/model/settings.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';

/** What stands in a cluster and is not heeded because its gate is closed, each a sentence. */
export function closedGates(snapshot: Snapshot): readonly string[] {
  const { nodeOverlays, capacityBuffers, nodePools, settings } = snapshot;
  const behind: readonly (readonly [FeatureGate, readonly string[]])[] = [
    ['NodeOverlay', nodeOverlays.map(({ meta }) => `NodeOverlay ${meta.name}`)],
    [
      'CapacityBuffer',
      capacityBuffers.map(({ meta }) => `CapacityBuffer ${meta.namespace}/${meta.name}`),
    ],
    [
      'StaticCapacity',
      nodePools
        .filter(({ replicas }) => replicas !== undefined)
        .map(({ meta }) => `NodePool ${meta.name} (replicas)`),
    ],
  ];
  return behind
    .filter(([gate]) => !isOpen(settings, gate))
    .flatMap(([gate, names]) =>
      names.map((name) => `${name} is not heeded: the feature gate ${gate} is off`),
    )
    .sort(compareText);
}
