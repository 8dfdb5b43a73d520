import { act, objectsOf } from '#lib/act/act.ts';
import type { ActLimits } from '#lib/act/ports.ts';
import { foreignHolder, type HeldLease, takeLease } from '#lib/kube/lease.ts';
import type { ClusterFigures } from '#lib/model/cluster-figures.ts';
import type { Action, Decision, Outcome, Plan } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import type { EpochMs } from '#lib/model/time.ts';
import { parseInstant } from '#lib/model/time.ts';
import { type ObserveOptions, observe } from '#lib/observe/observe.ts';
import type { WakeUp } from '#lib/triggers/wake-up.ts';
import { sendHintAt, sendHintUnlessWaiting } from './hints.ts';
import { keepingLease } from './keep-lease.ts';
import { isFreeNews, needsLease } from './lease-free.ts';
import type { Remaining } from './middleware.ts';
import { inTurn, isNews, withNews } from './news.ts';
import { noteGathered, settle, settleAgain } from './settle.ts';
import type { Shell } from './shell.ts';
import { statusAskedIn, statusQuestion, withStatus } from './status-poll.ts';

/** What tells the four functions apart; everything else about a turn is the same. */
export interface TurnStory {
  readonly name: Decision;
  readonly decide: (snapshot: Snapshot) => Plan;
  readonly observe?: ObserveOptions;
  /** Wait for a burst of new pods to end before looking. */
  readonly settles?: boolean;
  /** Look without the Lease, and take it only where something is to be done. */
  readonly looksFirst?: boolean;
  /** Asks EC2 how its instances are, where the settings want that. */
  readonly asksInstanceStatus?: true;
  /** What is told of the cluster beside the turn: by one function only, so that it is told once. */
  readonly measure?: (snapshot: Snapshot) => ClusterFigures;
}

/** What a turn came to, for the log and for whoever invoked it. */
export interface TurnReport {
  readonly result: 'acted' | 'nothing to do' | 'held by another' | 'stale hint' | 'refused';
  readonly rounds: readonly Round[];
  readonly lookAgainAt?: EpochMs;
  readonly startedAt: EpochMs;
  readonly endedAt: EpochMs;
}

/** What a turn came to, before it is known when it ended. */
type Ending = Omit<TurnReport, 'startedAt' | 'endedAt'>;

/** One observation, one decision, and what became of its actions. */
export interface Round {
  readonly plan: Plan;
  readonly outcomes: readonly Outcome[];
  readonly snapshot: Snapshot;
  readonly tookMs: { readonly look: number; readonly decide: number; readonly act: number };
}

/** Kept back to release the Lease, send the hint and log before Lambda freezes the sandbox. */
const ANSWER_MARGIN_MS = 3_000;

/**
 * Looks within one turn. A NodeClaim takes three to become an instance (create, launch, complete);
 * what is not done after that many is left to the next turn, so that one turn cannot run for ever.
 */
const MAX_ROUNDS = 6;

/**
 * One turn of a function: Lease, settle, observe, decide, act, and a hint when there is more to
 * do. Never throws for what is refused while acting (that is an Outcome); a cluster that cannot be
 * looked at, and a bug, fly past, the Lease let go.
 */
export async function takeTurn(
  shell: Shell,
  story: TurnStory,
  wakeUp: WakeUp,
  context: Remaining,
): Promise<TurnReport> {
  const startedAt = shell.now();
  const ending = await turn(shell, story, wakeUp, context);
  return { ...ending, startedAt, endedAt: shell.now() };
}

async function turn(
  shell: Shell,
  story: TurnStory,
  wakeUp: WakeUp,
  context: Remaining,
): Promise<Ending> {
  const until = shell.now() + context.getRemainingTimeInMillis() - ANSWER_MARGIN_MS;
  const holder = await foreignHolder(shell.kube, shell.now());
  if (holder !== undefined) return await refuse(shell, story, holder);
  const first = story.looksFirst ? await lookFirst(shell, story, until) : undefined;
  if (first === undefined) return await underLease(shell, story, wakeUp, until);
  const free = { until, mayGoOn: () => true };
  const told = inTurn(Promise.resolve([]), () =>
    act(shell, first.plan.actions.filter(isFreeNews), free),
  );
  const ending = first.plan.actions.some(needsLease)
    ? await underLease(shell, story, wakeUp, until)
    : NOTHING_TO_DO;
  const [before = first] = withNews([first], await told);
  if (before.outcomes.length === 0) return ending;
  return {
    ...ending,
    ...(ending === NOTHING_TO_DO && { result: 'acted' }),
    rounds: [before, ...ending.rounds],
  };
}

