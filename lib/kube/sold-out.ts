import { texts } from '#lib/kube/decode/decode-meta.ts';
import { wire } from '#lib/kube/decode/field.ts';
import type { CapacityType } from '#lib/model/instance-type.ts';
import { NAMESPACE } from '#lib/model/labels.ts';
import type { LeftOut } from '#lib/model/snapshot.ts';
import type { SoldOut } from '#lib/model/sold-out.ts';
import { type EpochMs, formatInstant, parseInstant } from '#lib/model/time.ts';
import { alreadyExists, isGone, send } from './errors.ts';
import { pathOf } from './kinds.ts';
import { createOurs } from './namespace.ts';
import { SCHEMA, SCHEMA_VALUE } from './own-annotations.ts';
import type { KubeTransport } from './transport.ts';

/** The ConfigMap that remembers which offerings EC2 could not give. */
export const SOLD_OUT_NAME = 'sold-out';
/**
 * Entries that ended this long ago are swept out when others are written; an offering that is sold
 * out again before that has been so twice in a row.
 */
const SWEEP_AFTER_MS = 600_000;
const CAPACITY_TYPES: readonly CapacityType[] = ['on-demand', 'spot', 'reserved'];

const PATH = pathOf('ConfigMap', { namespace: NAMESPACE, name: SOLD_OUT_NAME });

/** What a ConfigMap says of offerings: entries that hold at `now`, and those that say nothing. */
export interface SoldOutRecord {
  readonly soldOut: readonly SoldOut[];
  /** Ids of subnets that had no address left when a launch asked for some, sorted. */
  readonly fullSubnets: readonly string[];
  readonly leftOut: readonly LeftOut[];
}

const NOTHING: SoldOutRecord = { soldOut: [], fullSubnets: [], leftOut: [] };

/** What is remembered as sold out at `now`; nothing where nothing was ever written. */
export async function readSoldOut(kube: KubeTransport, now: EpochMs): Promise<SoldOutRecord> {
  const found = await read(kube);
  return found === undefined ? NOTHING : decodeSoldOut(found, now);
}

/**
 * Decodes the ConfigMap's data: keys `capacityType.instanceType.zone`, behind it the placement group
 * where it is so in one only, or `subnet.id`, values RFC 3339 instants, behind them how often in a row it was sold out, where that was more than once.
 *
 * Example: { "spot.m5.large.us-east-1a": "2026-11-20T12:03:00Z 2" }
 */
export function decodeSoldOut(configMap: unknown, now: EpochMs): SoldOutRecord {
  const soldOut: SoldOut[] = [];
  const fullSubnets: string[] = [];
  const leftOut: LeftOut[] = [];
  for (const [key, value] of Object.entries(texts(wire(configMap), 'data'))) {
    if (key.startsWith(SUBNET)) {
      if ((untilOf(value) ?? 0) > now) fullSubnets.push(key.slice(SUBNET.length));
      continue;
    }
    const entry = decodeEntry(key, value);
    if (entry === undefined) leftOut.push(badEntry(key, value));
    else if (entry.until > now) soldOut.push(entry);
  }
  return { soldOut, fullSubnets: fullSubnets.sort(), leftOut };
}

const SUBNET = 'subnet.';

const untilOf = (value: string): EpochMs | undefined => parseInstant(value.split(' ')[0] ?? '');

function decodeEntry(key: string, value: string): SoldOut | undefined {
  const [, offering = '', placementGroup] = /^(.*?)(?:\.(pg-[0-9a-z]+))?$/.exec(key) ?? [];
  const first = offering.indexOf('.');
  const last = offering.lastIndexOf('.');
  const capacityType = CAPACITY_TYPES.find((type) => type === offering.slice(0, first));
  const [instant = '', times = '1'] = value.split(' ');
  const until = parseInstant(instant);
  if (
    capacityType === undefined ||
    last <= first ||
    until === undefined ||
    !/^\d{1,4}$/.test(times)
  ) {
    return undefined;
  }
  return {
    capacityType,
    instanceType: offering.slice(first + 1, last),
    zone: offering.slice(last + 1),
    ...(placementGroup !== undefined && { placementGroup }),
    until,
    ...(times === '1' ? {} : { times: Number(times) }),
  };
}

