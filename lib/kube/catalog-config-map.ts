import { gunzipSync, gzipSync } from 'node:zlib';
import { decodeMeta, texts } from '#lib/kube/decode/decode-meta.ts';
import { wire } from '#lib/kube/decode/field.ts';
import { NAMESPACE } from '#lib/model/labels.ts';
import { MARKET_PARTS, type MarketDates } from '#lib/model/market.ts';
import type { ObjectRef } from '#lib/model/object.ts';
import { formatInstant, parseInstant } from '#lib/model/time.ts';
import { alreadyExists, isGone, KubeFailure, send } from './errors.ts';
import { pathOf } from './kinds.ts';
import { createOurs } from './namespace.ts';
import { SCHEMA, SCHEMA_VALUE } from './own-annotations.ts';
import type { KubeTransport } from './transport.ts';
import { patch } from './write.ts';

/** The ConfigMap that keeps what EC2 sells, so that nobody has to ask before a launch. */
const NAME = 'ec2-catalog';
const PATH = pathOf('ConfigMap', { namespace: NAMESPACE, name: NAME });
const FACTS_KEY = 'instance-types.json.gz';
const REGION_KEY = 'region.json.gz';
/** Source: kubernetes v1.36, core validation, MaxSecretSize, which ConfigMaps share. */
const MOST_BYTES = 1_048_576;

/** What EC2 sells, as the two files of the table say it, gzipped, in base64. */
export interface PackedCatalog {
  /** The facts of all types. */
  readonly facts: string;
  /** Where and for how much they are sold. */
  readonly region: string;
}

/** The record as it was found, or that it cannot be used. */
export type CatalogFound =
  | {
      readonly kind: 'record';
      readonly packed: PackedCatalog;
      /** When each part was asked for. */
      readonly dates: MarketDates;
      readonly ref: ObjectRef;
    }
  /** Another version of Joinery wrote it: it is neither read nor overwritten. */
  | { readonly kind: 'foreign'; readonly problem: string };

/** What is kept of what EC2 sells; undefined where nothing was ever written. Throws KubeFailure. */
export async function readCatalog(kube: KubeTransport): Promise<CatalogFound | undefined> {
  try {
    return decodeCatalog(await send(kube, { method: 'GET', path: PATH }));
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** Decodes the ConfigMap. */
export function decodeCatalog(configMap: unknown): CatalogFound {
  const body = wire(configMap);
  const { uid, resourceVersion, annotations } = decodeMeta(body);
  const ref = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace: NAMESPACE,
    name: NAME,
    uid,
    resourceVersion,
  };
  const schema = annotations[SCHEMA] ?? SCHEMA_VALUE;
  if (schema !== SCHEMA_VALUE) {
    const problem = `it is written in schema ${schema}, this version knows only ${SCHEMA_VALUE}: run one version at a time`;
    return { kind: 'foreign', problem };
  }
  const { [FACTS_KEY]: facts = '', [REGION_KEY]: region = '' } = texts(body, 'binaryData');
  return { kind: 'record', packed: { facts, region }, dates: datesIn(texts(body, 'data')), ref };
}

/** The two files, as JSON. Throws where they are damaged. */
export const unpackCatalog = ({
  facts,
  region,
}: PackedCatalog): { readonly facts: unknown; readonly region: unknown } => ({
  facts: unpack(facts),
  region: unpack(region),
});

/** The two files as they are kept. Takes some milliseconds for 1,200 types. */
export const packCatalog = (facts: unknown, region: unknown): PackedCatalog => ({
  facts: pack(facts),
  region: pack(region),
});

/**
 * Keeps `packed` in place of what was found; makes the ConfigMap where nothing was. Throws
 * KubeFailure: conflict where somebody else wrote in between, broken where it is too large to keep.
 */
export async function writeCatalog(
  kube: KubeTransport,
  { packed, dates }: { readonly packed: PackedCatalog; readonly dates: MarketDates },
  found: ObjectRef | undefined,
): Promise<void> {
  const bytes = bytesOf(packed.facts) + bytesOf(packed.region);
  if (bytes > MOST_BYTES) {
    const problem = `what EC2 sells takes ${bytes} bytes, a ConfigMap holds ${MOST_BYTES}`;
    throw new KubeFailure('broken', problem, {});
  }
  const annotations = { [SCHEMA]: SCHEMA_VALUE };
  const binaryData = { [FACTS_KEY]: packed.facts, [REGION_KEY]: packed.region };
  if (found !== undefined) {
    // A merge keeps what it does not name: dates of parts that are unknown now have to go.
    const data = { ...NO_DATES, ...encodeDates(dates) };
    await patch(kube, found, { metadata: { annotations }, data, binaryData });
    return;
  }
  try {
    const metadata = { name: NAME, namespace: NAMESPACE, annotations };
    await createOurs(kube, 'ConfigMap', { metadata, data: encodeDates(dates), binaryData });
  } catch (error) {
    if (!alreadyExists(error)) throw error;
    throw new KubeFailure('conflict', `ConfigMap ${NAMESPACE}/${NAME} was made in between`, {});
  }
}

const bytesOf = (base64: string): number => Buffer.byteLength(base64, 'base64');

// Not the asynchronous ones: a few milliseconds are not worth a thread.
const pack = (json: unknown): string => gzipSync(JSON.stringify(json)).toString('base64');

const unpack = (base64: string): unknown =>
  JSON.parse(gunzipSync(Buffer.from(base64, 'base64')).toString('utf8'));

const NO_DATES: Readonly<Record<string, null>> = Object.fromEntries(
  MARKET_PARTS.map((part) => [part, null]),
);

const encodeDates = (dates: MarketDates): Readonly<Record<string, string>> =>
  Object.fromEntries(
    MARKET_PARTS.flatMap((part) => {
      const at = dates[part];
      return at === undefined ? [] : [[part, formatInstant(at)]];
    }),
  );

const datesIn = (data: Readonly<Record<string, string>>): MarketDates =>
  Object.fromEntries(
    MARKET_PARTS.flatMap((part) => {
      const at = parseInstant(data[part] ?? '');
      return at === undefined ? [] : [[part, at]];
    }),
  );
