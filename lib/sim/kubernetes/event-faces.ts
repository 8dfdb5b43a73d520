/**
 * Events are one store behind two groups. They are kept in the words of core/v1 and told in those
 * of events.k8s.io/v1 to whoever asks there; what each calls deprecated is carried along.
 */
import { isRecord, type JsonRecord, without } from './json.ts';
import { EVENTS_GROUP } from './resources.ts';
import type { KubeObject } from './wire.ts';

/** core/v1's name and events.k8s.io/v1's name of each field that the two call differently. */
const NAMES: readonly (readonly [string, string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['reportingComponent', 'reportingController'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
];

/** An Event of events.k8s.io/v1 as it is stored. */
export function toStoredEvent(body: unknown): unknown {
  return isRecord(body) ? rename(body, 1, 0) : body;
}

/** A stored Event in the words of events.k8s.io/v1. */
export function toNewEvent(event: KubeObject): KubeObject {
  const renamed = rename({ ...event }, 0, 1);
  return { ...renamed, apiVersion: `${EVENTS_GROUP}/v1`, kind: 'Event', metadata: event.metadata };
}

function rename(record: JsonRecord, from: 0 | 1, to: 0 | 1): JsonRecord {
  const renamed: Record<string, unknown> = {
    ...without(record, ...NAMES.map((pair) => pair[from])),
  };
  for (const pair of NAMES) {
    const value = record[pair[from]];
    if (value !== undefined) renamed[pair[to]] = value;
  }
  return renamed;
}
