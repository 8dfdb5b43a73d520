import { compareText } from '#lib/constraints/order.ts';
import { shortDigest } from '#lib/model/digest.ts';
import { INSTANCE_TYPE, REGISTERED } from '#lib/model/labels.ts';
import type { MemoryRecord } from '#lib/model/memory-record.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import type { EpochMs } from '#lib/model/time.ts';
import type { DiscoveredMemory } from './node-settings.ts';

const DAY_MS = 86_400_000;
/**
 * For how long what a node told counts.
 *
 * Source: karpenter AWS provider v1.14, providers/instancetype, discovered capacity TTL.
 */
export const MEMORY_COUNTS_FOR_MS = 60 * DAY_MS;
/** A record that nodes still bear out is dated anew this often, so that it does not end. */
const RENEWED_EVERY_MS = 7 * DAY_MS;

/** What nodes with this NodeClass's present images told of their memory. */
export function memoryFor(
  nodeClass: NodeClass,
  records: readonly MemoryRecord[],
): DiscoveredMemory {
  if (records.length === 0) return new Map();
  const images = imagesOf(nodeClass);
  return new Map(
    records.flatMap((record) =>
      record.images === images ? [[record.instanceType, record.bytes] as const] : [],
    ),
  );
}

/** The records that still count at `now`. */
export const currentMemory = (
  records: readonly MemoryRecord[],
  now: EpochMs,
): readonly MemoryRecord[] => records.filter(({ seenAt }) => now - seenAt < MEMORY_COUNTS_FOR_MS);

/**
 * What registered nodes tell of the memory of their types that is not remembered yet: the least
 * that one of them has, sorted by type and images. Nodes whose image their NodeClass no longer
 * resolves to tell nothing. O(nodes).
 *
 * Source: karpenter AWS provider v1.14, controllers/providers/instancetype/capacity.
 */
export function memoryToRemember(
  snapshot: Pick<Snapshot, 'nodes' | 'nodeClasses' | 'memory' | 'takenAt'>,
): readonly MemoryRecord[] {
  const { nodes, nodeClasses, memory = [], takenAt } = snapshot;
  const classes = new Map(nodeClasses.map((each) => [each.meta.name, each]));
  const known = new Map(currentMemory(memory, takenAt).map((record) => [keyOf(record), record]));
  const told = new Map<string, MemoryRecord>();
  for (const state of nodes) {
    const record = toldBy(state, classes, takenAt);
    if (record === undefined) continue;
    const before = told.get(keyOf(record));
    if (before === undefined || record.bytes < before.bytes) told.set(keyOf(record), record);
  }
  return [...told]
    .flatMap(([key, record]) => worthWriting(record, known.get(key)))
    .sort((a, b) => compareText(a.instanceType, b.instanceType) || compareText(a.images, b.images));
}

function worthWriting(
  told: MemoryRecord,
  known: MemoryRecord | undefined,
): readonly MemoryRecord[] {
  if (known === undefined || told.bytes < known.bytes) return [told];
  return told.seenAt - known.seenAt < RENEWED_EVERY_MS ? [] : [{ ...told, bytes: known.bytes }];
}

function toldBy(
  { node, claim }: StateNode,
  classes: ReadonlyMap<string, NodeClass>,
  takenAt: EpochMs,
): MemoryRecord | undefined {
  const nodeClass = classes.get(claim?.spec.nodeClassRef.name ?? '');
  const instanceType = claim?.meta.labels[INSTANCE_TYPE];
  const bytes = node?.capacity.memory ?? 0;
  const isCurrent = nodeClass?.status.amis.some(({ id }) => id === claim?.status.imageId) ?? false;
  const isRegistered = node?.meta.labels[REGISTERED] === 'true';
  if (!nodeClass || instanceType === undefined || bytes <= 0 || !isCurrent || !isRegistered) {
    return undefined;
  }
  return { instanceType, images: imagesOf(nodeClass), bytes, seenAt: takenAt };
}

const DIGEST_LENGTH = 10;

const imagesOf = ({ status }: NodeClass): string =>
  shortDigest(
    status.amis
      .map(({ id }) => id)
      .sort(compareText)
      .join(),
    DIGEST_LENGTH,
  );

const keyOf = ({ instanceType, images }: MemoryRecord): string => `${instanceType} ${images}`;
