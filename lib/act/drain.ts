import { isGone, KubeFailure } from '#lib/kube/errors.ts';
import { evict } from '#lib/kube/evict.ts';
import { type NewEvent, recordEvent } from '#lib/kube/record-event.ts';
import { remove } from '#lib/kube/write.ts';
import type { Action } from '#lib/model/plan.ts';
import type { LimitedPorts } from './ports.ts';
import { DONE, type Result } from './result.ts';

type Evict = Extract<Action, { readonly kind: 'evict' }>;
type ForceDelete = Extract<Action, { readonly kind: 'forceDelete' }>;

/**
 * Asks once for the eviction of a pod, and tells people what came of it. A pod that is gone, or is
 * another one by now, needs no eviction. Throws KubeFailure where the answer is no.
 *
 * Source: karpenter v1.14, node/termination/terminator/eviction.go, Evict.
 */
export async function evictPod(ports: LimitedPorts, action: Evict): Promise<Result> {
  const { pod, node, because } = action;
  try {
    await evict(ports.kube, pod);
  } catch (error) {
    if (isGone(error)) return DONE;
    const why = refusalOf(error);
    if (why !== undefined) {
      const message = `Failed to drain node, ${why}`;
      await tell(ports, { about: node, type: 'Warning', reason: 'FailedDraining', message });
    }
    throw error;
  }
  const message = `Evicted pod: ${because}`;
  await tell(ports, { about: pod, type: 'Normal', reason: 'Evicted', message });
  return DONE;
}

/** Why a PodDisruptionBudget stands in the way, in upstream's words; undefined for all else. */
function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof KubeFailure)) return undefined;
  if (error.status === 429) return 'evicting pod violates a PDB';
  const isSeveral = error.status === 500 && error.kind === 'broken';
  return isSeveral ? 'eviction does not support multiple PDBs' : undefined;
}

/** Deletes a pod whose time is up, asking nobody; a pod that is gone already is gone. */
export async function forceDeletePod(ports: LimitedPorts, action: ForceDelete): Promise<Result> {
  const { pod, graceSeconds, because } = action;
  try {
    await remove(ports.kube, pod, { graceSeconds });
  } catch (error) {
    if (!isGone(error)) throw error;
    return DONE;
  }
  const message = `Disrupted pod: ${because}`;
  await tell(ports, { about: pod, type: 'Normal', reason: 'Disrupted', message });
  return DONE;
}

/** An event that cannot be recorded does not undo what it tells of. */
async function tell(ports: LimitedPorts, event: NewEvent): Promise<void> {
  try {
    await recordEvent(ports, event);
  } catch (error) {
    if (!(error instanceof KubeFailure)) throw error;
  }
}
