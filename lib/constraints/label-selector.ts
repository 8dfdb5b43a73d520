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
