import { type Rejection, reject } from '#lib/constraints/rejection.ts';
import type { Pod } from '#lib/model/pod.ts';

/**
 * Why `pod` needs a rule that the solver does not know: it is refused rather than placed where it
 * may not run. Undefined for every other pod; what a pod merely prefers is no reason.
 */
export function unsupportedNeed(pod: Pod): Rejection | undefined {
  if (pod.resourceClaims.length > 0) {
    return reject(
      'unsupported',
      `pod has Dynamic Resource Allocation requirements that are not yet supported by Karpenter, nor by Joinery (ResourceClaims: ${pod.resourceClaims.join(', ')})`,
    );
  }
  return undefined;
}
