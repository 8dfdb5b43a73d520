import { place } from '#lib/decide/place.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import type { Difference } from '#test/build/objects.ts';
import { aPod } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

/** `count` pods called app-1, app-2, … that carry the label app. */
export const appPods = (app: string, count: number, difference: Difference<Pod> = {}): Pod[] =>
  Array.from({ length: count }, (_, at) =>
    aPod({
      requests: { cpu: 100 },
      ...difference,
      meta: {
        labels: { app },
        ...difference.meta,
        name: `${app}-${at + 1}`,
      },
    }),
  );

/** What becomes of the pods of a cluster. */
export const placed = (difference: Partial<Snapshot>) => place(aSnapshot(difference));

/** How many pods each new node of each zone got, sorted: `us-east-1a 2`. */
export function byZone(claims: ReturnType<typeof placed>['claims']): readonly string[] {
  const counts = new Map<string, number>();
  for (const { requirements, pods } of claims) {
    const zones = requirements.find(({ key }) => key === 'topology.kubernetes.io/zone')?.values;
    const zone = zones?.join('|') ?? 'any';
    counts.set(zone, (counts.get(zone) ?? 0) + pods.length);
  }
  return [...counts].map(([zone, count]) => `${zone} ${count}`).sort();
}

/** How many pods each new node got, the most first. */
export const perNode = (claims: ReturnType<typeof placed>['claims']): readonly number[] =>
  claims.map(({ pods }) => pods.length).sort((a, b) => b - a);
