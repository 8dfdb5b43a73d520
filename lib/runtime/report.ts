import type { ClusterFigures } from '#lib/model/cluster-figures.ts';
import type { Interruption } from '#lib/model/interruption.ts';
import type { Outcome, Plan, PlannedNodeClaim } from '#lib/model/plan.ts';
import type { WakeUp } from '#lib/triggers/wake-up.ts';
import type { Shell } from './shell.ts';
import type { Round, TurnReport } from './turn.ts';

/**
 * So many of anything are spelled out; the rest is counted, because CloudWatch cuts lines above
 * 256 kB, and a burst may make a thousand NodeClaims of a few kB each.
 */
const SPELLED_OUT = 10;

/** A turn, and what is known of it. */
export interface ToldTurn {
  readonly name: string;
  readonly wakeUp: WakeUp;
  readonly report: TurnReport;
  readonly figures?: ClusterFigures;
}

/**
 * Writes one line for a turn. `said` holds, in sentences, what woke it, what it saw, what it
 * decided and why, and what came of it; the other fields hold the same for machines.
 */
export function logTurn(shell: Pick<Shell, 'log' | 'now'>, told: ToldTurn): void {
  const { name, wakeUp, report, figures } = told;
  const outcomes = report.rounds.flatMap((round) => round.outcomes);
  const notDone = outcomes.filter(({ result }) => result !== 'done');
  const nodeClaims = plansOf(report).flatMap((plan) => plan.nodeClaims);
  shell.log.info(`${name}: ${report.result}`, {
    said: describeTurn(wakeUp, report, shell.now()),
    rounds: report.rounds.length,
    tookMs: tookMs(report),
    ...(figures && { figures }),
    did: Object.fromEntries(countDone(outcomes)),
    ...listed('nodeClaims', nodeClaims),
    ...listed(
      'notDone',
      notDone.map(({ action, result, because }) => ({ action: action.kind, result, because })),
    ),
  });
}

/** A list's beginning, and how long it is where that is more. */
const listed = (key: string, list: readonly unknown[]) => ({
  [key]: list.slice(0, SPELLED_OUT),
  ...(list.length > SPELLED_OUT && { [`${key}Count`]: list.length }),
});

/** How long a turn took, and its parts over all rounds. */
function tookMs({ rounds, startedAt, endedAt }: TurnReport) {
  const sum = (part: keyof Round['tookMs']): number =>
    rounds.reduce((total, each) => total + each.tookMs[part], 0);
  return { all: endedAt - startedAt, look: sum('look'), decide: sum('decide'), act: sum('act') };
}

/** What a turn was about, in sentences for a person; the same for the log and for a story. */
function describeTurn(wakeUp: WakeUp, report: TurnReport, now: number): readonly string[] {
  const plans = plansOf(report);
  const last = report.rounds.at(-1);
  return [
    `woken by ${describeWakeUp(wakeUp)}${report.rounds[0] ? `; saw ${whatWasSeen(report.rounds[0])}` : ''}`,
    ...describeNodeClaims(plans.flatMap(({ nodeClaims }) => nodeClaims)),
    ...spellOut(
      plans.flatMap(({ commands }) =>
        commands.map(({ reason, remove }) => `removes ${remove.join(', ')}: ${reason}`),
      ),
    ),
    ...spellOut(describeRefusals(last?.plan)),
    ...spellOut([...new Set(plans.flatMap(({ warnings }) => warnings))]),
    ...describeOutcomes(report.rounds.flatMap(({ outcomes }) => outcomes)),
    ...(report.lookAgainAt === undefined
      ? []
      : [`looks again in ${((report.lookAgainAt - now) / 1_000).toFixed(0)} s`]),
  ];
}

const plansOf = (report: TurnReport): readonly Plan[] => report.rounds.map(({ plan }) => plan);

function describeWakeUp(wakeUp: WakeUp): string {
  if (wakeUp.kind === 'schedule') return 'the schedule';
  if (wakeUp.kind === 'announcements') return describeAnnouncements(wakeUp.interruptions);
  const reasons = [...new Set(wakeUp.hints.map(({ because }) => because))];
  return `${count(wakeUp.hints.length, 'hint')} (${reasons.slice(0, 2).join('; ') || 'unread'})`;
}