const NOTHING_TO_DO: Ending = { result: 'nothing to do', rounds: [] };

async function underLease(
  shell: Shell,
  story: TurnStory,
  wakeUp: WakeUp,
  until: EpochMs,
): Promise<Ending> {
  const lease = await takeLease(shell, shell.settings.identity);
  if (lease.kind === 'held') return comeBack(shell, lease.freeAt);
  if (isStale(wakeUp, lease.lastLookAt)) {
    await lease.release({});
    return { result: 'stale hint', rounds: [] };
  }
  try {
    // Under the Lease, so that a burst is waited for by one and the others go.
    const rounds = await keepingLease(shell, lease, async () => {
      if (story.settles) await settle(shell, until);
      return await goRounds(shell, story, lease, until);
    });
    return await finish(shell, lease, rounds);
  } catch (error) {
    // What could not be looked at must not keep others from looking.
    await lease.release({});
    throw error;
  }
}

/**
 * A look without the Lease, and what needs none of what it finds to do: asking EC2 for all that it
 * sells takes seconds, and provision should not have to wait for it.
 */
async function lookFirst(shell: Shell, story: TurnStory, until: EpochMs): Promise<Round> {
  const limits = { until, mayGoOn: () => true };
  return await goRound(
    shell,
    story,
    limits,
    (action) => !needsLease(action) && !isFreeNews(action),
  );
}

async function goRound(
  shell: Shell,
  story: TurnStory,
  limits: ActLimits,
  isToBeDone: (action: Action) => boolean,
): Promise<Round> {
  const begunAt = shell.now();
  const snapshot = await observe(shell, story.observe);
  const seenAt = shell.now();
  const plan = story.decide(snapshot);
  const decidedAt = shell.now();
  const outcomes = await act(shell, plan.actions.filter(isToBeDone), limits);
  const tookMs = {
    look: seenAt - begunAt,
    decide: decidedAt - seenAt,
    act: shell.now() - decidedAt,
  };
  return { plan, outcomes, snapshot, tookMs };
}

async function goRounds(
  shell: Shell,
  story: TurnStory,
  lease: HeldLease,
  until: EpochMs,
): Promise<readonly Round[]> {
  const rounds: Round[] = [];
  const limits = { until, mayGoOn: lease.isOurs };
  const isToBeDone = story.looksFirst ? needsLease : () => true;
  let telling: Promise<readonly Outcome[]> = Promise.resolve([]);
  while (rounds.length < MAX_ROUNDS && shell.now() < until) {
    // What goes on coming after a launch is gathered again, so that few calls launch a burst.
    const last = rounds.at(-1);
    if (story.settles && last?.outcomes.some(isLaunch)) await settleAgain(shell, until);
    const question = last === undefined ? statusQuestion(lease, shell.now()) : 'recall';
    const asking = withStatus(story, question);
    const round = await goRound(shell, asking, limits, (each) => isToBeDone(each) && !isNews(each));
    rounds.push(round);
    if (story.settles) noteGathered(shell, round.plan, round.snapshot);
    const news = round.plan.actions.filter(isNews);
    telling = inTurn(telling, () => act(shell, news, limits));
    if (!round.outcomes.some(leadsOn)) break;
  }
  return withNews(rounds, await telling);
}

const isLaunch = ({ action }: Outcome): boolean => action.kind === 'launch';

/** Whether the world is now such that another look at once may find more to do. */
const leadsOn = ({ action, result }: Outcome): boolean =>
  result === 'lost' || (result === 'done' && LEADS_ON.has(action.kind));

const LEADS_ON: ReadonlySet<string> = new Set([
  'createNodeClaim',
  'launch',
  'adoptInstance',
  'update',
  'updateStatus',
  'ensureInstanceProfile',
  'liftTaint',
]);

