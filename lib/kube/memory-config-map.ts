import { texts } from '#lib/kube/decode/decode-meta.ts';
import { wire } from '#lib/kube/decode/field.ts';
import { NAMESPACE } from '#lib/model/labels.ts';
import type { MemoryRecord } from '#lib/model/memory-record.ts';
import type { LeftOut } from '#lib/model/snapshot.ts';
import { type EpochMs, formatInstant, parseInstant } from '#lib/model/time.ts';
import { alreadyExists, isGone, send } from './errors.ts';
import { pathOf } from './kinds.ts';
import { createOurs } from './namespace.ts';
import { SCHEMA, SCHEMA_VALUE } from './own-annotations.ts';
import type { KubeTransport } from './transport.ts';

/** The ConfigMap that remembers how much memory nodes told that they have. */
const NAME = 'discovered-memory';
const PATH = pathOf('ConfigMap', { namespace: NAMESPACE, name: NAME });

/** What a ConfigMap says of memory, and the entries in it that say nothing. */
export interface MemoryFound {
  readonly memory: readonly MemoryRecord[];
  readonly leftOut: readonly LeftOut[];
}

/** What is remembered of the memory of nodes; nothing where nothing was ever written. */
export async function readMemory(kube: KubeTransport): Promise<MemoryFound> {
  try {
    return decodeMemory(await send(kube, { method: 'GET', path: PATH }));
  } catch (error) {
    if (isGone(error)) return { memory: [], leftOut: [] };
    throw error;
  }
}

/**
 * Decodes the ConfigMap's data: keys `instanceType.images`, values bytes and an RFC 3339 instant.
 *
 * Example: { "m5.large.k3v0x1b2c4": "8022000000 2026-11-20T12:00:00Z" }
 */
function decodeMemory(configMap: unknown): MemoryFound {
  const memory: MemoryRecord[] = [];
  const leftOut: LeftOut[] = [];
  for (const [key, value] of Object.entries(texts(wire(configMap), 'data'))) {
    const record = decodeEntry(key, value);
    if (record === undefined) leftOut.push(badEntry(key, value));
    else memory.push(record);
  }
  return { memory, leftOut };
}

function decodeEntry(key: string, value: string): MemoryRecord | undefined {
  const dot = key.lastIndexOf('.');
  const [, digits = '', instant = ''] = /^(\d{1,15}) (\S+)$/.exec(value) ?? [];
  const seenAt = parseInstant(instant);
  if (dot <= 0 || seenAt === undefined) return undefined;
  return {
    instanceType: key.slice(0, dot),
    images: key.slice(dot + 1),
    bytes: Number(digits),
    seenAt,
  };
}

const badEntry = (key: string, value: string): LeftOut => ({
  object: { apiVersion: 'v1', kind: 'ConfigMap', namespace: NAMESPACE, name: NAME },
  field: `data[${key}]`,
  problem: `found ${JSON.stringify(value)}, expected instanceType.images, then bytes and an instant`,
});

/**
 * Remembers what nodes told, key by key, so that two writers do not undo each other; forgets what
 * was last told before `since`. Throws KubeFailure.
 */
export async function rememberMemory(
  kube: KubeTransport,
  records: readonly MemoryRecord[],
  since: EpochMs,
): Promise<void> {
  const data = Object.fromEntries(
    records.map((record) => [keyOf(record), `${record.bytes} ${formatInstant(record.seenAt)}`]),
  );
  const ended = (await readMemory(kube)).memory.filter(({ seenAt }) => seenAt < since);
  const forgotten = Object.fromEntries(ended.map((record) => [keyOf(record), null]));
  try {
    await send(kube, {
      method: 'PATCH',
      path: PATH,
      contentType: 'application/merge-patch+json',
      body: { data: { ...forgotten, ...data } },
    });
  } catch (error) {
    if (!isGone(error)) throw error;
    await make(kube, data);
  }
}

async function make(kube: KubeTransport, data: Readonly<Record<string, string>>): Promise<void> {
  const metadata = { name: NAME, namespace: NAMESPACE, annotations: { [SCHEMA]: SCHEMA_VALUE } };
  try {
    await createOurs(kube, 'ConfigMap', { metadata, data });
  } catch (error) {
    // Made in between: the next look finds what is missing in it, and adds it.
    if (!alreadyExists(error)) throw error;
  }
}

const keyOf = ({ instanceType, images }: MemoryRecord): string => `${instanceType}.${images}`;
