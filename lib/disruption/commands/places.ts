import { compareText } from '#lib/constraints/order.ts';
import { PLACES } from '#lib/model/labels.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { Pod } from '#lib/model/pod.ts';
import { objectIn } from './record.ts';

const VERSION = 1;

/**
 * The annotation's value: by node that is there, digests of the pods that are meant for it. What was
 * found to fit together is tried first at the end, so that another packing does not undo it.
 */
export function writePlaces(
  placements: readonly { readonly pod: Pod; readonly host: string }[],
  digestOf: (uid: string) => string,
): string {
  const byHost = Map.groupBy(placements, ({ host }) => host);
  const to = [...byHost]
    .sort(([a], [b]) => compareText(a, b))
    .map(([host, pods]) => [
      host,
      pods
        .map(({ pod }) => digestOf(pod.meta.uid))
        .sort(compareText)
        .join(' '),
    ]);
  return JSON.stringify({ v: VERSION, to: Object.fromEntries(to) });
}

/** By digest of a pod: the node that it is meant for. */
export function placesOf({ meta }: Pick<NodeClaim, 'meta'>): ReadonlyMap<string, string> {
  const { v, to } = objectIn(meta.annotations[PLACES]);
  if (v !== VERSION) return new Map();
  return new Map(
    Object.entries({ ...Object(to) }).flatMap(([host, digests]) =>
      typeof digests === 'string'
        ? digests.split(' ').map((digest) => [digest, host] as const)
        : [],
    ),
  );
}
