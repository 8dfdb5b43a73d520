import { Environment, EvaluationError, Optional, type ParseResult } from '@marcbachmann/cel-js';
import { re2 } from './re2.ts';

/** A rule of `x-kubernetes-validations`, compiled. */
export interface Rule {
  /** What is said when it does not hold. */
  readonly message: string;
  /** A transition rule: it is only asked when there is an old value (or it takes an optional). */
  readonly usesOldSelf: boolean;
  readonly optionalOldSelf: boolean;
  /** Holds, does not hold, or why it could not be evaluated, in cel-go's words. */
  readonly ask: (self: unknown, oldSelf: unknown) => boolean | { readonly problem: string };
}

const RULE_FIELDS = new Set(['rule', 'message', 'optionalOldSelf']);

/** Texts in a rule (so that nothing in them is touched), the calls to rename, and `oldSelf`. */
const TEXT_OR_CALL =
  /[rR]"[^"]*"|[rR]'[^']*'|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\bint(?=\()|(?<=\.)matches(?=\()|\boldSelf\b/g;
const RENAMED: Readonly<Record<string, string>> = { int: 'int64', matches: 'matchesRe2' };

/** How cel-go words what the interpreter knows by a code. */
const PROBLEMS: Readonly<Record<string, (summary: string) => string>> = {
  no_such_key: (summary) => `no such key: ${summary.replace(/^No such key: /, '')}`,
  index_out_of_bounds: (summary) =>
    `index out of bounds: ${/index (-?\d+)/.exec(summary)?.[1] ?? ''}`,
  division_by_zero: () => 'division by zero',
  modulo_by_zero: () => 'modulus by zero',
  numeric_overflow: () => 'integer overflow',
};

const ENVIRONMENT = new Environment({ enableOptionalTypes: true })
  .registerVariable('self', 'dyn')
  .registerVariable('oldSelf', 'dyn')
  .registerFunction('int64(string): int', int64)
  .registerFunction('int64(int): int', (value: bigint) => value)
  .registerFunction('int64(double): int', (value: number) => BigInt(Math.trunc(value)))
  .registerFunction('string.matchesRe2(string): bool', (text: string, pattern: string) =>
    expressionOf(pattern).test(text),
  )
  .registerFunction(
    'string.find(string): string',
    (text: string, pattern: string) => expressionOf(pattern).exec(text)?.[0] ?? '',
  )
  .registerFunction('string.replace(string, string): string', (text: string, a: string, b) =>
    text.replaceAll(a, () => String(b)),
  );

/**
 * Compiles one rule; an Error names the place and what is wrong with it.
 *
 * The interpreter is strict CEL with Kubernetes' `find` and `replace` added. Its own `int(text)`
 * reads "" as 0 and its `matches` follows JavaScript, so calls to the two go to functions that
 * follow Go. Simplified, compared to an API server: rules are not type-checked against the
 * schema (an unknown field is found when the rule is asked), there is no cost budget, dates stay
 * text, and Kubernetes' quantity, URL, IP and CIDR libraries are missing: a rule that calls them
 * is refused here, as are messageExpression, reason and fieldPath.
 * Source: kubernetes v1.36, apiextensions-apiserver/pkg/apiserver/schema/cel.
 */
export function compileRule(json: unknown, path: string): Rule {
  const source = Object(json) as Readonly<Record<string, unknown>>;
  const unsupported = Object.keys(source).find((field) => !RULE_FIELDS.has(field));
  if (unsupported !== undefined) {
    throw new Error(`${path}: ${unsupported} of a rule is not supported`);
  }
  const text = String(source.rule);
  const program = programOf(text, path);
  const optionalOldSelf = source.optionalOldSelf === true;
  return {
    message: String(source.message ?? `failed rule: ${text}`).trim(),
    usesOldSelf: [...text.matchAll(TEXT_OR_CALL)].some(([token]) => token === 'oldSelf'),
    optionalOldSelf,
    ask: (self, oldSelf) => {
      const old = optionalOldSelf ? optional(oldSelf) : oldSelf;
      try {
        return program({ self, oldSelf: old ?? null }) === true;
      } catch (error) {
        return { problem: problemOf(error) };
      }
    },
  };
}

function programOf(text: string, path: string): ParseResult {
  const renamed = text.replace(TEXT_OR_CALL, (token) => RENAMED[token] ?? token);
  try {
    const program = ENVIRONMENT.parse(renamed);
    const { error } = program.check();
    if (error !== undefined) throw error;
    return program;
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${path}: the rule ${text} is not understood: ${problem}`, { cause });
  }
}

function optional(value: unknown): Optional {
  return value === undefined ? Optional.none() : Optional.of(value);
}

/** Go's ParseInt: an optional sign and decimal digits, within 64 bits. */
function int64(text: string): bigint {
  const value = /^[+-]?\d+$/.test(text) ? BigInt(text.replace(/^\+/, '')) : undefined;
  if (value === undefined || BigInt.asIntN(64, value) !== value) {
    throw new Error("type conversion error from 'string' to 'int'");
  }
  return value;
}

function problemOf(error: unknown): string {
  if (!(error instanceof EvaluationError)) return String((error as Error).message);
  return PROBLEMS[error.code]?.(error.summary) ?? error.summary;
}

/** Compiled patterns of calls; losing them costs compiling them again. */
const EXPRESSIONS = new Map<string, RegExp>();
const MOST_EXPRESSIONS = 500;

function expressionOf(pattern: string): RegExp {
  const known = EXPRESSIONS.get(pattern);
  if (known !== undefined) return known;
  if (EXPRESSIONS.size >= MOST_EXPRESSIONS) EXPRESSIONS.clear();
  const expression = re2(pattern);
  EXPRESSIONS.set(pattern, expression);
  return expression;
}
