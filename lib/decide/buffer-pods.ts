import { byNamespacedName } from '#lib/constraints/order.ts';
import { amountOf, type Resources } from '#lib/constraints/resources.ts';
import { type BufferTarget, type CapacityBuffer, targetRefOf } from '#lib/model/capacity-buffer.ts';
import type { Pod } from '#lib/model/pod.ts';
import { isOpen } from '#lib/model/settings.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import type { EpochMs } from '#lib/model/time.ts';

/** Why a CapacityBuffer asks for nothing, as its condition ReadyForProvisioning says it. */
interface BufferProblem {
  readonly reason: 'PodTemplateNotFound' | 'ScalableRefNotFound' | 'ResolutionFailed';
  readonly message: string;
}

/** A CapacityBuffer and the pods that it keeps room for. */
export interface ResolvedBuffer {
  readonly buffer: CapacityBuffer;
  /** How many it wants; `pods` may be fewer, see MOST_PODS. */
  readonly replicas: number;
  readonly pods: readonly Pod[];
  readonly target?: BufferTarget;
  readonly problem?: BufferProblem;
}

/** The only strategy that provisions; buffers of others are somebody else's. */
const ACTIVE = 'buffer.x-k8s.io/active-capacity';
/** Annotations of virtual pods. Source: karpenter v1.14, apis/v1/labels.go. */
const FAKE_POD = 'karpenter.sh/capacity-buffer-fake-pod';
const BUFFER_NAME = 'karpenter.sh/capacity-buffer-name';
const BUFFER_NAMESPACE = 'karpenter.sh/capacity-buffer-namespace';
/** Source: karpenter v1.14, capacitybuffer: the least that an int32 holds. */
const LEAST_PRIORITY = -2_147_483_648;
/** Of one buffer; a slip of the keyboard must not take a function's memory. */
const MOST_PODS = 5_000;

/** Every CapacityBuffer that is ours, resolved; none where the gate is closed. */
export function resolveBuffers(snapshot: Snapshot): readonly ResolvedBuffer[] {
  if (!isOpen(snapshot.settings, 'CapacityBuffer')) return [];
  return snapshot.capacityBuffers
    .filter(({ meta }) => meta.deletedAt === undefined)
    .filter(({ provisioningStrategy }) => provisioningStrategy === ACTIVE)
    .sort(byNamespacedName)
    .map((buffer) => resolve(buffer, snapshot));
}

function resolve(buffer: CapacityBuffer, { bufferTargets, takenAt }: Snapshot): ResolvedBuffer {
  const ref = targetRefOf(buffer);
  const target = bufferTargets.find(
    ({ kind, meta }) =>
      kind === ref?.kind && meta.name === ref.name && meta.namespace === ref.namespace,
  );
  if (!ref || !target) return { buffer, replicas: 0, pods: [], problem: problemOf(buffer) };
  const replicas = desiredReplicas(buffer, target);
  const pods = Array.from({ length: Math.min(replicas, MOST_PODS) }, (_, at) =>
    virtualPod(buffer, target, { ordinal: at + 1, now: takenAt }),
  );
  return { buffer, replicas, pods, target };
}

function problemOf(buffer: CapacityBuffer): BufferProblem {
  const ref = targetRefOf(buffer);
  const { scalable } = buffer;
  if (ref?.kind === 'PodTemplate') {
    return { reason: 'PodTemplateNotFound', message: `PodTemplate ${ref.name} not found` };
  }
  if (ref) return { reason: 'ScalableRefNotFound', message: `${ref.kind} ${ref.name} not found` };
  const message = scalable
    ? `${scalable.kind} is not a Deployment, StatefulSet or ReplicaSet of apps`
    : 'neither podTemplateRef nor scalableRef is set';
  return { reason: 'ResolutionFailed', message };
}

/**
 * How many pods a buffer keeps room for: the larger of `replicas` and the percentage of the
 * workload's replicas, as far as `limits` hold them; with limits alone, as many as they hold.
 *
 * Source: karpenter v1.14, capacitybuffer/resolver.go. The API's text says the smaller of the two.
 */
export function desiredReplicas(
  { replicas, percentage, limits }: CapacityBuffer,
  target: Pick<BufferTarget, 'kind' | 'replicas' | 'pod'>,
): number {
  const share =
    percentage === undefined || target.kind === 'PodTemplate'
      ? undefined
      : Math.ceil((percentage * target.replicas) / 100);
  const held = heldBy(limits, target.pod.requests);
  if (replicas === undefined && share === undefined) return Number.isFinite(held) ? held : 0;
  return Math.min(Math.max(replicas ?? 0, share ?? 0), held);
}

/** How many pods the limits hold; Infinity where they name nothing that a pod asks for. */
const heldBy = (limits: Resources, requests: Resources): number =>
  Object.keys(limits)
    .filter((name) => amountOf(requests, name) > 0)
    .reduce(
      (least, name) =>
        Math.min(least, Math.floor(amountOf(limits, name) / amountOf(requests, name))),
      Number.POSITIVE_INFINITY,
    );

/** A pod that nobody will run. Source: karpenter v1.14, capacitybuffer, virtual pods. */
function virtualPod(
  { meta: { name, namespace, uid } }: CapacityBuffer,
  { pod }: BufferTarget,
  { ordinal, now }: { readonly ordinal: number; readonly now: EpochMs },
): Pod {
  return {
    ...pod,
    meta: {
      ...pod.meta,
      name: `capacity-buffer-${name}-${ordinal}`,
      namespace,
      uid: `${uid}-${ordinal}`,
      createdAt: now,
      annotations: {
        ...pod.meta.annotations,
        [FAKE_POD]: 'true',
        [BUFFER_NAME]: name,
        [BUFFER_NAMESPACE]: namespace,
      },
    },
    priority: LEAST_PRIORITY,
    phase: 'Pending',
    scheduled: { status: 'False', reason: 'Unschedulable' },
  };
}
