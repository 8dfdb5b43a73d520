/** Labels of an object. */
export type Labels = Readonly<Record<string, string>>;

/** One expression of a label selector. */
export interface LabelExpression {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values: readonly string[];
}

/** A selector over labels; an empty one matches everything. A missing one is `undefined`. */
export interface LabelSelector {
  readonly matchLabels: Labels;
  readonly matchExpressions: readonly LabelExpression[];
}

/**
 * Whether `selector` selects an object with these labels. An absent selector selects nothing, an
 * empty one everything; NotIn and DoesNotExist hold where the key is absent.
 *
 * Source: kubernetes v1.36, apimachinery, labels/selector.go, Requirement.Matches.
 */
export function selects(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (!selector) return false;
  for (const key in selector.matchLabels) {
    if (!Object.hasOwn(labels, key) || labels[key] !== selector.matchLabels[key]) return false;
  }
  return selector.matchExpressions.every((expression) => holds(expression, labels));
}

function holds({ key, operator, values }: LabelExpression, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
  }
}
