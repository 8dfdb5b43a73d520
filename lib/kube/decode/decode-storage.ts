import type {
  CsiNode,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttachment,
} from '#lib/model/volume.ts';
import { decodeMeta, decodeNamespacedMeta } from './decode-meta.ts';
import { decodeNodeSelector } from './decode-scheduling.ts';
import {
  type Decoder,
  group,
  grouped,
  list,
  optional,
  present,
  required,
  type Wire,
  wire,
  withDefault,
} from './field.ts';
import { integer, name, oneOf, text } from './scalar.ts';

/** The driver that serves volumes written in the tree's own old notation. */
const EBS_DRIVER = 'ebs.csi.aws.com';
const IS_DEFAULT = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

/** A PersistentVolumeClaim. Throws DecodeError. */
export function decodePersistentVolumeClaim(value: unknown): PersistentVolumeClaim {
  const body = wire(value);
  return {
    meta: decodeNamespacedMeta(body),
    phase: grouped(body, 'status', (status) =>
      withDefault(status, 'phase', 'Pending', oneOf('Pending', 'Bound', 'Lost')),
    ),
    ...grouped(body, 'spec', (spec) =>
      present({
        volumeName: optional(spec, 'volumeName', text) || undefined,
        storageClassName: optional(spec, 'storageClassName', text),
      }),
    ),
  };
}

/** A PersistentVolume. Throws DecodeError. */
export function decodePersistentVolume(value: unknown): PersistentVolume {
  const body = wire(value);
  return {
    meta: decodeMeta(body),
    ...grouped(body, 'spec', (spec) => ({
      nodeAffinity: grouped(spec, 'nodeAffinity', (affinity) =>
        decodeNodeSelector(affinity, 'required'),
      ),
      isLocal: isThere(spec, 'local') || isThere(spec, 'hostPath'),
      ...present({ claim: optional(spec, 'claimRef', decodeClaimRef), csiDriver: driverOf(spec) }),
    })),
  };
}

const decodeClaimRef: Decoder<NonNullable<PersistentVolume['claim']>> = (value) => {
  const ref = wire(value);
  return { namespace: required(ref, 'namespace', name), name: required(ref, 'name', name) };
};

function driverOf(spec: Wire): string | undefined {
  const driver = optional(spec, 'csi', (csi) => required(wire(csi), 'driver', name));
  return driver ?? (isThere(spec, 'awsElasticBlockStore') ? EBS_DRIVER : undefined);
}

const isThere = (of: Wire, key: string): boolean => optional(of, key, wire) !== undefined;

/** A StorageClass. Throws DecodeError. */
export function decodeStorageClass(value: unknown): StorageClass {
  const body = wire(value);
  const meta = decodeMeta(body);
  return {
    meta,
    provisioner: required(body, 'provisioner', text),
    bindingMode: withDefault(
      body,
      'volumeBindingMode',
      'Immediate',
      oneOf('Immediate', 'WaitForFirstConsumer'),
    ),
    isDefault: IS_DEFAULT.some((key) => meta.annotations[key] === 'true'),
    allowedTopologies: list(body, 'allowedTopologies', (topology) =>
      list(wire(topology), 'matchLabelExpressions', (expression) => ({
        key: required(wire(expression), 'key', name),
        values: list(wire(expression), 'values', text),
      })),
    ),
  };
}

/** A CSINode. Throws DecodeError. */
export function decodeCsiNode(value: unknown): CsiNode {
  const body = wire(value);
  return {
    meta: decodeMeta(body),
    drivers: grouped(body, 'spec', (spec) =>
      list(spec, 'drivers', (found) => {
        const driver = wire(found);
        return {
          name: required(driver, 'name', name),
          ...present({ count: optional(group(driver, 'allocatable'), 'count', integer) }),
        };
      }),
    ),
  };
}

/** A VolumeAttachment. Throws DecodeError. */
export function decodeVolumeAttachment(value: unknown): VolumeAttachment {
  const body = wire(value);
  return {
    meta: decodeMeta(body),
    ...required(body, 'spec', (found) => {
      const spec = wire(found);
      return {
        nodeName: required(spec, 'nodeName', name),
        ...present({
          persistentVolumeName: optional(group(spec, 'source'), 'persistentVolumeName', text),
        }),
      };
    }),
  };
}
