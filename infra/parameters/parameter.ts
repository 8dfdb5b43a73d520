/** One parameter of a deployment, under the name that both doors know it by. */
export interface Parameter {
  readonly name: string;
  /** What it decides: one sentence for people, or several. */
  readonly says: string;
  /** Absent where it must be told; empty where it may be left out. */
  readonly fallback?: string;
  /** What a good value looks like; the whole value must match. */
  readonly pattern: RegExp;
  /** As `is "…", which is not …` goes on. */
  readonly expected: string;
  /** The only values there are. */
  readonly choices?: readonly string[];
  /** The least and the most of a number. */
  readonly range?: Range;
  /** What is wrong with a value that the pattern lets pass. */
  readonly problem?: (value: string) => string | undefined;
}

interface Range {
  readonly least: number;
  readonly most?: number;
}

/** What is wrong with a value, as a sentence that names the parameter; undefined where nothing is. */
export function problemOf(parameter: Parameter, value: string): string | undefined {
  const { name, fallback, pattern, expected, range, problem } = parameter;
  if (value === fallback) return undefined;
  if (value === '') return `${name} is missing: give ${expected}`;
  const inRange =
    range === undefined ||
    (Number(value) >= range.least && Number(value) <= (range.most ?? Number.POSITIVE_INFINITY));
  if (!pattern.test(value) || !inRange) return `${name} is "${value}", which is not ${expected}`;
  const wrong = problem?.(value);
  return wrong === undefined ? undefined : `${name} is "${value}": ${wrong}`;
}

/** A parameter of which only these values are good. */
export const oneOf = (
  name: string,
  says: string,
  choices: readonly string[],
  fallback: string,
): Parameter => ({
  name,
  says,
  fallback,
  choices,
  pattern: new RegExp(`^(${choices.join('|')})$`),
  expected: `one of ${choices.join(', ')}`,
});

/** A parameter that is a number, whole unless it is of dollars. */
export function numeric(
  name: string,
  says: string,
  fallback: number,
  range: Range = { least: 0 },
): Parameter {
  const most = range.most === undefined ? 'or more' : `to ${range.most}`;
  return {
    name,
    says,
    fallback: String(fallback),
    range,
    pattern: /^\d{1,9}(\.\d{1,4})?$/,
    expected: `a number, ${range.least} ${most}`,
  };
}
