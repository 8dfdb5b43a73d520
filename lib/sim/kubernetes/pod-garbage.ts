/**
 * The pod garbage collector: force-deletes pods of Nodes that no longer exist, a quarantine after
 * that was noticed. Not played: the threshold of finished pods.
 *
 * Source: kubernetes v1.36, controller/podgc: period 20 s, quarantine 40 s; observed 57 s.
 */
import type { Clock } from '../clock.ts';
import { isFinished } from './conditions.ts';
import type { Registry } from './registry.ts';
import { isNode, isPod } from './store.ts';
import { createWorkQueue } from './work-queue.ts';
import { createWriter } from './writer.ts';

const PERIOD_MS = 20_000;
const QUARANTINE_MS = 40_000;

/** Starts the collector over a registry. */
export function startPodGarbage(clock: Clock, registry: Registry): void {
  const writer = createWriter(registry, 'pod-garbage-collector');
  const { store } = registry;
  const queue = createWorkQueue(clock, (nodeName) => {
    if (store.get('Node', '', nodeName) !== undefined) return;
    for (const pod of store.podsOn(nodeName)) {
      if (!isFinished(pod)) writer.updateStatus(pod, { ...pod.status, phase: 'Failed' });
      writer.remove(pod, 0);
    }
  });
  const startedAt = clock.now();
  const quarantine = (nodeName: string): void => {
    const untilTick = PERIOD_MS - ((clock.now() - startedAt) % PERIOD_MS);
    queue.add(nodeName, untilTick + QUARANTINE_MS);
  };
  store.onChange(({ object, type }) => {
    if (isNode(object) && type === 'deleted') quarantine(object.metadata.name);
    if (!isPod(object) || type === 'deleted' || object.spec.nodeName === undefined) return;
    const { nodeName } = object.spec;
    if (store.get('Node', '', nodeName) === undefined) quarantine(nodeName);
  });
}
