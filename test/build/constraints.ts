import type { Operator, RequirementSpec } from '#lib/constraints/requirement.ts';
import { type Requirements, requirementsOf } from '#lib/constraints/requirements.ts';
import type { Taint, TaintEffect, Toleration } from '#lib/constraints/taints.ts';

/** A requirement as it is said: `key Operator value value…`. */
export function spec(text: string, minValues?: number): RequirementSpec {
  const [key = '', operator = 'Exists', ...values] = text.split(' ');
  if (!isOperator(operator)) throw new Error(`${operator} is no operator`);
  const listed = values.length === 0 ? {} : { values };
  return { key, operator, ...listed, ...(minValues === undefined ? {} : { minValues }) };
}

const isOperator = (text: string): text is Operator =>
  ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte'].includes(text);

/** Requirements as they are said: `requiring('zone In a b', 'cpu Gt 4')`. */
export const requiring = (...texts: readonly string[]): Requirements =>
  requirementsOf(texts.map((text) => spec(text)));

/** A taint as kubectl writes it: `taint('dedicated=gpu:NoSchedule')`. */
export function taint(text: string): Taint {
  const [, key = '', value = '', effect = ''] = /^([^=:]+)(?:=([^:]*))?:(\w+)$/.exec(text) ?? [];
  if (!isEffect(effect)) throw new Error(`${text} is no taint`);
  return { key, value, effect };
}

const isEffect = (text: string): text is TaintEffect =>
  ['NoSchedule', 'PreferNoSchedule', 'NoExecute'].includes(text);

/** A toleration of one key, whatever the value and effect. */
export const tolerating = (key: string): Toleration => ({ key, operator: 'Exists' });
