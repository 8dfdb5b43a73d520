import type { CapacityBuffer } from './capacity-buffer.ts';
import type { Node } from './node.ts';
import type { NodeClaim } from './node-claim.ts';
import type { NodeClass } from './node-class.ts';
import type { NodeOverlay } from './node-overlay.ts';
import type { NodePool } from './node-pool.ts';
import type { ObjectMeta, ObjectRef } from './object.ts';
import type { Pod } from './pod.ts';

/** A reference to an object as it was seen, so that acting on it fails where it has changed. */
const refTo = (apiVersion: string, kind: string, meta: ObjectMeta): ObjectRef => ({
  apiVersion,
  kind,
  ...(meta.namespace === undefined ? {} : { namespace: meta.namespace }),
  name: meta.name,
  uid: meta.uid,
  resourceVersion: meta.resourceVersion,
});

/** A reference to a NodeClaim as it was seen. */
export const claimRef = ({ meta }: NodeClaim): ObjectRef =>
  refTo('karpenter.sh/v1', 'NodeClaim', meta);

/** A reference to a NodePool as it was seen. */
export const nodePoolRef = ({ meta }: NodePool): ObjectRef =>
  refTo('karpenter.sh/v1', 'NodePool', meta);

/** A reference to an EC2NodeClass as it was seen. */
export const nodeClassRef = ({ meta }: NodeClass): ObjectRef =>
  refTo('karpenter.k8s.aws/v1', 'EC2NodeClass', meta);

/** A reference to a NodeOverlay as it was seen. */
export const nodeOverlayRef = ({ meta }: NodeOverlay): ObjectRef =>
  refTo('karpenter.sh/v1alpha1', 'NodeOverlay', meta);

/** A reference to a CapacityBuffer as it was seen. */
export const capacityBufferRef = ({ meta }: CapacityBuffer): ObjectRef =>
  refTo('autoscaling.x-k8s.io/v1beta1', 'CapacityBuffer', meta);

/** A reference to a Node as it was seen. */
export const nodeRef = ({ meta }: Node): ObjectRef => refTo('v1', 'Node', meta);

/** A reference to a Pod as it was seen. */
export const podRef = ({ meta }: Pod): ObjectRef => refTo('v1', 'Pod', meta);
