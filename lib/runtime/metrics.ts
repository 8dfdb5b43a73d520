import type { ClusterFigures } from '#lib/model/cluster-figures.ts';
import type { InterruptionKind } from '#lib/model/interruption.ts';
import { TERMINATION_FINALIZER } from '#lib/model/labels.ts';
import type { Action, Outcome } from '#lib/model/plan.ts';
import {
  CATEGORY_DIMENSION,
  CLUSTER_DIMENSION,
  FUNCTION_DIMENSION,
  METRIC_NAMESPACE,
  METRICS,
  REASON_DIMENSION,
} from './metric-names.ts';
import type { TurnReport } from './turn.ts';

type Metric = keyof typeof METRICS;
type Figures = Partial<Readonly<Record<Metric, number>>>;

/** What a turn is measured by. */
export interface Measured {
  readonly clusterName: string;
  /** The function's name. */
  readonly name: string;
  readonly report: TurnReport;
  /** Of the last look; only provision tells them, so that each is told once. */
  readonly figures?: ClusterFigures;
}

/**
 * What a turn came to as lines for standard output, from which CloudWatch makes metrics: a dozen
 * for each cluster, three for each function, one for each reason why NodeClaims are deleted. None
 * of a turn that did not look.
 *
 * Source: CloudWatch, embedded metric format specification.
 */
export function metricLines(measured: Measured): readonly string[] {
  const { report, clusterName, name } = measured;
  if (report.rounds.length === 0) return [];
  const outcomes = report.rounds.flatMap((round) => round.outcomes);
  const said = { [CLUSTER_DIMENSION]: clusterName, [FUNCTION_DIMENSION]: name };
  const ofFunction: Figures = {
    looks: 1,
    turnDuration: report.endedAt - report.startedAt,
    decisionDuration: sum(report.rounds.map(({ tookMs }) => tookMs.decide)),
  };
  const main = line(report.endedAt, said, [
    { by: [[CLUSTER_DIMENSION]], figures: { ...gaugesOf(measured), ...countsOf(outcomes) } },
    { by: [[CLUSTER_DIMENSION, FUNCTION_DIMENSION]], figures: ofFunction },
  ]);
  const disrupted = [...disruptionsOf(outcomes)].sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    main,
    ...disrupted.map(([reason, count]) =>
      line(report.endedAt, { [CLUSTER_DIMENSION]: clusterName, [REASON_DIMENSION]: reason }, [
        {
          by: [[CLUSTER_DIMENSION], [CLUSTER_DIMENSION, REASON_DIMENSION]],
          figures: { disrupted: count },
        },
      ]),
    ),
    ...unhealthyIn(report.rounds).map(([category, count]) =>
      line(report.endedAt, { [CLUSTER_DIMENSION]: clusterName, [CATEGORY_DIMENSION]: category }, [
        {
          by: [[CLUSTER_DIMENSION, CATEGORY_DIMENSION]],
          figures: { unhealthyInstances: count },
        },
      ]),
    ),
  ];
}

/** In upstream's notation. Source: karpenter AWS provider v1.14, providers/instancestatus, Category. */
const CATEGORIES: readonly (readonly [string, InterruptionKind])[] = [
  ['EventStatus', 'ScheduledEvent'],
  ['InstanceStatus', 'InstanceImpaired'],
  ['SystemStatus', 'SystemImpaired'],
];

/** How many instances a turn found ailing that were well before, by category, sorted. */
const unhealthyIn = (rounds: TurnReport['rounds']): readonly (readonly [string, number])[] =>
  CATEGORIES.flatMap(([category, kind]) => {
    const counts = rounds.map(({ snapshot }) => snapshot.instanceStatus?.newlyAiling[kind] ?? 0);
    const count = sum(counts);
    return count === 0 ? [] : [[category, count] as const];
  });

function gaugesOf({ figures, report }: Measured): Figures {
  if (!figures) return {};
  const { nodes, usdPerHour, pendingPods } = figures;
  const refusedPods = report.rounds.at(-1)?.plan.refused.length ?? 0;
  return { nodes, usdPerHour, pendingPods, refusedPods };
}

function countsOf(outcomes: readonly Outcome[]): Figures {
  const done = outcomes.filter(({ result }) => result === 'done');
  const count = (holds: (action: Action) => boolean): number =>
    done.filter(({ action }) => holds(action)).length;
  const counts: Figures = {
    created: count(({ kind }) => kind === 'createNodeClaim'),
    terminated: count(isLetGo),
    podsEvicted: count(({ kind }) => kind === 'evict' || kind === 'forceDelete'),
    launchFailures: outcomes.filter(
      ({ action, result }) => action.kind === 'launch' && result !== 'done',
    ).length,
  };
  return Object.fromEntries(Object.entries(counts).filter(([, value]) => value > 0));
}

/** Whether an action lets a NodeClaim go for good. */
const isLetGo = (action: Action): boolean =>
  action.kind === 'update' &&
  action.object.kind === 'NodeClaim' &&
  action.meta.finalizers !== undefined &&
  !action.meta.finalizers.includes(TERMINATION_FINALIZER);

/**
 * Upstream's reasons, in its notation; what is deleted for another is counted under `other`, so that
 * no free text becomes a metric. Source: karpenter v1.14, metrics, nodeclaims_disrupted_total.
 */
const REASONS: ReadonlySet<string> = new Set([
  'capacity_reservation_interrupted',
  'drifted',
  'duplicate',
  'empty',
  'event_status',
  'expired',
  'garbage_collected',
  'initialization_timeout',
  'instance_status',
  'instance_stopped',
  'instance_terminated',
  'insufficient_capacity',
  'interrupted',
  'launch_timeout',
  'nodeclass_not_ready',
  'registration_timeout',
  'scaled_down',
  'scheduled_change',
  'spot_interrupted',
  'system_status',
  'underutilized',
  'unhealthy',
]);

/** How many NodeClaims were deleted for each reason. */
function disruptionsOf(outcomes: readonly Outcome[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { action, result } of outcomes) {
    if (result !== 'done' || action.kind !== 'delete') continue;
    if (action.object.kind !== 'NodeClaim') continue;
    const reason = reasonOf(action.because);
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return counts;
}

function reasonOf(because: string): string {
  const snake = because.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
  return REASONS.has(snake) ? snake : 'other';
}

interface Directive {
  /** Sets of dimensions. */
  readonly by: readonly (readonly string[])[];
  readonly figures: Figures;
}

function line(
  at: number,
  said: Readonly<Record<string, string>>,
  directives: readonly Directive[],
): string {
  const told = directives.filter(({ figures }) => Object.keys(figures).length > 0);
  const values = told.flatMap(({ figures }) =>
    metricsOf(figures).map(([metric, value]) => [METRICS[metric].name, value]),
  );
  return JSON.stringify({
    _aws: {
      Timestamp: at,
      CloudWatchMetrics: told.map(({ by, figures }) => ({
        Namespace: METRIC_NAMESPACE,
        Dimensions: by,
        Metrics: metricsOf(figures).map(([metric]) => ({
          Name: METRICS[metric].name,
          Unit: METRICS[metric].unit,
        })),
      })),
    },
    ...said,
    ...Object.fromEntries(values),
  });
}

const METRIC_KEYS = Object.keys(METRICS).filter((key): key is Metric => key in METRICS);

const metricsOf = (figures: Figures): readonly (readonly [Metric, number])[] =>
  METRIC_KEYS.flatMap((metric) => {
    const value = figures[metric];
    return value === undefined ? [] : [[metric, value] as const];
  });

const sum = (values: readonly number[]): number => values.reduce((total, each) => total + each, 0);
