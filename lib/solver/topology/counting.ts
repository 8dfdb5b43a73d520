import { agrees, isCompatible, type Requirements } from '#lib/constraints/requirements.ts';
import { WELL_KNOWN } from '#lib/model/labels.ts';
import type { PodGroup } from '../pod-groups.ts';
import type { Cell } from './cells.ts';
import type { Counting } from './census.ts';
import type { TopologyRule } from './rule.ts';

/**
 * Whether pods of `group` count for a spread wherever they land in `cell`. What the pods do not
 * ask for themselves is not certain; that a spread's own pods count is, because they ask for it.
 *
 * Source: kubernetes v1.36, podtopologyspread/common.go, matchNodeInclusionPolicies.
 */
export function countingIn(group: PodGroup, cell: Cell): (rule: TopologyRule) => Counting {
  const asks = group.levels.at(-1)?.asks ?? [];
  const owned = new Set(group.standing.byDomain.flatMap(({ rule, owns }) => (owns ? [rule] : [])));
  return (rule) => {
    if (owned.has(rule)) return 'surely';
    const { alternatives, tolerations } = rule.filter;
    if (!alternatives) return tolerations ? 'maybe' : 'surely';
    const verdicts = asks.map(({ requirements }) =>
      alternatives.map((wanted) => judge(requirements, wanted.requirements, cell)),
    );
    if (verdicts.every((each) => each.every((verdict) => verdict === 'never'))) return 'never';
    const isSure = verdicts.every((each) => each.includes('surely'));
    return isSure && !tolerations ? 'surely' : 'maybe';
  };
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
