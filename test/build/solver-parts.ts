import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { type Admissions, createAdmissions } from '#lib/solver/admission.ts';
import { type Axes, axesOf } from '#lib/solver/amounts.ts';
import { type Ledger, openLedger } from '#lib/solver/opening/ledger.ts';
import { groupPods, type PodGroup } from '#lib/solver/pods/pod-groups.ts';
import type { Demand } from '#lib/solver/prices/demand-classes.ts';
import { type Prices, priceOut } from '#lib/solver/prices/prices.ts';
import { type Source, sourcesOf } from '#lib/solver/sources.ts';
import { ruleBookOf } from '#lib/solver/topology/rules.ts';

/** What a solve of a Snapshot's pods is made of, before anything is placed. */
export interface SolverParts {
  readonly axes: Axes;
  readonly groups: readonly PodGroup[];
  readonly demands: readonly Demand[];
  readonly sources: readonly Source[];
  readonly admissions: Admissions;
  readonly ledger: Ledger;
  readonly prices: Prices;
}

/** The parts of a solve, made as `solve` makes them. */
export function solverParts(snapshot: Snapshot, pods: readonly Pod[] = snapshot.pods): SolverParts {
  const axes = axesOf(pods.map(({ requests }) => requests));
  const { sources } = sourcesOf(snapshot, axes);
  const admissions = createAdmissions();
  const groups = groupPods(pods, {
    axes,
    preferencePolicy: 'Respect',
    someTaintsArePreferences: false,
    standingOf: ruleBookOf({ batch: pods, running: [], namespaces: [] }).standingOf,
  });
  const demands = groups.map((group) => ({ group, count: group.pods.length }));
  return {
    axes,
    groups,
    demands,
    sources,
    admissions,
    ledger: openLedger(sources, snapshot),
    prices: priceOut(demands, sources, admissions),
  };
}
