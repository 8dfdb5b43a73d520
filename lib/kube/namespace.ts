import type { Wire } from '#lib/kube/decode/field.ts';
import { NAMESPACE } from '#lib/model/labels.ts';
import { isGone, KubeFailure } from './errors.ts';
import type { Kind } from './kinds.ts';
import type { KubeTransport } from './transport.ts';
import { create } from './write.ts';

/**
 * Makes one of Joinery's own objects in its namespace. That is not made here: Joinery's rights are
 * granted in it, and whoever deleted it took them along. Throws KubeFailure.
 */
export async function createOurs(kube: KubeTransport, kind: Kind, body: Wire): Promise<unknown> {
  try {
    return await create(kube, kind, body, NAMESPACE);
  } catch (error) {
    if (!isGone(error)) throw error;
    const message = `there is no namespace ${NAMESPACE}: joinery install makes it, and grants what Joinery may do in it`;
    throw new KubeFailure('broken', message, { cause: error });
  }
}
