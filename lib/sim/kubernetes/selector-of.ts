import type { LabelSelector } from '#lib/constraints/label-selector.ts';
import type { Taint, Toleration } from '#lib/constraints/taints.ts';
import type { WireSelector, WireTaint, WireToleration } from './wire.ts';

/** A selector as written in the shape that matches labels; an absent one stays absent. */
export function selectorOf(selector: WireSelector): LabelSelector;
export function selectorOf(selector: WireSelector | undefined): LabelSelector | undefined;
export function selectorOf(selector: WireSelector | undefined): LabelSelector | undefined {
  if (selector === undefined) return undefined;
  return {
    matchLabels: selector.matchLabels ?? {},
    matchExpressions: (selector.matchExpressions ?? []).map(({ key, operator, values }) => ({
      key,
      operator,
      values: values ?? [],
    })),
  };
}

/** A taint as written with its value filled in. */
export const taintOf = ({ key, value, effect }: WireTaint): Taint => ({
  key,
  value: value ?? '',
  effect,
});

/** A toleration as written with its operator filled in. */
export const tolerationOf = (wire: WireToleration): Toleration => ({
  operator: wire.operator ?? 'Equal',
  ...(wire.key === undefined || wire.key === '' ? {} : { key: wire.key }),
  ...(wire.value === undefined ? {} : { value: wire.value }),
  ...(wire.effect === undefined ? {} : { effect: wire.effect }),
  ...(wire.tolerationSeconds === undefined ? {} : { seconds: wire.tolerationSeconds }),
});
