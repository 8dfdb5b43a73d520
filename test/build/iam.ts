/** What is asked of IAM: one action on one resource, and what is known of both. */
export interface IamRequest {
  readonly action: string;
  readonly resource: string;
  /** Condition keys with one value each, or several. */
  readonly context?: Readonly<Record<string, string | readonly string[]>>;
}

interface StatementShape {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: Readonly<
    Record<string, Readonly<Record<string, string | readonly string[]>>>
  >;
}

const listOf = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : [value].flat();

/** Whether a text is what a pattern with * and ? says. */
const like = (pattern: string, text: string): boolean =>
  new RegExp(
    `^${pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
  ).test(text);

const equal = (wanted: string, value: string): boolean => wanted === value;
const JUDGES: Readonly<Record<string, (wanted: string, value: string) => boolean>> = {
  StringEquals: equal,
  StringLike: like,
  ArnEquals: like,
  ArnLike: like,
};

/**
 * Whether identity policies of these statements allow a request: one that allows it and none that
 * denies it. Throws for a condition operator that it does not know.
 *
 * Source: IAM User Guide, Policy evaluation logic; Multivalued context keys: ForAllValues holds
 * where the key is absent.
 */
export function isAllowed(statements: readonly StatementShape[], request: IamRequest): boolean {
  const matching = statements.filter((each) => applies(each, request));
  return (
    matching.some(({ Effect }) => Effect === 'Allow') &&
    matching.every(({ Effect }) => Effect !== 'Deny')
  );
}

const applies = (
  { Action, Resource, Condition = {} }: StatementShape,
  { action, resource, context = {} }: IamRequest,
): boolean =>
  listOf(Action).some((pattern) => like(pattern, action)) &&
  listOf(Resource).some((pattern) => like(pattern, resource)) &&
  Object.entries(Condition).every(([operator, wanted]) =>
    Object.entries(wanted).every(([key, values]) =>
      holds(operator, listOf(values), listOf(context[key])),
    ),
  );

function holds(operator: string, wanted: readonly string[], values: readonly string[]): boolean {
  const [, forAll, name = ''] = /^(ForAllValues:)?(\w+)$/.exec(operator) ?? [];
  const judge = JUDGES[name];
  if (judge === undefined) throw new Error(`cannot judge the condition operator ${operator}`);
  const fits = (value: string): boolean => wanted.some((each) => judge(each, value));
  return forAll ? values.every(fits) : values.length > 0 && values.every(fits);
}
