import type { Outcome } from '#lib/model/plan.ts';
import type { WakeUp } from '#lib/triggers/wake-up.ts';
import type { Shell } from './shell.ts';
import type { Round, TurnReport } from './turn.ts';

/**
 * Writes one line for a turn: what woke it, what it saw, what it decided and why, what came of
 * it. Refusals and warnings are said in full, once, however many rounds repeated them.
 */
export function logTurn(shell: Shell, name: string, wakeUp: WakeUp, report: TurnReport): void {
  const first = report.rounds[0];
  shell.log.info(`${name}: ${report.result}`, {
    wokenBy: describeWakeUp(wakeUp),
    ...(first ? { saw: whatWasSeen(first) } : {}),
    ...(report.rounds.length > 0 ? { decided: whatWasDecided(report.rounds) } : {}),
    ...(report.lookAgainAt === undefined
      ? {}
      : { lookAgainInMs: report.lookAgainAt - shell.now() }),
  });
}

const describeWakeUp = (wakeUp: WakeUp): string =>
  wakeUp.kind === 'schedule'
    ? 'schedule'
    : `${wakeUp.hints.length} hint(s): ${[...new Set(wakeUp.hints.map((hint) => hint.because))].slice(0, 3).join('; ')}`;

const whatWasSeen = ({ snapshot }: Round) => ({
  pendingPods: snapshot.pods.length,
  nodes: snapshot.nodes.length,
  nodePools: snapshot.nodePools.length,
  leftOut: snapshot.leftOut,
});

const whatWasDecided = (rounds: readonly Round[]) => ({
  rounds: rounds.length,
  nodeClaims: rounds.flatMap(({ plan }) => plan.nodeClaims),
  commands: rounds.flatMap(({ plan }) => plan.commands),
  refused: rounds.at(-1)?.plan.refused ?? [],
  warnings: [...new Set(rounds.flatMap(({ plan }) => plan.warnings))],
  done: countActions(rounds, ({ result }) => result === 'done'),
  notDone: rounds
    .flatMap(({ outcomes }) => outcomes)
    .filter(({ result }) => result !== 'done')
    .map(({ action, result, because }) => ({ action: action.kind, result, because })),
});

function countActions(
  rounds: readonly Round[],
  counts: (outcome: Outcome) => boolean,
): Readonly<Record<string, number>> {
  const byKind: Record<string, number> = {};
  for (const { action } of rounds.flatMap(({ outcomes }) => outcomes).filter(counts)) {
    byKind[action.kind] = (byKind[action.kind] ?? 0) + 1;
  }
  return byKind;
}
