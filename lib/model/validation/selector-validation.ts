import type { LabelExpression, LabelSelector } from '#lib/constraints/label-selector.ts';
import { labelValueProblems, qualifiedNameProblems } from './qualified-name.ts';

/**
 * What is wrong with a label selector that has been read from an object, expressions in their
 * order; empty where nothing is, and for a selector that is missing.
 *
 * Source: kubernetes v1.36, apimachinery, labels/selector.go, NewRequirement.
 */
export function selectorProblems(selector: LabelSelector | undefined): readonly string[] {
  if (selector === undefined) return [];
  const equalities = Object.entries(selector.matchLabels).map(
    ([key, value]): LabelExpression => ({ key, operator: 'In', values: [value] }),
  );
  return [...equalities, ...selector.matchExpressions].flatMap(expressionProblems);
}

function expressionProblems({ key, operator, values }: LabelExpression): string[] {
  const takesValues = operator === 'In' || operator === 'NotIn';
  const who = `key ${key} with operator ${operator}`;
  return [
    ...qualifiedNameProblems(key).map(
      (problem) => `key ${key} is not a qualified name, ${problem}`,
    ),
    ...(takesValues && values.length === 0 ? [`${who} must have a value defined`] : []),
    ...(!takesValues && values.length > 0 ? [`${who} must have no values`] : []),
    ...values.flatMap((value) =>
      labelValueProblems(value).map(
        (problem) => `invalid value ${value} for key ${key}, ${problem}`,
      ),
    ),
  ];
}
