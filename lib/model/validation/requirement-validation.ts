/**
 * What a line of requirements may say, in Karpenter's own words: they stand in NodePool
 * conditions and pod events, where people and dashboards look for them.
 *
 * Source: karpenter v1.14, apis/v1/nodeclaim_validation.go, ValidateRequirement; labels.go.
 */
import { parseInteger } from '#lib/constraints/integer.ts';
import { compareText } from '#lib/constraints/order.ts';
import { normalizeKey } from '#lib/constraints/requirement.ts';
import {
  isRestrictedLabel,
  KNOWN_VALUES,
  RESTRICTED_DOMAINS,
  WELL_KNOWN,
} from '#lib/model/labels.ts';
import { labelValueProblems, qualifiedNameProblems } from './qualified-name.ts';

/** A line of requirements before anything about it has been believed. */
export interface RequirementWords {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
  readonly minValues?: number;
}

const OPERATORS = ['Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte', 'In', 'NotIn'];
const BOUNDS = ['Gt', 'Lt', 'Gte', 'Lte'];

const list = (values: Iterable<string>): string => `[${[...values].join(' ')}]`;

/** What is wrong with asking for a label key at all, if anything is. */
export function restrictedLabelProblem(key: string): string | undefined {
  if (!isRestrictedLabel(key)) return undefined;
  const wellKnown = list([...WELL_KNOWN].sort(compareText));
  return `using label ${key} is not allowed as it might interfere with the internal provisioning logic; specify a well known label: ${wellKnown}, or a custom label that does not use a restricted domain: ${list(RESTRICTED_DOMAINS)}`;
}

/** All that is wrong with one line of requirements; empty where nothing is. */
export function requirementProblems(requirement: RequirementWords): string[] {
  const key = normalizeKey(requirement.key);
  const { operator, values = [] } = requirement;
  const problems: string[] = [];
  if (!OPERATORS.includes(operator)) {
    problems.push(`key ${key} has an unsupported operator ${operator} not in ${list(OPERATORS)}`);
  }
  const restricted = restrictedLabelProblem(key);
  if (restricted !== undefined) problems.push(restricted);
  problems.push(...knownValueProblems({ ...requirement, key }));
  for (const problem of qualifiedNameProblems(key)) {
    problems.push(`key ${key} is not a qualified name, ${problem}`);
  }
  for (const value of values) {
    for (const problem of labelValueProblems(value)) {
      problems.push(`invalid value ${value} for key ${key}, ${problem}`);
    }
  }
  return [...problems, ...operandProblems({ ...requirement, key })];
}

/** Whether there are as many values, and of the kind, that the operator takes. */
function operandProblems({
  key,
  operator,
  values = [],
  minValues = 0,
}: RequirementWords): string[] {
  const who = `key ${key} with operator ${operator}`;
  const problems: string[] = [];
  if (operator === 'In' && values.length === 0) problems.push(`${who} must have a value defined`);
  if (operator === 'In' && values.length < minValues) {
    const problem = "must have at least minimum number of values defined in 'values' field";
    problems.push(`${who} ${problem}`);
  }
  if (BOUNDS.includes(operator) && !isOneNaturalNumber(values)) {
    problems.push(`${who} must have a single positive integer value`);
  }
  return problems;
}

function isOneNaturalNumber(values: readonly string[]): boolean {
  const [value, ...others] = values;
  const number = value === undefined ? undefined : parseInteger(value);
  return others.length === 0 && number !== undefined && number >= 0n;
}

/** Values that a closed list does not know are passed over, unless too few others are left. */
function knownValueProblems(requirement: RequirementWords): string[] {
  const { key, operator, values = [], minValues } = requirement;
  const known = operator === 'In' ? KNOWN_VALUES.get(key) : undefined;
  if (!known) return [];
  const good = values.filter((value) => known.includes(value));
  const bad = values.filter((value) => !known.includes(value));
  const where = `valid values found in ${list(values)} for ${key}, expected`;
  if (good.length === 0) return [`no ${where} one of: ${list(known)}, got: ${list(bad)}`];
  if (minValues === undefined || good.length >= minValues) return [];
  const got = `at least ${minValues} valid values from: ${list(known)}, got: ${good.length}`;
  return [`not enough ${where} ${got}`];
}
