import { selects } from '#lib/constraints/label-selector.ts';
import { texts } from '#lib/kube/decode/decode-meta.ts';
import { decodeLabelSelector } from '#lib/kube/decode/decode-scheduling.ts';
import { DecodeError, group, optional, type Wire } from '#lib/kube/decode/field.ts';
import { numberOrText } from '#lib/kube/decode/scalar.ts';
import { namespaceOf } from './file-objects.ts';

/**
 * The status that the disruption controller would give a PodDisruptionBudget over `pods`: those
 * that have a node count as healthy. Nothing for a budget that cannot be read.
 *
 * Source: kubernetes v1.36, controller/disruption/disruption.go, getExpectedScale.
 */
export function budgetStatus(budget: Wire, pods: readonly Wire[]): Wire {
  const spec = group(budget, 'spec');
  try {
    const selector = optional(spec, 'selector', decodeLabelSelector);
    const selected = pods.filter(
      (pod) =>
        namespaceOf(pod) === namespaceOf(budget) &&
        selects(selector, texts(group(pod, 'metadata'), 'labels')),
    );
    const healthy = selected.filter((pod) => Boolean(group(pod, 'spec').nodeName)).length;
    const expected = selected.length;
    const desired = desiredOf(spec, expected);
    return {
      expectedPods: expected,
      currentHealthy: healthy,
      desiredHealthy: desired,
      disruptionsAllowed: Math.max(0, healthy - desired),
    };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return {};
  }
}

function desiredOf(spec: Wire, expected: number): number {
  const minAvailable = optional(spec, 'minAvailable', numberOrText);
  if (minAvailable !== undefined) return amountOf(minAvailable, expected);
  const maxUnavailable = optional(spec, 'maxUnavailable', numberOrText);
  return Math.max(0, expected - amountOf(maxUnavailable ?? '0', expected));
}

/** A share is rounded up, as the controller does it. Example: 50 % of 3 is 2. */
function amountOf(written: string, of: number): number {
  const share = /^(\d+)%$/.exec(written)?.[1];
  return share === undefined ? Number(written) || 0 : Math.ceil((Number(share) * of) / 100);
}
