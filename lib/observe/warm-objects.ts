import {
  type DecodeResult,
  gatherReduced,
  type Reduced,
  type SnapshotKind,
} from '#lib/kube/decode/decode.ts';
import type { KubeTransport } from '#lib/kube/transport.ts';
import { catchUp, type KeptKind, listKind } from './kept-kind.ts';

/** How many objects of a kind are kept before it is watched rather than listed again. */
export type WatchedAbove = (kind: SnapshotKind) => number;

/**
 * A page is listed in less than it takes to read the present version and to watch. Kubelets report
 * on their Nodes, so that a watch of many is soon told that it has seen the present; a kind on which
 * nothing happens waits a second or two for a bookmark, and in that time some thousands are listed.
 */
const USUALLY: WatchedAbove = (kind) => {
  if (kind === 'Node') return 500;
  return kind === 'Pod' ? 2_500 : 10_000;
};

interface Memory {
  kept?: KeptKind;
  /** Ends when the last look at this kind has. */
  turn: Promise<unknown>;
}

// What a warm sandbox saw last of each kind, by its cluster. Losing it costs time, nothing else.
const memories = new WeakMap<KubeTransport, Map<SnapshotKind, Memory>>();

/**
 * The cluster's objects as they are at some moment after this call began, each kind at its own:
 * those of kinds with many objects that were listed before by a watch since then, all others by a
 * list. The same, whichever it was. Throws KubeFailure.
 */
export async function readKinds(
  kube: KubeTransport,
  kinds: readonly {
    readonly kind: SnapshotKind;
    /** What a kind that cannot be listed comes to; throws where it has to be there. */
    readonly ifMissing: (error: unknown) => void;
  }[],
  watchedAbove: WatchedAbove = USUALLY,
): Promise<DecodeResult> {
  const read = await Promise.all(
    kinds.map(async ({ kind, ifMissing }) => {
      try {
        return [kind, await readKind(kube, kind, watchedAbove(kind))] as const;
      } catch (error) {
        ifMissing(error);
        return [kind, []] as const;
      }
    }),
  );
  return gatherReduced(read);
}

/** One look after the other, since what is kept changes under a watch. */
function readKind(
  kube: KubeTransport,
  kind: SnapshotKind,
  watchedAbove: number,
): Promise<readonly Reduced[]> {
  const memory = memoryOf(kube, kind);
  const reading = memory.turn.then(async () => {
    const { kept } = memory;
    const isWatched = kept !== undefined && kept.objects.size > watchedAbove && !kept.bookmarksLag;
    if (!isWatched || !(await catchUp(kube, kind, kept))) {
      memory.kept = await listKind(kube, kind, kept);
    }
    return [...(memory.kept?.objects.values() ?? [])];
  });
  memory.turn = reading.catch(() => undefined);
  return reading;
}

function memoryOf(kube: KubeTransport, kind: SnapshotKind): Memory {
  const ofCluster = memories.get(kube) ?? new Map<SnapshotKind, Memory>();
  memories.set(kube, ofCluster);
  const memory = ofCluster.get(kind) ?? { turn: Promise.resolve() };
  ofCluster.set(kind, memory);
  return memory;
}
