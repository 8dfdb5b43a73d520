import type { KubeObject, PodSpec, PodTemplate } from './wire.ts';
import { controlledBy, type NewObject } from './writer.ts';

/** How a pod of a workload differs from its template. */
export interface PodDifference {
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: Partial<PodSpec>;
}

/** A pod of `owner`'s template, named after it. */
export function newPod(
  owner: KubeObject,
  template: PodTemplate,
  difference: PodDifference = {},
): NewObject {
  const { name } = difference;
  return {
    kind: 'Pod',
    metadata: {
      ...(name === undefined ? { generateName: `${owner.metadata.name}-` } : { name }),
      namespace: owner.metadata.namespace ?? 'default',
      labels: { ...template.metadata?.labels, ...difference.labels },
      annotations: { ...template.metadata?.annotations },
      ownerReferences: controlledBy(owner),
    },
    spec: { ...template.spec, ...difference.spec },
  };
}