const badEntry = (key: string, value: string): LeftOut => ({
  object: { apiVersion: 'v1', kind: 'ConfigMap', namespace: NAMESPACE, name: SOLD_OUT_NAME },
  field: `data[${key}]`,
  problem: `found ${JSON.stringify(value)}, expected capacityType.instanceType.zone and an instant`,
});

/** When it is, and until when an offering is left alone that is sold out for the n-th time. */
interface SoldOutTerms {
  readonly now: EpochMs;
  readonly until: (times: number, now: EpochMs) => EpochMs;
}

/**
 * Remembers offerings as sold out, key by key, so that two writers do not undo each other; sweeps
 * out what ended long ago. Throws KubeFailure.
 */
export const rememberSoldOut = (
  kube: KubeTransport,
  offerings: readonly Omit<SoldOut, 'until' | 'times'>[],
  terms: SoldOutTerms,
): Promise<void> => remember(kube, offerings.map(keyOf), terms);

/** Remembers in the same way that subnets have no address left. Throws KubeFailure. */
export const rememberFullSubnets = (
  kube: KubeTransport,
  ids: readonly string[],
  terms: SoldOutTerms,
): Promise<void> =>
  remember(
    kube,
    ids.map((id) => `${SUBNET}${id}`),
    terms,
  );

async function remember(
  kube: KubeTransport,
  keys: readonly string[],
  { now, until }: SoldOutTerms,
): Promise<void> {
  if (keys.length === 0) return;
  const found = await read(kube);
  const before = texts(wire(found ?? {}), 'data');
  const data = Object.fromEntries(
    keys.map((key) => {
      const times = timesOf(before[key], now);
      return [key, `${formatInstant(until(times, now))}${times === 1 ? '' : ` ${times}`}`];
    }),
  );
  if (found === undefined && (await make(kube, data))) return;
  await send(kube, {
    method: 'PATCH',
    path: PATH,
    contentType: 'application/merge-patch+json',
    body: { data: { ...endedKeys(before, now - SWEEP_AFTER_MS), ...data } },
  });
}

/** How often in a row it is sold out now: what still holds is the same time, told once more. */
function timesOf(value: string | undefined, now: EpochMs): number {
  const [instant = '', told = '1'] = (value ?? '').split(' ');
  const until = parseInstant(instant);
  const times = Number(told);
  if (until === undefined || until < now - SWEEP_AFTER_MS || !Number.isInteger(times)) return 1;
  return until > now ? times : times + 1;
}

/** Whether it was made; not where somebody else has made it in between. */
async function make(kube: KubeTransport, data: Readonly<Record<string, string>>): Promise<boolean> {
  const annotations = { [SCHEMA]: SCHEMA_VALUE };
  const metadata = { name: SOLD_OUT_NAME, namespace: NAMESPACE, annotations };
  try {
    await createOurs(kube, 'ConfigMap', { metadata, data });
    return true;
  } catch (error) {
    if (!alreadyExists(error)) throw error;
    return false;
  }
}

function endedKeys(
  data: Readonly<Record<string, string>>,
  before: EpochMs,
): Readonly<Record<string, null>> {
  const ended = Object.entries(data).filter(([, value]) => (untilOf(value) ?? 0) < before);
  return Object.fromEntries(ended.map(([key]) => [key, null]));
}

const keyOf = ({ placementGroup, ...offering }: Omit<SoldOut, 'until'>): string =>
  [offering.capacityType, offering.instanceType, offering.zone, placementGroup ?? []]
    .flat()
    .join('.');

async function read(kube: KubeTransport): Promise<unknown> {
  try {
    return await send(kube, { method: 'GET', path: PATH });
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}
