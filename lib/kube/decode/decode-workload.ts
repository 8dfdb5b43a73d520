import type { DaemonSet } from '#lib/model/daemon-set.ts';
import type { PodDisruptionBudget } from '#lib/model/pod-disruption-budget.ts';
import type { Namespace, PriorityClass, WorkloadSelector } from '#lib/model/workload.ts';
import { decodeMeta, decodeNamespacedMeta, texts } from './decode-meta.ts';
import { decodePodOf } from './decode-pod.ts';
import { decodeLabelSelector } from './decode-scheduling.ts';
import { group, grouped, optional, present, required, wire, withDefault } from './field.ts';
import { flag, integer, numberOrText, oneOf, textMap } from './scalar.ts';

/** A DaemonSet and the pod its template makes, named after it. Throws DecodeError. */
export function decodeDaemonSet(value: unknown): DaemonSet {
  const body = wire(value);
  const meta = decodeNamespacedMeta(body);
  const pod = grouped(body, 'spec', (spec) =>
    required(spec, 'template', (found) => {
      const template = wire(found);
      const labelled = group(template, 'metadata');
      const owner = { ...OWNER_OF_DAEMON, name: meta.name, uid: meta.uid };
      const ofPod = {
        ...meta,
        labels: texts(labelled, 'labels'),
        annotations: texts(labelled, 'annotations'),
        finalizers: [],
        owners: [owner],
      };
      return decodePodOf(ofPod, { spec: template.spec });
    }),
  );
  return { meta, pod };
}

const OWNER_OF_DAEMON = { apiVersion: 'apps/v1', kind: 'DaemonSet', controller: true } as const;

/** A PodDisruptionBudget. Throws DecodeError. */
export function decodePodDisruptionBudget(value: unknown): PodDisruptionBudget {
  const body = wire(value);
  return {
    meta: decodeNamespacedMeta(body),
    ...grouped(body, 'spec', (spec) => ({
      unhealthyPodEvictionPolicy: withDefault(
        spec,
        'unhealthyPodEvictionPolicy',
        'IfHealthyBudget',
        oneOf('IfHealthyBudget', 'AlwaysAllow'),
      ),
      ...present({
        selector: optional(spec, 'selector', decodeLabelSelector),
        minAvailable: optional(spec, 'minAvailable', numberOrText),
        maxUnavailable: optional(spec, 'maxUnavailable', numberOrText),
      }),
    })),
    ...grouped(body, 'status', (status) => ({
      disruptionsAllowed: withDefault(status, 'disruptionsAllowed', 0, integer),
      ...present({
        expectedPods: optional(status, 'expectedPods', integer),
        desiredHealthy: optional(status, 'desiredHealthy', integer),
      }),
    })),
  };
}

/** A Namespace. Throws DecodeError. */
export const decodeNamespace = (value: unknown): Namespace => ({ meta: decodeMeta(wire(value)) });

/** A PriorityClass. Throws DecodeError. */
export function decodePriorityClass(value: unknown): PriorityClass {
  const body = wire(value);
  return {
    meta: decodeMeta(body),
    value: required(body, 'value', integer),
    globalDefault: withDefault(body, 'globalDefault', false, flag),
    preemptionPolicy: withDefault(
      body,
      'preemptionPolicy',
      'PreemptLowerPriority',
      oneOf('PreemptLowerPriority', 'Never'),
    ),
  };
}

/** Decodes what a Service or ReplicationController selects; no selector selects nothing. */
export const decodeMapSelector =
  (kind: 'Service' | 'ReplicationController') =>
  (value: unknown): WorkloadSelector => {
    const body = wire(value);
    return {
      kind,
      meta: decodeNamespacedMeta(body),
      ...grouped(body, 'spec', (spec) =>
        present({ matchLabels: optional(spec, 'selector', textMap) }),
      ),
    };
  };

/** Decodes what a ReplicaSet or StatefulSet selects. */
export const decodeObjectSelector =
  (kind: 'ReplicaSet' | 'StatefulSet') =>
  (value: unknown): WorkloadSelector => {
    const body = wire(value);
    return {
      kind,
      meta: decodeNamespacedMeta(body),
      ...grouped(body, 'spec', (spec) =>
        present({ selector: optional(spec, 'selector', decodeLabelSelector) }),
      ),
    };
  };
