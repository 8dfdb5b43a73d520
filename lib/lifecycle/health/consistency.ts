import { formatResources } from '#lib/constraints/resources.ts';
import { type ClaimStep, NO_STEP } from '#lib/lifecycle/step.ts';
import { nodesOf, type Surroundings } from '#lib/lifecycle/surroundings.ts';
import { CONSISTENT_STATE_FOUND, INITIALIZED } from '#lib/model/condition-types.ts';
import { conditionOf, isTrue } from '#lib/model/conditions.ts';
import type { Node } from '#lib/model/node.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import { claimRef } from '#lib/model/object-ref.ts';

/** How much of what was expected a node must have. Source: karpenter v1.14, nodeshape.go. */
const LEAST_SHARE = 0.9;

/**
 * Tells whether a node has what was planned with; nothing is done about one that has not. It is told
 * as an event when it is found out.
 *
 * Source: karpenter v1.14, nodeclaim/consistency/controller.go and nodeshape.go; there each
 * NodeClaim is looked at every ten minutes.
 */
export function consistencyStep(claim: NodeClaim, around: Surroundings): ClaimStep {
  const { conditions } = claim.status;
  const [state, ...others] = nodesOf(around, claim);
  if (!isTrue(conditions, INITIALIZED) || !state?.node || others.length > 0) return NO_STEP;
  const problems = shortfalls(claim, state.node);
  if (problems.length === 0) {
    return { conditions: [{ type: CONSISTENT_STATE_FOUND, status: 'True' }] };
  }
  const isKnown = conditionOf(conditions, CONSISTENT_STATE_FOUND)?.status === 'False';
  return {
    conditions: [
      {
        type: CONSISTENT_STATE_FOUND,
        status: 'False',
        reason: 'ConsistencyCheckFailed',
        message: 'Consistency Check Failed',
      },
    ],
    actions: isKnown
      ? []
      : problems.map((message) => ({
          kind: 'recordEvent',
          about: claimRef(claim),
          type: 'Warning',
          reason: 'FailedConsistencyCheck',
          message,
        })),
  };
}

/** Of what the NodeClaim asks for, what its node has too little of, by name. */
function shortfalls({ spec, status }: NodeClaim, node: Node): readonly string[] {
  return Object.keys(spec.requests)
    .sort()
    .flatMap((resource) => {
      const expected = status.capacity[resource] ?? 0;
      const found = node.capacity[resource] ?? 0;
      if (expected === 0 || found >= expected * LEAST_SHARE) return [];
      const share = ((100 * found) / expected).toFixed(1);
      const [wanted, had] = [expected, found].map(
        (amount) => formatResources({ [resource]: amount })[resource],
      );
      return [
        `expected ${wanted} of resource ${resource}, but found ${had} (${share}% of expected)`,
      ];
    });
}
