import type { Action } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';

/** What the statuses of EC2NodeClasses need; their resolution is not written yet. */
export const resolveNodeClasses = (_snapshot: Snapshot): readonly Action[] => [];
