import { agrees, isCompatible, type Requirements } from '#lib/constraints/requirements.ts';
import { firstUntolerated, type Taint, type Toleration } from '#lib/constraints/taints.ts';
import { WELL_KNOWN } from '#lib/model/labels.ts';
import type { LabelAsk } from '../pods/ask.ts';
import type { PodGroup } from '../pods/pod-groups.ts';
import type { Cell } from './cells.ts';
import type { Counting } from './census.ts';
import type { TopologyRule } from './rule.ts';

/**
 * Whether pods of `group` count for a spread wherever they land in `cell`. What the pods do not
 * ask for themselves is not certain; that a spread's own pods count is, because they ask for it.
 * `takers` are all on whom they might land there.
 *
 * Source: kubernetes v1.36, podtopologyspread/common.go, matchNodeInclusionPolicies.
 */
export function countingIn(
  group: PodGroup,
  cell: Cell,
  takers: () => readonly Taker[],
): (rule: TopologyRule) => Counting {
  const asks = group.levels.at(-1)?.asks ?? [];
  const { byDomain } = group.standing;
  return (rule) => {
    if (byDomain.some((part) => part.owns && part.rule === rule)) return 'surely';
    const { alternatives, tolerations } = rule.filter;
    const byTaints = tolerations ? countingAmong(takers(), tolerations) : 'surely';
    return weaker(byTaints, alternatives ? countingByLabels(asks, alternatives, cell) : 'surely');
  };
}

/** Whoever may take pods: a NodePool, or a node that is there. */
export interface Taker {
  readonly taints: readonly Taint[];
}

const weaker = (a: Counting, b: Counting): Counting => {
  if (a === 'never' || b === 'never') return 'never';
  return a === 'surely' ? b : a;
};

function countingAmong(takers: readonly Taker[], tolerations: readonly Toleration[]): Counting {
  const verdicts = takers.map(({ taints }) => {
    const hard = taints.filter(({ effect }) => effect !== 'PreferNoSchedule');
    return firstUntolerated(hard, tolerations) === undefined;
  });
  if (!verdicts.includes(true)) return 'never';
  return verdicts.includes(false) ? 'maybe' : 'surely';
}

function countingByLabels(
  asks: readonly LabelAsk[],
  alternatives: readonly LabelAsk[],
  cell: Cell,
): Counting {
  const verdicts = asks.map(({ requirements }) =>
    alternatives.map((wanted) =>
      weaker(
        judge(requirements, wanted.requirements, cell),
        judge(requirements, wanted.present, cell),
      ),
    ),
  );
  if (verdicts.every((each) => each.every((verdict) => verdict === 'never'))) return 'never';
  return verdicts.every((each) => each.includes('surely')) ? 'surely' : 'maybe';
}

function judge(asked: Requirements, wanted: Requirements, { requirements }: Cell): Counting {
  if (!agrees(asked, wanted) || !agrees(requirements, wanted)) return 'never';
  for (const [key, requirement] of wanted) {
    const own = requirements.get(key) ?? asked.get(key);
    if (!own || own.complement) return 'maybe';
    const isWithin = [...own.values].every((value) =>
      isCompatible(
        new Map([[key, { key, complement: false, values: new Set([value]) }]]),
        new Map([[key, requirement]]),
        WELL_KNOWN,
      ),
    );
    if (!isWithin) return 'maybe';
  }
  return 'surely';
}
