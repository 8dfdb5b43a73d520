import { decodeBufferTarget } from '#lib/kube/decode/decode-capacity-buffer.ts';
import { DecodeError } from '#lib/kube/decode/field.ts';
import {
  type BufferTarget,
  type CapacityBuffer,
  type TargetRef,
  targetRefOf,
} from '#lib/model/capacity-buffer.ts';
import type { LeftOut } from '#lib/model/snapshot.ts';
import { isGone, send } from './errors.ts';
import { KINDS, pathOf } from './kinds.ts';
import type { KubeTransport } from './transport.ts';

/** What CapacityBuffers refer to: as far as it is there, and as far as it can be read. */
export interface BufferTargets {
  readonly targets: readonly BufferTarget[];
  readonly leftOut: readonly LeftOut[];
}

/** Each object once that one of `buffers` refers to, in their order. */
export function targetRefs(buffers: readonly CapacityBuffer[]): readonly TargetRef[] {
  const refs = buffers.flatMap((buffer) => targetRefOf(buffer) ?? []);
  return [...new Map(refs.map((ref) => [keyOf(ref), ref])).values()];
}

const keyOf = ({ kind, namespace, name }: TargetRef): string => `${kind} ${namespace}/${name}`;

/**
 * Reads what `buffers` refer to, one request for each: there are few of them, and lists of all
 * workloads would be long. What is not there is not in the answer. Throws KubeFailure.
 */
export async function readBufferTargets(
  kube: KubeTransport,
  buffers: readonly CapacityBuffer[],
): Promise<BufferTargets> {
  const found = await Promise.all(
    targetRefs(buffers).map(async (ref) => {
      try {
        const { namespace, name } = ref;
        const path = pathOf(ref.kind, { namespace, name });
        return decodeTargets(ref, [await send(kube, { method: 'GET', path })]);
      } catch (error) {
        if (!isGone(error)) throw error;
        return decodeTargets(ref, []);
      }
    }),
  );
  return {
    targets: found.flatMap(({ targets }) => targets),
    leftOut: found.flatMap(({ leftOut }) => leftOut),
  };
}

/** The objects that are `ref`, as what a CapacityBuffer takes its pod from. */
export function decodeTargets(ref: TargetRef, objects: readonly unknown[]): BufferTargets {
  const { apiVersion } = KINDS[ref.kind];
  try {
    return { targets: objects.map(decodeBufferTarget(ref.kind)), leftOut: [] };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const { field, problem } = error;
    return { targets: [], leftOut: [{ object: { apiVersion, ...ref }, field, problem }] };
  }
}
