import type { BenchCluster } from './bench-cluster.ts';

const CPU = ['50m', '100m', '250m', '500m', '1', '2', '4'];
const MEMORY = ['64Mi', '256Mi', '512Mi', '1Gi', '2Gi', '4Gi', '8Gi'];

/**
 * Pods that ask for cpu and memory only, of 49 sizes, the same ones each time, and a NodePool of any
 * current amd64 or arm64 type.
 */
export function plainCluster(count: number): BenchCluster {
  const pods = Array.from({ length: count }, (_, at) => {
    // A step that shares no factor with 49 walks through all sizes, unevenly over the pods.
    const size = (at * 17 + Math.floor(at / 7) * 5) % (CPU.length * MEMORY.length);
    return plainPod(at, { cpu: CPU[size % CPU.length], memory: MEMORY[Math.floor(size / 7)] });
  });
  return { objects: [anyType, ...pods] };
}

/** As many pods that all ask for different amounts; `factor` makes them so large that none fits. */
export function distinctCluster(count: number, factor = 1): BenchCluster {
  const pods = Array.from({ length: count }, (_, at) =>
    plainPod(at, {
      cpu: `${factor * (100 + ((at * 7919) % 3001))}m`,
      memory: `${factor * (128 + ((at * 104_729) % 8009))}Mi`,
    }),
  );
  return { objects: [anyType, ...pods] };
}

const plainPod = (at: number, requests: Readonly<Record<string, unknown>>) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `web-${at}`, namespace: 'default' },
  spec: { containers: [{ name: 'web', image: 'web', resources: { requests } }] },
});

const anyType = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: 'default' },
  spec: {
    template: {
      spec: {
        nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
        requirements: [
          { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand', 'spot'] },
          {
            key: 'karpenter.k8s.aws/instance-category',
            operator: 'In',
            values: ['c', 'm', 'r'],
          },
        ],
      },
    },
  },
};
