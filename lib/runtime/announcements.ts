import type { Announcement } from '#lib/aws/event-bus.ts';
import type { Outcome, Plan, Refusal } from '#lib/model/plan.ts';
import type { Round, TurnReport } from './turn.ts';

/** So many names of a list are told; an event may hold 256 kB. Source: EventBridge quotas. */
const MOST_NAMES = 100;

/**
 * Every decision of a turn that was carried out, for an event bus: NodeClaims made and given up,
 * commands, and, of a look that did something, the pods that it had to refuse, by reason.
 */
export function announcementsOf(
  report: TurnReport,
  { clusterName, name }: { readonly clusterName: string; readonly name: string },
): readonly Announcement[] {
  const about = { cluster: clusterName, decidedBy: name };
  return report.rounds.flatMap((round) =>
    told(round).map(({ kind, detail }) => ({
      kind,
      detail: { ...about, ...detail },
      at: round.snapshot.takenAt,
    })),
  );
}

type Told = Pick<Announcement, 'kind' | 'detail'>;

function told({ plan, outcomes }: Round): readonly Told[] {
  const done = outcomes.filter(({ result }) => result === 'done');
  const made = done.flatMap((outcome) => creationOf(outcome, plan));
  const ended = done.flatMap(deletionOf);
  if (made.length + ended.length === 0) return commandsOf(plan, done);
  return [...made, ...ended, ...commandsOf(plan, done), ...refusalsOf(plan.refused)];
}

function creationOf({ action }: Outcome, plan: Plan): readonly Told[] {
  if (action.kind !== 'createNodeClaim') return [];
  const { name } = action.claim;
  const planned = plan.nodeClaims.find((each) => each.name === name);
  const detail = {
    nodeClaim: name,
    nodePool: action.claim.owner.name,
    ...(planned && { cheapest: planned.cheapest, usdPerHour: planned.usdPerHour }),
    ...listed('pods', action.forPods),
  };
  return [{ kind: 'NodeClaim Created', detail }];
}

function deletionOf({ action }: Outcome): readonly Told[] {
  if (action.kind !== 'delete' || action.object.kind !== 'NodeClaim') return [];
  const { object, because } = action;
  return [{ kind: 'NodeClaim Deleted', detail: { nodeClaim: object.name, because } }];
}

/** A Plan names its commands as long as they live; they are news where their claims are marked. */
function commandsOf({ commands }: Plan, done: readonly Outcome[]): readonly Told[] {
  const isNews = done.some(
    ({ action }) => action.kind === 'update' && action.object.kind === 'NodeClaim',
  );
  if (!isNews) return [];
  return commands.map(({ reason, remove, replaceWith, podsMoved, savesUsdPerHour }) => ({
    kind: 'Disruption Command',
    detail: {
      reason,
      ...listed('remove', remove),
      ...listed('replaceWith', replaceWith),
      podsMoved,
      savesUsdPerHour,
    },
  }));
}

function refusalsOf(refused: readonly Refusal[]): readonly Told[] {
  const byReason = Map.groupBy(refused, ({ because }) => because);
  return [...byReason].map(([because, pods]) => ({
    kind: 'Pods Refused',
    detail: {
      because,
      ...listed(
        'pods',
        pods.map(({ pod }) => pod),
      ),
    },
  }));
}

/** A list's first names, and how many there are where that is more. */
const listed = (
  key: string,
  names: readonly string[],
): Readonly<Record<string, readonly string[] | number>> => ({
  [key]: names.slice(0, MOST_NAMES),
  ...(names.length > MOST_NAMES && { [`${key}Count`]: names.length }),
});
