/** A NodePool of any current amd64 or arm64 type, and pods that ask for cpu and memory only. */

const CPU = ['50m', '100m', '250m', '500m', '1', '2', '4'];
const MEMORY = ['64Mi', '256Mi', '512Mi', '1Gi', '2Gi', '4Gi', '8Gi'];

/** The objects of a cluster with `count` pending pods of 49 sizes, the same ones each time. */
export function plainCluster(count: number): readonly Readonly<Record<string, unknown>>[] {
  const pods = Array.from({ length: count }, (_, at) => {
    // A step that shares no factor with 49 walks through all sizes, unevenly over the pods.
    const size = (at * 17 + Math.floor(at / 7) * 5) % (CPU.length * MEMORY.length);
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `web-${at}`, namespace: 'default' },
      spec: {
        containers: [
          {
            name: 'web',
            image: 'web',
            resources: {
              requests: { cpu: CPU[size % CPU.length], memory: MEMORY[Math.floor(size / 7)] },
            },
          },
        ],
      },
    };
  });
  return [
    {
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
    },
    ...pods,
  ];
}
