/** What each Deployment's pods ask for: two shapes of nodes, neither of which all pods fit well. */
const SHAPES = [
  { cpu: '250m', memory: '384Mi' },
  { cpu: '500m', memory: '768Mi' },
  { cpu: '750m', memory: '4Gi' },
  { cpu: '1', memory: '1536Mi' },
] as const;

/** Of all nodes. */
export const NODE_CLASS = {
  apiVersion: 'karpenter.k8s.aws/v1',
  kind: 'EC2NodeClass',
  metadata: { name: 'default' },
  spec: {
    role: 'KarpenterNodeRole-demo',
    amiSelectorTerms: [{ alias: 'al2023@latest' }],
    subnetSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'demo' } }],
    securityGroupSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'demo' } }],
  },
};

/** Types of a few sizes, so that many nodes are made. */
export const NODE_POOL = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: 'default' },
  spec: {
    disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: '30s' },
    template: {
      spec: {
        nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
        requirements: [
          { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
          {
            key: 'karpenter.k8s.aws/instance-size',
            operator: 'In',
            values: ['xlarge', '2xlarge', '4xlarge'],
          },
        ],
      },
    },
  },
};

/** The default class under which pods keep the nodes that were named to them. */
export const KEEPER = {
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name: 'joinery-default' },
  value: 0,
  globalDefault: true,
  preemptionPolicy: 'Never',
};

const deployment = (at: number, replicas: number): Readonly<Record<string, unknown>> => {
  const name = `app-${at}`;
  const requests = SHAPES[at % SHAPES.length];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default' },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'app', image: 'pause', resources: { requests } }] },
      },
    },
  };
};

/** So many pods, of one Deployment for each shape unless more are asked for. */
export const deployments = (
  pods: number,
  kinds: number = SHAPES.length,
): readonly Readonly<Record<string, unknown>>[] =>
  Array.from({ length: kinds }, (_, at) =>
    deployment(at, Math.floor(pods / kinds) + (at < pods % kinds ? 1 : 0)),
  );
