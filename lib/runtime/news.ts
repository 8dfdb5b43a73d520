import type { Action, Outcome } from '#lib/model/plan.ts';

/**
 * Whether an action is what a pod is told, a thousand of them after a burst: said beside the rounds
 * that follow, since no launch should wait for it.
 */
export const isNews = (action: Action): boolean =>
  action.kind === 'recordEvent' && action.about.kind === 'Pod';

/**
 * What was said `before`, and then `next`: one round's news after the other's, so that nothing is
 * said twice. A round that throws leaves nobody to hear of what is still being said.
 */
export function inTurn(
  before: Promise<readonly Outcome[]>,
  next: () => Promise<readonly Outcome[]>,
): Promise<readonly Outcome[]> {
  const both = before.then(async (told) => [...told, ...(await next())]);
  both.catch(() => undefined);
  return both;
}

/** The rounds, the last of which also tells what became of the news of all. */
export function withNews<Round extends { readonly outcomes: readonly Outcome[] }>(
  rounds: readonly Round[],
  told: readonly Outcome[],
): readonly Round[] {
  const last = rounds.at(-1);
  if (last === undefined) return rounds;
  return [...rounds.slice(0, -1), { ...last, outcomes: [...last.outcomes, ...told] }];
}
