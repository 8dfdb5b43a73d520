import { formatResources } from '#lib/constraints/resources.ts';
import type { Taint } from '#lib/constraints/taints.ts';
import type { Wire } from '#lib/kube/decode/field.ts';
import { TERMINATION_FINALIZER } from '#lib/model/labels.ts';
import type { NewNodeClaim, NodeClaimSpec } from '#lib/model/node-claim.ts';
import { formatDuration } from '#lib/model/time.ts';

/**
 * The body of a NodeClaim that is to be created, but for apiVersion and kind. It carries its
 * finalizer from the start: one that vanished while it is launched would leave an instance behind.
 */
export function encodeNodeClaim(claim: NewNodeClaim): Wire {
  const { name, labels, annotations, owner, spec } = claim;
  return {
    metadata: {
      name,
      labels,
      annotations,
      finalizers: [TERMINATION_FINALIZER],
      ownerReferences: [
        {
          apiVersion: 'karpenter.sh/v1',
          kind: owner.kind,
          name: owner.name,
          uid: owner.uid,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: encodeSpec(spec),
  };
}

function encodeSpec(spec: NodeClaimSpec): Wire {
  const { terminationGraceMs } = spec;
  return {
    ...(spec.taints.length > 0 && { taints: spec.taints.map(encodeTaint) }),
    ...(spec.startupTaints.length > 0 && { startupTaints: spec.startupTaints.map(encodeTaint) }),
    requirements: spec.requirements,
    resources: { requests: formatResources(spec.requests) },
    nodeClassRef: spec.nodeClassRef,
    expireAfter: formatDuration(spec.expireAfter),
    ...(terminationGraceMs !== undefined && {
      terminationGracePeriod: formatDuration(terminationGraceMs),
    }),
  };
}

/** A taint; an empty value is left out, as Kubernetes writes it. */
export const encodeTaint = ({ key, value, effect }: Taint): Wire => ({
  key,
  effect,
  ...(value !== '' && { value }),
});
