import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';

/** All that a pass depends on but the clock. */
export const stateOf = ({ nodes }: Snapshot, waiting: readonly Pod[]): string =>
  [
    waiting.map(({ meta }) => meta.name).join(' '),
    ...nodes.map(({ name, node, claim, pods }) =>
      [
        name,
        node?.taints.length,
        claim?.status.conditions.length,
        claim?.meta.annotations['joinery.dev/disruption']?.length,
        ...pods.map(({ meta }) => meta.name),
      ].join(' '),
    ),
  ].join('\n');
