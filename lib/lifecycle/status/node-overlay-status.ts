import { withCondition, withRoot } from '#lib/model/conditions.ts';
import type { NodeOverlay } from '#lib/model/node-overlay.ts';
import { nodeOverlayRef } from '#lib/model/object-ref.ts';
import type { Action } from '#lib/model/plan.ts';
import type { EpochMs } from '#lib/model/time.ts';

/** Source: karpenter v1.14, apis/v1alpha1/nodeoverlay_status.go. */
const VALIDATION_SUCCEEDED = 'ValidationSucceeded';

/** Why a NodeOverlay is not heeded: a reason for machines and a sentence. */
export interface OverlayVerdict {
  readonly reason: string;
  readonly message: string;
}

/** Brings a NodeOverlay's conditions up to date; `problem` is absent where it is heeded. */
export function nodeOverlayStatus(
  overlay: NodeOverlay,
  problem: OverlayVerdict | undefined,
  now: EpochMs,
): readonly Action[] {
  const { meta, status } = overlay;
  if (meta.deletedAt !== undefined) return [];
  const { generation, createdAt } = meta;
  const validated = withCondition(
    status.conditions,
    {
      type: VALIDATION_SUCCEEDED,
      observedGeneration: generation,
      ...(problem ? { status: 'False', ...problem } : { status: 'True' }),
    },
    now,
  );
  const root = { dependents: [VALIDATION_SUCCEEDED], generation, createdAt };
  const conditions = withRoot(validated, root, now);
  if (conditions === status.conditions) return [];
  return [{ kind: 'updateStatus', object: nodeOverlayRef(overlay), status: { conditions } }];
}
