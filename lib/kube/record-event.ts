import { group, optional, required, wire, withDefault } from '#lib/kube/decode/field.ts';
import { instant, integer, name } from '#lib/kube/decode/scalar.ts';
import { shortDigest } from '#lib/model/digest.ts';
import { COMPONENT } from '#lib/model/labels.ts';
import type { ObjectRef } from '#lib/model/object.ts';
import type { EpochMs } from '#lib/model/time.ts';
import { microTime } from './encode-time.ts';
import { alreadyExists, KubeFailure, send } from './errors.ts';
import { type EventMemory, QUIET_MS } from './event-memory.ts';
import { pathOf } from './kinds.ts';
import type { KubeTransport } from './transport.ts';
import { create, patch } from './write.ts';

/** What people shall see of an object. */
export interface NewEvent {
  readonly about: Pick<ObjectRef, 'apiVersion' | 'kind' | 'namespace' | 'name' | 'uid'>;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** Source: kubernetes v1.36, core/validation/events.go, NoteLengthLimit. */
const LONGEST_NOTE = 1_024;
/** Object names end at 253; the digest and its dot take 14. Source: kubernetes, DNS subdomains. */
const LONGEST_STEM = 239;

/**
 * Said of an object once in two minutes whatever the words: equal pods change places among equal nodes
 * from look to look. Source: karpenter v1.14, scheduling/events.go, NominatePodEvent.
 */
const ONE_AT_A_TIME: ReadonlySet<string> = new Set(['Nominated']);

/** What recording takes. */
interface EventPorts {
  readonly kube: KubeTransport;
  readonly now: () => EpochMs;
  readonly events: EventMemory;
}

/**
 * Records an event; who wrote it is on it, so that no webhook of ours wakes us for it. An event's
 * name is fixed by what it says of which object, so that saying it again counts up the one that is
 * there, at most every two minutes; what this process has said itself in that time costs no call.
 * Throws KubeFailure.
 */
export async function recordEvent(ports: EventPorts, event: NewEvent): Promise<void> {
  const { about, type, reason } = event;
  const note = event.message.slice(0, LONGEST_NOTE);
  const namespace = about.namespace ?? 'default';
  const digest = shortDigest([about.uid, type, reason, note].join('\n'), 13);
  const eventName = `${about.name.slice(0, LONGEST_STEM)}.${digest}`;
  const key = ONE_AT_A_TIME.has(reason) ? `${about.uid} ${reason}` : `${namespace}/${eventName}`;
  if (ports.events.isRecent(key, ports.now())) return;
  const { apiVersion, kind, uid } = about;
  const body = {
    metadata: { name: eventName, namespace },
    eventTime: microTime(ports.now()),
    reportingController: COMPONENT,
    reportingInstance: COMPONENT,
    action: reason,
    reason,
    type,
    note,
    regarding: { apiVersion, kind, name: about.name, uid, ...namespaceOf(about) },
  };
  try {
    await create(ports.kube, 'Event', body, namespace);
    ports.events.note(key, ports.now());
  } catch (error) {
    if (!alreadyExists(error)) throw error;
    ports.events.note(key, await countUp(ports, namespace, eventName));
  }
}

const namespaceOf = ({ namespace }: Pick<ObjectRef, 'namespace'>) =>
  namespace === undefined ? {} : { namespace };

/**
 * Says again what was said, and when that was last. A race with another writer, or an event that
 * has just expired, is not worth another call.
 */
async function countUp(ports: EventPorts, namespace: string, eventName: string): Promise<EpochMs> {
  const path = pathOf('Event', { namespace, name: eventName });
  try {
    const found = wire(await send(ports.kube, { method: 'GET', path }));
    const series = group(found, 'series');
    const lastAt =
      optional(series, 'lastObservedTime', instant) ?? withDefault(found, 'eventTime', 0, instant);
    if (ports.now() - lastAt < QUIET_MS) return lastAt;
    const meta = required(found, 'metadata', wire);
    const ref = {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      namespace,
      name: eventName,
      uid: required(meta, 'uid', name),
      resourceVersion: required(meta, 'resourceVersion', name),
    };
    const count = withDefault(series, 'count', 1, integer) + 1;
    await patch(ports.kube, ref, { series: { count, lastObservedTime: microTime(ports.now()) } });
  } catch (error) {
    const isRace =
      error instanceof KubeFailure && (error.kind === 'conflict' || error.kind === 'gone');
    if (!isRace) throw error;
  }
  return ports.now();
}
