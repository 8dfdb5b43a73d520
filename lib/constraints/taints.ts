import { isInteger, parseInteger } from './integer.ts';

/** What becomes of a pod that does not tolerate a taint. */
export type TaintEffect = 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';

/** What a node repels. An absent value is ''. */
export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: TaintEffect;
}

/** What a pod does not mind. No key: every key; no effect: every effect. */
export interface Toleration {
  readonly key?: string;
  readonly operator: 'Exists' | 'Equal' | 'Lt' | 'Gt';
  readonly value?: string;
  readonly effect?: TaintEffect;
  readonly seconds?: number;
}

/**
 * Whether one of `tolerations` puts up with `taint`, whatever its effect. Lt and Gt hold where
 * the taint's value is below, or above, the toleration's, both being integers without sign or
 * zero in front.
 *
 * Source: kubernetes v1.36, api/core/v1/toleration.go, Toleration.ToleratesTaint.
 */
export function tolerates(taint: Taint, tolerations: readonly Toleration[]): boolean {
  for (const toleration of tolerations) {
    if (toleratesOne(taint, toleration)) return true;
  }
  return false;
}

function toleratesOne(taint: Taint, { key, operator, value = '', effect }: Toleration): boolean {
  if (effect !== undefined && effect !== taint.effect) return false;
  if (key !== undefined && key !== '' && key !== taint.key) return false;
  switch (operator) {
    case 'Exists':
      return true;
    case 'Equal':
      return value === taint.value;
    case 'Lt':
    case 'Gt':
      return compares(taint.value, operator, value);
  }
}

function compares(found: string, operator: 'Lt' | 'Gt', threshold: string): boolean {
  const left = canonicalInteger(found);
  const right = canonicalInteger(threshold);
  if (left === undefined || right === undefined) return false;
  return operator === 'Lt' ? left < right : left > right;
}

/** The integer, where `text` is how one writes it: "5" and "-5", not "+5" or "05". */
const canonicalInteger = (text: string): bigint | undefined =>
  isInteger(text) && !/^(\+|-?0.)/.test(text) && text !== '-0' ? parseInteger(text) : undefined;

/** The first of `taints` that none of `tolerations` puts up with; PreferNoSchedule ones too. */
export function firstUntolerated(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
): Taint | undefined {
  for (const taint of taints) {
    if (!tolerates(taint, tolerations)) return taint;
  }
  return undefined;
}

/** Whether two taints are one to Kubernetes: same key, same effect, whatever the value. */
export const isSameTaint = (a: Taint, b: Taint): boolean =>
  a.key === b.key && a.effect === b.effect;

/** A taint as kubectl writes it: "dedicated=gpu:NoSchedule", without a value "x:NoExecute". */
export const describeTaint = ({ key, value, effect }: Taint): string =>
  value === '' ? `${key}:${effect}` : `${key}=${value}:${effect}`;
