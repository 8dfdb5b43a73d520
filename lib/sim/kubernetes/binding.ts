import { setCondition } from './conditions.ts';
import type { Registry, WriteOptions } from './registry.ts';
import type { Resource } from './resources.ts';
import { conflict, type Refusal } from './status.ts';
import type { PodObject, PodStatus } from './wire.ts';

/** What a binding asks for. */
export interface BindingAsk {
  readonly nodeName: string;
  readonly uid?: string;
}

/**
 * Binds a pod to a node, whether or not there is a node of that name: spec.nodeName is set, the
 * PodScheduled condition becomes True, and a nomination is cleared.
 *
 * Source: kubernetes v1.36, registry/core/pod/storage, BindingREST.
 */
export function bindPod(
  registry: Registry,
  pod: PodObject,
  { nodeName, uid }: BindingAsk,
  options: WriteOptions,
): PodObject | Refusal {
  const refused = whyNot(pod, uid, registry.resourceOfKind('Pod'));
  if (refused !== undefined) return refused;
  const scheduled = { type: 'PodScheduled', status: 'True' } as const;
  const { nominatedNodeName: _, ...status } = pod.status;
  const conditions = setCondition(status.conditions, scheduled, registry.clock.now());
  const bound: PodObject & { status: PodStatus } = {
    ...pod,
    metadata: { ...pod.metadata, generation: (pod.metadata.generation ?? 1) + 1 },
    spec: { ...pod.spec, nodeName },
    status: { ...status, conditions },
  };
  if (options.dryRun !== true) registry.store.put(bound, options.actor);
  return bound;
}

function whyNot(
  { metadata, spec }: PodObject,
  uid: string | undefined,
  resource: Resource | undefined,
): Refusal | undefined {
  if (resource === undefined) return undefined;
  const refuse = (because: string): Refusal =>
    conflict({ ...resource, plural: 'pods/binding' }, metadata.name, because);
  if (uid !== undefined && uid !== metadata.uid) {
    return refuse(
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`,
    );
  }
  if (metadata.deletionTimestamp !== undefined) {
    return refuse(`pod ${metadata.name} is being deleted, cannot be assigned to a host`);
  }
  if ((spec.nodeName ?? '') !== '') {
    return refuse(`pod ${metadata.name} is already assigned to node "${spec.nodeName}"`);
  }
  if ((spec.schedulingGates ?? []).length > 0) {
    return refuse(`pod ${metadata.name} has non-empty .spec.schedulingGates`);
  }
  return undefined;
}
