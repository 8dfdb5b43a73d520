import type { Wire } from '#lib/kube/decode/field.ts';

/** The metadata that an API server gives every object. */
export const wireMeta = (name: string, difference: Wire = {}): Wire => ({
  name,
  uid: `uid-of-${name}`,
  resourceVersion: '7',
  creationTimestamp: '2026-11-20T11:00:00Z',
  ...difference,
});

/** A pending pod with one container, as an API server lists it. */
export function aWirePod(difference: { metadata?: Wire; spec?: Wire; status?: Wire } = {}): Wire {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: wireMeta('web', { namespace: 'default', ...difference.metadata }),
    spec: { containers: [{ name: 'app', image: 'app' }], ...difference.spec },
    status: { phase: 'Pending', ...difference.status },
  };
}

/** A container that asks for this. */
export const asking = (name: string, requests: Wire, difference: Wire = {}): Wire => ({
  name,
  image: 'app',
  resources: { requests },
  ...difference,
});

/** The least that a NodePool says, and then some. */
export function aWireNodePool(
  difference: { metadata?: Wire; spec?: Wire; template?: Wire } = {},
): Wire {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: wireMeta('default', difference.metadata),
    spec: {
      template: {
        spec: {
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
          requirements: [],
          ...difference.template,
        },
      },
      ...difference.spec,
    },
  };
}
