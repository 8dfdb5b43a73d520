import type { CapacityBuffer } from '#lib/model/capacity-buffer.ts';
import { type ConditionChange, withCondition } from '#lib/model/conditions.ts';
import { capacityBufferRef } from '#lib/model/object-ref.ts';
import type { Action, StatusChange } from '#lib/model/plan.ts';
import type { EpochMs } from '#lib/model/time.ts';

/** What a look found out about a CapacityBuffer. */
export interface BufferVerdict {
  /** How many pods it keeps room for. */
  readonly replicas: number;
  /** Of the template that its pod was made from, if it was found. */
  readonly templateGeneration?: number;
  /** Why it could not be resolved. */
  readonly problem?: { readonly reason: string; readonly message: string };
  /** Whether nodes that are there have room for all of its pods. */
  readonly fits: boolean;
}

/** Source: karpenter v1.14, apis/autoscaling/v1beta1/capacitybuffer.go. */
const READY_FOR_PROVISIONING = 'ReadyForProvisioning';
const PROVISIONING = 'Provisioning';

/** Brings a CapacityBuffer's status up to date. */
export function capacityBufferStatus(
  buffer: CapacityBuffer,
  verdict: BufferVerdict,
  now: EpochMs,
): readonly Action[] {
  const { status, meta } = buffer;
  const conditions = [readiness(verdict), provisioning(verdict)].reduce(
    (list, change) => withCondition(list, { ...change, observedGeneration: meta.generation }, now),
    status.conditions,
  );
  const { podTemplate, provisioningStrategy } = buffer;
  const { replicas, templateGeneration } = verdict;
  const change: StatusChange = {
    ...(conditions !== status.conditions && { conditions }),
    ...(replicas !== status.replicas && { replicas }),
    ...(podTemplate !== undefined &&
      podTemplate !== status.podTemplate && { podTemplateName: podTemplate }),
    ...(templateGeneration !== undefined &&
      templateGeneration !== status.podTemplateGeneration && {
        podTemplateGeneration: templateGeneration,
      }),
    ...(provisioningStrategy !== status.provisioningStrategy && { provisioningStrategy }),
  };
  if (Object.keys(change).length === 0) return [];
  return [{ kind: 'updateStatus', object: capacityBufferRef(buffer), status: change }];
}

const readiness = ({ problem }: BufferVerdict): ConditionChange =>
  problem
    ? { type: READY_FOR_PROVISIONING, status: 'False', ...problem }
    : { type: READY_FOR_PROVISIONING, status: 'True', reason: 'Resolved' };

function provisioning({ problem, replicas, fits }: BufferVerdict): ConditionChange {
  if (problem) return { type: PROVISIONING, status: 'False', reason: 'NotReadyForProvisioning' };
  if (replicas === 0) return { type: PROVISIONING, status: 'False', reason: 'BufferEmpty' };
  return fits
    ? { type: PROVISIONING, status: 'True', reason: 'FitsExistingCapacity' }
    : { type: PROVISIONING, status: 'False', reason: 'RequiresNewCapacity' };
}
