/**
 * Volumes as far as they tie pods to zones: a claim's volume stands in one zone; a claim that
 * waits for its first consumer gets a volume in the zone of the node that the consumer is bound to;
 * any other unbound claim gets one when it is created, in the zone of some node.
 *
 * Simplified: no capacity, no access modes, no attach limits; provisioning takes no time, and every
 * provisioner works like the EBS CSI driver.
 */
import { ZONE } from '#lib/model/labels.ts';
import { recordAt } from './json.ts';
import type { NodeInfo } from './node-info.ts';
import type { NodeRefusal } from './node-refusal.ts';
import { matchesAnyTerm } from './node-terms.ts';
import { isRefusal } from './status.ts';
import type { Store } from './store.ts';
import type { NodeObject, PodObject } from './wire.ts';
import type { ClaimObject, StorageClassObject } from './workload-wire.ts';
import type { Writer } from './writer.ts';

/** What a pod's volumes say of each node. */
export interface VolumeRules {
  readonly refuse: (info: NodeInfo) => NodeRefusal | undefined;
}

/** The name of the claim behind a volume of a pod; undefined for volumes without one. */
const claimNames = ({ metadata, spec }: PodObject): readonly string[] =>
  (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined) return [persistentVolumeClaim.claimName];
    return ephemeral === undefined ? [] : [`${metadata.name}-${name}`];
  });

const NO_VOLUMES: VolumeRules = { refuse: () => undefined };

/** The rules of a pod's volumes. */
export function volumeRules(pod: PodObject, store: Store): VolumeRules {
  const names = claimNames(pod);
  if (names.length === 0) return NO_VOLUMES;
  const rules = names.map((name) => claimRule(pod, name, store));
  return {
    refuse: (info) => {
      for (const rule of rules) {
        const reason = rule(info.node);
        if (reason !== undefined) {
          return { plugin: 'VolumeBinding', reasons: [reason], isResolvable: false };
        }
      }
      return undefined;
    },
  };
}

type NodeRule = (node: NodeObject) => string | undefined;

function claimRule(pod: PodObject, name: string, store: Store): NodeRule {
  const claim = store.known('PersistentVolumeClaim', pod.metadata.namespace ?? '', name);
  if (claim === undefined) return () => `persistentvolumeclaim "${name}" not found`;
  if (claim.spec.volumeName !== undefined) return volumeRule(claim.spec.volumeName, store);
  const storageClass = classOf(claim, store);
  if (storageClass === undefined || !waitsForConsumer(storageClass)) {
    return () => 'pod has unbound immediate PersistentVolumeClaims';
  }
  return (node) =>
    allows(storageClass, node)
      ? undefined
      : "node(s) didn't find available persistent volumes to bind";
}

function volumeRule(volumeName: string, store: Store): NodeRule {
  const volume = store.known('PersistentVolume', '', volumeName);
  if (volume === undefined) return () => `persistentvolume "${volumeName}" not found`;
  const terms = volume.spec.nodeAffinity?.required?.nodeSelectorTerms;
  return (node) =>
    terms === undefined || matchesAnyTerm(terms, node)
      ? undefined
      : "node(s) didn't match PersistentVolume's node affinity";
}

/** The class that a claim names, else the default class. */
export function classOf(claim: ClaimObject, store: Store): StorageClassObject | undefined {
  const named = claim.spec.storageClassName;
  if (named !== undefined) return store.known('StorageClass', '', named);
  return store
    .all('StorageClass')
    .find(
      ({ metadata }) =>
        metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true',
    );
}

/** Whether a class's volumes are made when a pod that uses them has found its node. */
export const waitsForConsumer = ({ volumeBindingMode }: StorageClassObject): boolean =>
  volumeBindingMode === 'WaitForFirstConsumer';

function allows({ allowedTopologies }: StorageClassObject, { metadata }: NodeObject): boolean {
  if (allowedTopologies === undefined || allowedTopologies.length === 0) return true;
  return allowedTopologies.some(({ matchLabelExpressions }) =>
    (matchLabelExpressions ?? []).every(({ key, values }) =>
      values.includes(metadata.labels?.[zoneKey(key)] ?? ''),
    ),
  );
}

/** The EBS driver's own name for the zone means the zone. */
const zoneKey = (key: string): string => (key === 'topology.ebs.csi.aws.com/zone' ? ZONE : key);

/** Makes volumes, in a node's zone, for the claims of a pod that have waited for it. */
export function provisionFor(pod: PodObject, node: NodeObject, store: Store, writer: Writer): void {
  for (const name of claimNames(pod)) {
    const claim = store.known('PersistentVolumeClaim', pod.metadata.namespace ?? '', name);
    if (claim === undefined || claim.spec.volumeName !== undefined) continue;
    provision(claim, node.metadata.labels?.[ZONE], writer);
  }
}

/** Makes a volume in a zone and binds a claim to it. */
export function provision(claim: ClaimObject, zone: string | undefined, writer: Writer): void {
  const volumeName = `pvc-${claim.metadata.uid}`;
  const term = { matchExpressions: [{ key: ZONE, operator: 'In', values: [zone] }] };
  const made = writer.create({
    kind: 'PersistentVolume',
    metadata: { name: volumeName },
    spec: {
      accessModes: claim.spec.accessModes ?? [],
      capacity: claim.spec.resources?.requests ?? {},
      claimRef: { kind: 'PersistentVolumeClaim', ...nameOf(claim) },
      persistentVolumeReclaimPolicy: 'Delete',
      ...(claim.spec.storageClassName === undefined
        ? {}
        : { storageClassName: claim.spec.storageClassName }),
      ...(zone === undefined ? {} : { nodeAffinity: { required: { nodeSelectorTerms: [term] } } }),
    },
  });
  if (isRefusal(made)) return;
  writer.updateStatus(made, { phase: 'Bound' });
  const bound = writer.update({ ...claim, spec: { ...claim.spec, volumeName } });
  if (!isRefusal(bound))
    writer.updateStatus(bound, { ...recordAt(bound, 'status'), phase: 'Bound' });
}

const nameOf = ({ metadata }: ClaimObject) => ({
  namespace: metadata.namespace,
  name: metadata.name,
  uid: metadata.uid,
});