const describeAnnouncements = (interruptions: readonly Interruption[]): string =>
  interruptions
    .slice(0, SPELLED_OUT)
    .map(({ kind, instanceId }) => `${kind} of ${instanceId}`)
    .join(', ') +
  (interruptions.length > SPELLED_OUT ? ` and ${interruptions.length - SPELLED_OUT} more` : '');

function whatWasSeen({ snapshot }: Round): string {
  const leftOut = snapshot.leftOut.map(
    ({ object, field, problem }) => `${object.kind} ${object.name} left out: ${field} ${problem}`,
  );
  const counts = [
    count(snapshot.pods.length, 'pod without a node', 'pods without a node'),
    count(snapshot.nodes.length, 'node'),
    count(snapshot.nodePools.length, 'NodePool'),
  ];
  return [counts.join(', '), ...spellOut(leftOut)].join('; ');
}

/** So many kinds of NodeClaim are told of one turn; more are counted. */
const TOLD_KINDS = 6;

/** NodeClaims that differ in nothing but their names are one sentence. */
function describeNodeClaims(claims: readonly PlannedNodeClaim[]): readonly string[] {
  const kinds = [...Map.groupBy(claims, describeNodeClaim)];
  const told = kinds.slice(0, TOLD_KINDS).map(([what, [first, ...others]]) => {
    const more = others.length === 0 ? '' : ` and ${others.length} alike`;
    return `NodeClaim ${first?.name}${more}: ${what}`;
  });
  const left = kinds.slice(TOLD_KINDS).flatMap(([, members]) => members).length;
  return [...told, ...(left === 0 ? [] : [`and ${count(left, 'other NodeClaim')}`])];
}

function describeNodeClaim(claim: PlannedNodeClaim): string {
  const { instanceType, zone, capacityType } = claim.cheapest;
  const others = claim.instanceTypes.length - 1;
  const choice = others > 0 ? ` or ${count(others, 'other type')}` : '';
  const pods = count(claim.pods.length, 'pod');
  return `${instanceType}${choice}, ${capacityType}, cheapest in ${zone} at $${claim.usdPerHour.toFixed(4)}/h, for ${pods}`;
}

/** Refusals with one reason are one sentence with a count. */
function describeRefusals(plan: Plan | undefined): readonly string[] {
  const byReason = new Map<string, string[]>();
  for (const { pod, because } of plan?.refused ?? []) {
    byReason.set(because, [...(byReason.get(because) ?? []), pod]);
  }
  return [...byReason].map(([because, pods]) => {
    const more = pods.length > 1 ? ` and ${count(pods.length - 1, 'other')}` : '';
    return `refused ${pods[0]}${more}: ${because}`;
  });
}

function countDone(outcomes: readonly Outcome[]): ReadonlyMap<string, number> {
  const done = new Map<string, number>();
  for (const { action, result } of outcomes) {
    if (result === 'done') done.set(action.kind, (done.get(action.kind) ?? 0) + 1);
  }
  return done;
}

function describeOutcomes(outcomes: readonly Outcome[]): readonly string[] {
  const did = [...countDone(outcomes)].map(([kind, times]) =>
    times === 1 ? kind : `${kind} × ${times}`,
  );
  const notDone = outcomes
    .filter(({ result }) => result !== 'done')
    .map(({ action, result, because }) =>
      result === 'lost'
        ? `${action.kind}: lost to another writer`
        : `${action.kind}: ${result}, ${because ?? 'unsaid'}`,
    );
  return [...(did.length > 0 ? [`did ${did.join(', ')}`] : []), ...spellOut(notDone)];
}

function spellOut(lines: readonly string[]): readonly string[] {
  if (lines.length <= SPELLED_OUT) return lines;
  return [...lines.slice(0, SPELLED_OUT), `and ${lines.length - SPELLED_OUT} more`];
}

const count = (amount: number, one: string, many = `${one}s`): string =>
  `${amount} ${amount === 1 ? one : many}`;
