import type { LabelExpression, LabelSelector } from '#lib/constraints/label-selector.ts';
import { compareText } from '#lib/constraints/order.ts';

/** A label selector as kubectl writes it, for a sentence; an absent one selects nobody. */
export function describeSelector(selector: LabelSelector | undefined): string {
  if (!selector) return 'no labels';
  const labels = Object.entries(selector.matchLabels)
    .sort(([a], [b]) => compareText(a, b))
    .map(([key, value]) => `${key}=${value}`);
  const all = [...labels, ...selector.matchExpressions.map(describeExpression)];
  return all.length === 0 ? 'any labels' : all.join(',');
}

function describeExpression({ key, operator, values }: LabelExpression): string {
  switch (operator) {
    case 'In':
      return `${key} in (${values.join(',')})`;
    case 'NotIn':
      return `${key} notin (${values.join(',')})`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
  }
}
