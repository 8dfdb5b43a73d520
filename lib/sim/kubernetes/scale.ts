import { isRecord } from './json.ts';
import type { KubeObject } from './wire.ts';
import type { Writer } from './writer.ts';

/** Sets the replicas of a workload; false where it is no object that has any. */
export function scaleWorkload(
  writer: Writer,
  workload: KubeObject | undefined,
  replicas: number,
): boolean {
  if (workload === undefined || !isRecord(workload.spec)) return false;
  if (typeof workload.spec.replicas !== 'number') return false;
  const spec: unknown = { ...workload.spec, replicas };
  writer.update({ ...workload, spec });
  return true;
}
