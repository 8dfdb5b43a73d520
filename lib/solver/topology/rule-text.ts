import type { LabelSelector } from '#lib/constraints/label-selector.ts';
import { compareText } from '#lib/constraints/order.ts';
import type { LabelAsk } from '../pods/ask.ts';
import type { TopologyRule, Whom } from './rule.ts';

/** Rules of equal text are the same. */
export function textOf(rule: TopologyRule): string {
  const { kind, topologyKey, termKeys, whom, maxSkew, minDomains, filter } = rule;
  return JSON.stringify([
    kind,
    topologyKey,
    [...termKeys].sort(compareText),
    whom.map(textOfWhom).sort(compareText),
    maxSkew,
    minDomains,
    filter.alternatives?.map(textOfAsk),
    filter.tolerations?.map(({ key, operator, value, effect }) => [key, operator, value, effect]),
    filter.looksEverywhere,
  ]);
}

const textOfWhom = ({ namespaces, selector }: Whom): string =>
  JSON.stringify([
    namespaces === 'all' ? namespaces : [...namespaces].sort(compareText),
    selector && textOfSelector(selector),
  ]);

const textOfSelector = ({ matchLabels, matchExpressions }: LabelSelector): string =>
  JSON.stringify([
    Object.entries(matchLabels).sort(([a], [b]) => compareText(a, b)),
    [...new Set(matchExpressions.map(textOfExpression))].sort(compareText),
  ]);

const textOfExpression = ({
  key,
  operator,
  values,
}: LabelSelector['matchExpressions'][number]): string =>
  JSON.stringify([key, operator, [...values].sort(compareText)]);

const textOfAsk = ({ requirements, present }: LabelAsk): string =>
  JSON.stringify([
    [...requirements.values()]
      .map(({ key, complement, values, gte, lte }) =>
        JSON.stringify([key, complement, [...values].sort(compareText), String(gte), String(lte)]),
      )
      .sort(compareText),
    [...present.keys()].sort(compareText),
  ]);
