/**
 * The hash that tells whether NodeClaims still are what their NodePool's template says. It is
 * Karpenter's own number, so that a cluster can change hands, in both directions, without
 * replacing its nodes.
 *
 * Source: karpenter v1.14, apis/v1/nodepool.go, Hash; mitchellh/hashstructure v2 with FNV-1,
 * SlicesAsSets, IgnoreZeroValue and ZeroNil.
 */
import { fnv164 } from './digest.ts';
import type { NodePool } from './node-pool.ts';
import { parseDurationNanos } from './time.ts';

/** What karpenter.sh/nodepool-hash-version says of hashes made this way. */
export const NODEPOOL_HASH_VERSION_VALUE = 'v3';

/** The CRD's default, which counts where a manifest is hashed before an API server saw it. */
const DEFAULT_EXPIRE_AFTER = '720h';

const ENCODER = new TextEncoder();

const hashText = (text: string): bigint => fnv164(ENCODER.encode(text));

/** The hash of 64-bit words, each as eight bytes, the least significant first. */
function hashWords(...words: readonly bigint[]): bigint {
  const view = new DataView(new ArrayBuffer(8 * words.length));
  words.forEach((word, at) => {
    view.setBigUint64(8 * at, word, true);
  });
  return fnv164(new Uint8Array(view.buffer));
}

/** A field of a struct: its name in Go and its hash, which is absent where it counts for nothing. */
type Field = readonly [name: string, hash: bigint | undefined];

/** Every included field is sealed before the next one, so their order matters. */
function hashStruct(name: string, fields: readonly Field[]): bigint {
  let hash = hashText(name);
  for (const [field, value] of fields) {
    if (value !== undefined) hash = hashWords(hash ^ hashWords(hashText(field), value));
  }
  return hash;
}

/** A map present but empty counts; pairs are combined so that their order does not matter. */
function hashMap(value: unknown): bigint | undefined {
  if (!isRecord(value)) return undefined;
  let hash = 0n;
  for (const [key, text] of Object.entries(value)) {
    hash ^= hashWords(hashText(key), hashText(textOf(text)));
  }
  return hashWords(hash);
}

/** A list present but empty counts; equal items cancel each other in pairs. */
function hashList(value: unknown, hashItem: (item: unknown) => bigint): bigint | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.reduce((hash: bigint, item: unknown) => hash ^ hashItem(item), 0n);
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  isRecord(value) ? value : {};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const hashOptionalText = (value: unknown): bigint | undefined =>
  textOf(value) === '' ? undefined : hashText(textOf(value));

function hashTaint(taint: unknown): bigint {
  const { key, value, effect } = recordOf(taint);
  return hashStruct('Taint', [
    ['Key', hashOptionalText(key)],
    ['Value', hashOptionalText(value)],
    ['Effect', hashOptionalText(effect)],
  ]);
}

function hashNodeClassRef(reference: unknown): bigint | undefined {
  if (!isRecord(reference)) return undefined;
  return hashStruct('NodeClassReference', [
    ['Kind', hashOptionalText(reference.kind)],
    ['Name', hashOptionalText(reference.name)],
    ['Group', hashOptionalText(reference.group)],
  ]);
}

/** Nanoseconds as the two's complement of 64 bits. */
const hashNanos = (nanos: bigint): bigint => hashWords(BigInt.asUintN(64, nanos));

/** A grace period of 0 is a zero value inside a struct that is there. */
function hashGracePeriod(value: unknown): bigint | undefined {
  const nanos = typeof value === 'string' ? parseDurationNanos(value) : undefined;
  if (nanos === undefined) return undefined;
  return hashStruct('Duration', [['Duration', nanos === 0n ? undefined : hashNanos(nanos)]]);
}

/** `Never` is the absence of a duration and counts for nothing; 0 is a duration. */
function hashExpireAfter(value: unknown): bigint | undefined {
  const nanos = parseDurationNanos(typeof value === 'string' ? value : DEFAULT_EXPIRE_AFTER);
  return nanos === undefined
    ? undefined
    : hashStruct('NillableDuration', [['Duration', hashNanos(nanos)]]);
}

function hashMetadata(metadata: unknown): bigint | undefined {
  const { labels, annotations } = recordOf(metadata);
  const fields: readonly Field[] = [
    ['Labels', hashMap(labels)],
    ['Annotations', hashMap(annotations)],
  ];
  return fields.every(([, hash]) => hash === undefined)
    ? undefined
    : hashStruct('ObjectMeta', fields);
}

function hashSpec(spec: unknown): bigint | undefined {
  const fields = recordOf(spec);
  return hashStruct('NodeClaimTemplateSpec', [
    ['Taints', hashList(fields.taints, hashTaint)],
    ['StartupTaints', hashList(fields.startupTaints, hashTaint)],
    ['NodeClassRef', hashNodeClassRef(fields.nodeClassRef)],
    ['TerminationGracePeriod', hashGracePeriod(fields.terminationGracePeriod)],
    ['ExpireAfter', hashExpireAfter(fields.expireAfter)],
  ]);
}

/**
 * The hash of a NodePool's template as it stands in its object, an unsigned 64-bit number in
 * decimal digits. Requirements do not count (they drift node by node), nor does the order of
 * labels and taints; a field that is absent differs from one that is empty. `timeAdded` of a
 * taint, which nobody writes into a template, is not looked at.
 */
export function nodePoolHash({ wireTemplate }: Pick<NodePool, 'wireTemplate'>): string {
  return hashStruct('NodeClaimTemplate', [
    ['ObjectMeta', hashMetadata(wireTemplate.metadata)],
    ['Spec', hashSpec(wireTemplate.spec)],
  ]).toString();
}
