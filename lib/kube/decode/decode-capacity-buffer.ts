import type { Resources } from '#lib/constraints/resources.ts';
import type {
  BufferTarget,
  BufferTargetKind,
  CapacityBuffer,
  ScalableRef,
} from '#lib/model/capacity-buffer.ts';
import { decodeConditions, decodeNamespacedMeta, texts } from './decode-meta.ts';
import { decodePodOf } from './decode-pod.ts';
import {
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
import { amounts, integer, name, text } from './scalar.ts';

const NONE: Resources = Object.freeze({});
/** Source: karpenter v1.14, CapacityBuffer CRD, provisioningStrategy. */
const DEFAULT_STRATEGY = 'buffer.x-k8s.io/active-capacity';

/** A CapacityBuffer, with the CRD's defaults. Throws DecodeError. */
export function decodeCapacityBuffer(value: unknown): CapacityBuffer {
  const body = wire(value);
  const meta = decodeNamespacedMeta(body);
  return {
    meta,
    ...grouped(body, 'spec', (spec) => ({
      provisioningStrategy: withDefault(spec, 'provisioningStrategy', DEFAULT_STRATEGY, text),
      limits: withDefault(spec, 'limits', NONE, amounts),
      ...present({
        podTemplate: optional(spec, 'podTemplateRef', nameOf),
        scalable: optional(spec, 'scalableRef', decodeScalableRef),
        replicas: optional(spec, 'replicas', integer),
        percentage: optional(spec, 'percentage', integer),
      }),
    })),
    status: grouped(body, 'status', (status) => ({
      conditions: decodeConditions(status, meta.createdAt),
      ...present({
        podTemplate: optional(status, 'podTemplateRef', nameOf),
        replicas: optional(status, 'replicas', integer),
        podTemplateGeneration: optional(status, 'podTemplateGeneration', integer),
        provisioningStrategy: optional(status, 'provisioningStrategy', text),
      }),
    })),
  };
}

const nameOf = (value: unknown): string => required(wire(value), 'name', name);

function decodeScalableRef(value: unknown): ScalableRef {
  const ref = wire(value);
  return {
    kind: required(ref, 'kind', name),
    name: required(ref, 'name', name),
    ...present({ apiGroup: optional(ref, 'apiGroup', text) }),
  };
}

/**
 * What a CapacityBuffer takes its pod from. Volumes are left aside: nobody will ever write to
 * those of a pod that does not run. Throws DecodeError.
 *
 * Source: karpenter v1.14, controllers/capacitybuffer, virtual pods.
 */
export const decodeBufferTarget =
  (kind: BufferTargetKind) =>
  (value: unknown): BufferTarget => {
    const body = wire(value);
    const meta = decodeNamespacedMeta(body);
    if (kind === 'PodTemplate') {
      const pod = required(body, 'template', (found) => podOf(wire(found), meta));
      return { kind, meta, replicas: 1, pod };
    }
    return grouped(body, 'spec', (spec) => ({
      kind,
      meta,
      replicas: withDefault(spec, 'replicas', 1, integer),
      pod: required(spec, 'template', (found) => podOf(wire(found), meta)),
    }));
  };

function podOf(template: Wire, meta: BufferTarget['meta']): BufferTarget['pod'] {
  const labelled = group(template, 'metadata');
  const ofPod = {
    ...meta,
    labels: texts(labelled, 'labels'),
    annotations: texts(labelled, 'annotations'),
    finalizers: [],
    owners: [],
  };
  const { nodeName: _, volumes, ...spec } = required(template, 'spec', wire);
  const kept = list({ volumes }, 'volumes', wire).filter(
    (volume) => volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined,
  );
  return decodePodOf(ofPod, { spec: { ...spec, volumes: kept } });
}
