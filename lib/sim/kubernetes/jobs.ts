/**
 * The Job controller: pods until enough have succeeded.
 *
 * Simplified: no indexes, no deadlines, no time to live after the end, no pod failure policy; a
 * failed pod is replaced at once.
 *
 * Source: kubernetes v1.36, controller/job.
 */
import type { Clock } from '../clock.ts';
import { findCondition, isActive, isReady, setCondition } from './conditions.ts';
import { newPod } from './pod-factory.ts';
import type { ControllerParts } from './replica-sets.ts';
import { isPod, type Store } from './store.ts';
import { toTimestamp } from './timestamps.ts';
import { watchWorkloads } from './workload-queue.ts';
import type { JobObject } from './workload-wire.ts';
import { createWriter, type Writer } from './writer.ts';

const REACTION_MS = 20;

/** Starts the controller over a registry. */
export function startJobs({ clock, registry }: ControllerParts): void {
  const writer = createWriter(registry, 'job-controller');
  watchWorkloads(registry, {
    kind: 'Job',
    owns: 'Pod',
    reactionMs: REACTION_MS,
    reconcile: (each) => reconcile(registry.store, writer, each, clock),
  });
}

function reconcile(store: Store, writer: Writer, job: JobObject, clock: Clock): void {
  const { metadata, spec, status } = job;
  const isOver = ['Complete', 'Failed'].some((type) => findCondition(status.conditions, type));
  if (isOver) return;
  const pods = store.dependents(metadata.uid).filter(isPod);
  const active = pods.filter(isActive);
  const succeeded = pods.filter((pod) => pod.status.phase === 'Succeeded').length;
  const failed = pods.filter((pod) => pod.status.phase === 'Failed').length;
  const ready = active.filter(isReady).length;
  const counts = {
    ...status,
    startTime: toTimestamp(Date.parse(metadata.creationTimestamp)),
    active: active.length,
    ready,
    succeeded,
    failed,
  };
  const goal = spec.completions ?? (succeeded > 0 ? succeeded : spec.parallelism);
  const end = endOf(succeeded >= goal && goal > 0, failed > spec.backoffLimit);
  if (end !== undefined) {
    for (const pod of active) writer.remove(pod);
    const condition = { type: end, status: 'True' } as const;
    const conditions = setCondition(status.conditions, condition, clock.now());
    writer.updateStatus(job, { ...counts, active: 0, conditions });
    return;
  }
  const wanted = spec.suspend === true ? 0 : Math.min(spec.parallelism, goal - succeeded);
  for (const pod of active.slice(wanted)) writer.remove(pod);
  for (let count = active.length; count < wanted; count += 1) {
    writer.create(newPod(job, spec.template));
  }
  writer.updateStatus(job, counts);
}

function endOf(isComplete: boolean, isHopeless: boolean): 'Complete' | 'Failed' | undefined {
  if (isComplete) return 'Complete';
  return isHopeless ? 'Failed' : undefined;
}
