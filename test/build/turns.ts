import { decideProvision } from '#lib/decide/provision.ts';
import type { Action, Outcome } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import type { TurnReport } from '#lib/runtime/turn.ts';
import { NOON } from './objects.ts';
import { aSnapshot } from './snapshots.ts';

/** A turn of two seconds that looked once, with what provision plans, and these outcomes. */
export function aTurn(
  outcomes: readonly (Partial<Outcome> & { readonly action: Action })[],
  difference: Partial<Snapshot> = {},
): TurnReport {
  const snapshot = aSnapshot(difference);
  const plan = decideProvision(snapshot);
  const told = outcomes.map((each) => ({ result: 'done' as const, ...each }));
  const tookMs = { look: 900, decide: 100, act: 1_000 };
  const rounds = [{ snapshot, plan, outcomes: told, tookMs }];
  return { result: 'acted', rounds, startedAt: NOON, endedAt: NOON + 2_000 };
}
