import type { Resources } from '#lib/constraints/resources.ts';
import type { Condition, ObjectMeta } from './object.ts';
import type { Pod } from './pod.ts';

/** Kinds that a CapacityBuffer may take its pod from. */
export type BufferTargetKind = 'PodTemplate' | 'Deployment' | 'ReplicaSet' | 'StatefulSet';

/** A workload that a CapacityBuffer stands for, as its `scalableRef` names it. */
export interface ScalableRef {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
}

/**
 * A CapacityBuffer: room that is kept ready for pods that may come.
 *
 * Source: karpenter v1.14, apis/autoscaling/v1beta1/capacitybuffer.go.
 */
export interface CapacityBuffer {
  readonly meta: ObjectMeta & { readonly namespace: string };
  readonly provisioningStrategy: string;
  /** The name of a PodTemplate; at most one of this and `scalable`. */
  readonly podTemplate?: string;
  readonly scalable?: ScalableRef;
  readonly replicas?: number;
  /** Of the workload's replicas. */
  readonly percentage?: number;
  /** What all of its pods together may ask for. */
  readonly limits: Resources;
  readonly status: {
    readonly podTemplate?: string;
    readonly replicas?: number;
    readonly podTemplateGeneration?: number;
    readonly provisioningStrategy?: string;
    readonly conditions: readonly Condition[];
  };
}

/** What a CapacityBuffer refers to, as far as that was looked up. */
export interface BufferTarget {
  readonly kind: BufferTargetKind;
  readonly meta: ObjectMeta & { readonly namespace: string };
  /** What a workload wants; 1 where it does not say. */
  readonly replicas: number;
  /** The pod that the template makes, without volumes that take a claim. */
  readonly pod: Pod;
}

/** Where the object stands that a CapacityBuffer takes its pod from. */
export interface TargetRef {
  readonly kind: BufferTargetKind;
  readonly namespace: string;
  readonly name: string;
}

/** Workloads that a `scalableRef` may name. Source: karpenter v1.14, capacitybuffer resolver. */
const SCALABLE: readonly BufferTargetKind[] = ['Deployment', 'ReplicaSet', 'StatefulSet'];

/** What a CapacityBuffer refers to; undefined where it names nothing that it could be. */
export function targetRefOf({
  meta: { namespace },
  podTemplate,
  scalable,
}: CapacityBuffer): TargetRef | undefined {
  if (podTemplate !== undefined) return { kind: 'PodTemplate', namespace, name: podTemplate };
  const kind = SCALABLE.find((each) => each === scalable?.kind);
  if (!scalable || !kind || (scalable.apiGroup ?? 'apps') !== 'apps') return undefined;
  return { kind, namespace, name: scalable.name };
}
