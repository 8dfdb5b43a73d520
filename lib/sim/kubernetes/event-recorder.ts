import type { Clock } from '../clock.ts';
import type { Store } from './store.ts';
import { toMicroTimestamp, toTimestamp } from './timestamps.ts';
import type { KubeObject } from './wire.ts';
import type { Writer } from './writer.ts';

/** Something worth telling about an object. */
interface Occurrence {
  readonly about: KubeObject;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly action: string;
  readonly note: string;
}

/** Tells what happens to objects as Events. */
export interface EventRecorder {
  readonly record: (occurrence: Occurrence) => void;
}

const LIFE_MS = 3_600_000;
/** How many repeats are counted in memory only, after the first one is written. */
const WRITTEN_REPEATS = 1;

/**
 * A recorder of events.k8s.io/v1: the first of a series is a CREATE; its first repeat an update
 * that keeps the old note; more repeats are only counted. A series is about one resourceVersion.
 * Events older than an hour are removed.
 *
 * Source: kubernetes v1.36, client-go/tools/events, as observed.
 */
export function createEventRecorder(
  controller: string,
  clock: Clock,
  store: Store,
  writer: Writer,
): EventRecorder {
  const series = new Map<string, { readonly event: KubeObject; repeats: number }>();
  const written: { readonly event: KubeObject; readonly until: number }[] = [];
  const removeOld = (): void => {
    while (written[0] !== undefined && written[0].until <= clock.now()) {
      const old = written.shift()?.event;
      const current = old === undefined ? undefined : store.byUid(old.metadata.uid);
      if (current !== undefined) writer.remove(current);
    }
  };
  const forgetOld = (): void => {
    for (const [key, { event }] of series) {
      if (Date.parse(event.metadata.creationTimestamp) + LIFE_MS > clock.now()) break;
      series.delete(key);
    }
  };
  return {
    record: (occurrence) => {
      removeOld();
      forgetOld();
      const { about, reason, action } = occurrence;
      const { uid, resourceVersion } = about.metadata;
      const key = [uid, resourceVersion, reason, action].join(' ');
      const known = series.get(key);
      if (known !== undefined) {
        known.repeats += 1;
        if (known.repeats <= WRITTEN_REPEATS) repeat(known.event, writer, clock);
        return;
      }
      const event = writer.create(newEvent(occurrence, controller, clock, series.size));
      if ('refused' in event) return;
      series.set(key, { event, repeats: 0 });
      written.push({ event, until: clock.now() + LIFE_MS });
    },
  };
}

function repeat(event: KubeObject, writer: Writer, clock: Clock): void {
  const lastObservedTime = toMicroTimestamp(clock.now());
  const repeated = { ...event, series: { count: 2, lastObservedTime } };
  writer.update(repeated);
}

function newEvent(
  { about, type, reason, action, note }: Occurrence,
  controller: string,
  clock: Clock,
  sequence: number,
) {
  const { name, namespace = 'default', uid, resourceVersion } = about.metadata;
  const nanoseconds = BigInt(clock.now()) * 1_000_000n + BigInt(sequence % 1_000_000);
  return {
    kind: 'Event',
    metadata: { name: `${name}.${nanoseconds.toString(16)}`, namespace },
    involvedObject: {
      apiVersion: about.apiVersion,
      kind: about.kind,
      name,
      ...(about.metadata.namespace === undefined ? {} : { namespace }),
      uid,
      resourceVersion,
    },
    type,
    reason,
    action,
    message: note,
    eventTime: toMicroTimestamp(clock.now()),
    firstTimestamp: toTimestamp(clock.now()),
    lastTimestamp: toTimestamp(clock.now()),
    reportingComponent: controller,
    reportingInstance: `${controller}-0`,
  };
}