async function finish(shell: Shell, lease: HeldLease, rounds: readonly Round[]): Promise<Ending> {
  const last = rounds.at(-1);
  const lookAgainAt = nextLook(rounds, shell.now());
  const sendsHint = lookAgainAt !== undefined && lookAgainAt < lease.nextLookAt(shell.now());
  await lease.release({
    ...(last ? { lastLookAt: last.snapshot.takenAt } : {}),
    ...(sendsHint ? { nextLookAt: lookAgainAt } : {}),
    ...statusAskedIn(rounds, lease),
  });
  if (sendsHint) await sendHintAt(shell, lookAgainAt, 'there is more to do');
  const acted = rounds.some(({ outcomes }) => outcomes.length > 0);
  return {
    result: acted ? 'acted' : 'nothing to do',
    rounds,
    ...(lookAgainAt === undefined ? {} : { lookAgainAt }),
  };
}

/** What could not be done now is tried again soon after. */
const RETRY_MS = 5_000;
/** A look right after this one would see the same. */
const SOONEST_MS = 1_000;

/** The earliest instant at which a look may find more to do, if any is expected. */
function nextLook(rounds: readonly Round[], now: EpochMs): EpochMs | undefined {
  const last = rounds.at(-1);
  if (last === undefined) return now + RETRY_MS;
  const asked =
    last.plan.lookAgainAt === undefined ? undefined : parseInstant(last.plan.lookAgainAt);
  const isUnfinished =
    last.outcomes.some(isUnfinishedIn(last.outcomes)) ||
    (rounds.length === MAX_ROUNDS && last.outcomes.some(leadsOn));
  const wanted = Math.min(
    asked ?? Number.POSITIVE_INFINITY,
    isUnfinished ? now + pauseAfter(last.outcomes) : Number.POSITIVE_INFINITY,
  );
  return Number.isFinite(wanted) ? Math.max(wanted, now + SOONEST_MS) : undefined;
}

/** As long as the API server bids us wait, where it does. */
const pauseAfter = (outcomes: readonly Outcome[]): number =>
  outcomes.reduce(
    (longest, { retryAfterSeconds = 0 }) => Math.max(longest, retryAfterSeconds * 1_000),
    RETRY_MS,
  );

/** Who plans these says when to try again: less and less often while it is in vain. */
const PACED: ReadonlySet<string> = new Set(['launch', 'evict', 'terminateInstance']);

/** Tells what must be tried again soon: not what its Plan paces, nor what only waits for that. */
function isUnfinishedIn(outcomes: readonly Outcome[]): (outcome: Outcome) => boolean {
  const paced = new Set(
    outcomes
      .filter(({ action, result }) => result !== 'done' && PACED.has(action.kind))
      .flatMap(({ action }) => objectsOf(action)),
  );
  return ({ action, result }) =>
    result === 'lost' || (result === 'retry' && !objectsOf(action).some((uid) => paced.has(uid)));
}

/** A hint that was sent before the last look began asks for nothing that was not seen. */
const isStale = (wakeUp: WakeUp, lastLookAt: EpochMs | undefined): boolean =>
  wakeUp.kind === 'hints' &&
  wakeUp.hints.length > 0 &&
  lastLookAt !== undefined &&
  wakeUp.hints.every(({ sentAt }) => sentAt < lastLookAt);

/** A turn seldom takes longer; what happened during it should not wait until the Lease runs out. */
const USUAL_TURN_MS = 2_000;

async function comeBack(shell: Shell, freeAt: EpochMs): Promise<Ending> {
  const lookAgainAt = Math.min(freeAt, shell.now() + USUAL_TURN_MS);
  await sendHintUnlessWaiting(shell, lookAgainAt, 'another invocation held the Lease');
  return { result: 'held by another', rounds: [], lookAgainAt };
}

/** Beside a living Karpenter a turn looks and decides, so that one can compare, and does nothing. */
async function refuse(shell: Shell, story: TurnStory, holder: string): Promise<Ending> {
  shell.log.warn(
    `${holder} holds Karpenter's Lease: two provisioners must not run side by side, nothing is done`,
  );
  const limits = { until: shell.now(), mayGoOn: () => false };
  return { result: 'refused', rounds: [await goRound(shell, story, limits, () => false)] };
}
