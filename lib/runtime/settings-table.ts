import { parseSchedulerConfig } from '#lib/kube/decode/decode-scheduler-config.ts';
import { parseFeatureGates } from '#lib/model/feature-gates.ts';

/** One setting: how it is called, what it is for, what a good value is. */
export interface Setting {
  readonly name: string;
  /** What it decides, for people. */
  readonly says: string;
  readonly fallback?: string;
  /** What becomes of one that has no fallback and is left out; absent: an error. */
  readonly otherwise?: string;
  /** What a good value looks like; the whole value must match. */
  readonly pattern: RegExp;
  readonly expected: string;
  /** What is wrong with a value that the pattern lets pass. */
  readonly problem?: (value: string) => string | undefined;
}

const ANYTHING = /^.+$/s;
/** Every setting there is. What has no fallback must be told. */
export const SETTINGS = {
  clusterName: {
    name: 'JOINERY_CLUSTER_NAME',
    says: 'Which EKS cluster',
    pattern: /^[0-9A-Za-z][A-Za-z0-9_-]{0,99}$/,
    expected: 'the name of the EKS cluster',
  },
  region: {
    name: 'AWS_REGION',
    says: 'Where it is',
    otherwise: 'set by Lambda',
    pattern: /^[a-z]{2,4}(-[a-z]+)+-\d$/,
    expected: 'a region such as us-east-1',
  },
  clusterEndpoint: {
    name: 'JOINERY_CLUSTER_ENDPOINT',
    says: 'Its API server',
    otherwise: 'asked of EKS',
    pattern: /^https:\/\/\S+$/,
    expected: 'the https address of the API server',
  },
  clusterCa: {
    name: 'JOINERY_CLUSTER_CA',
    says: 'Whom nodes trust',
    otherwise: 'asked of EKS',
    pattern: /^[A-Za-z0-9+/]+=*$/,
    expected: "the cluster's certificate authority in base64",
  },
  serviceCidr: {
    name: 'JOINERY_SERVICE_CIDR',
    says: 'Its service network, for user data',
    otherwise: 'asked of EKS',
    pattern: /^[0-9a-fA-F.:]+\/\d{1,3}$/,
    expected: 'the service network, such as 10.100.0.0/16',
  },
  kubernetesVersion: {
    name: 'JOINERY_KUBERNETES_VERSION',
    says: 'Its minor version, which picks images',
    otherwise: 'asked of EKS',
    pattern: /^1\.\d+$/,
    expected: 'a minor version such as 1.33',
  },
  hintQueueUrl: {
    name: 'JOINERY_HINT_QUEUE_URL',
    says: 'The queue that wakes provision',
    pattern: /^https?:\/\/\S+$/,
    expected: 'the URL of the queue that wakes provision',
  },
  webhookPath: {
    name: 'JOINERY_WEBHOOK_PATH',
    says: 'The path of the webhook; calls to any other are not heard',
    fallback: '',
    pattern: /^[0-9A-Za-z_-]{0,128}$/,
    expected: 'the unguessable path that the webhook calls, without a slash, or nothing for any',
  },
  eventBus: {
    name: 'JOINERY_EVENT_BUS',
    says: 'An EventBridge bus that every decision is put on as an event',
    fallback: '',
    pattern: /^(arn:[\w-]+:events:[\w-]+:\d{12}:event-bus\/)?[/.\w-]{0,256}$/,
    expected: 'the name or the ARN of an event bus, or nothing',
  },
  minValuesPolicy: {
    name: 'JOINERY_MIN_VALUES_POLICY',
    says: 'Whether a node that cannot keep minValues is refused (Strict) or made all the same (BestEffort)',
    fallback: 'Strict',
    pattern: /^(Strict|BestEffort)$/,
    expected: 'Strict or BestEffort',
  },
  preferencePolicy: {
    name: 'JOINERY_PREFERENCE_POLICY',
    says: 'Whether preferences of pods count',
    fallback: 'Respect',
    pattern: /^(Respect|Ignore)$/,
    expected: 'Respect or Ignore',
  },
  vmMemoryOverheadPercent: {
    name: 'JOINERY_VM_MEMORY_OVERHEAD_PERCENT',
    says: 'The share of memory that the hypervisor keeps, where nothing better is known',
    fallback: '0.075',
    pattern: /^(0(\.\d+)?|1(\.0+)?)$/,
    expected: 'a share between 0 and 1, such as 0.075',
  },
  reservedInterfaces: {
    name: 'JOINERY_RESERVED_ENIS',
    says: 'Network interfaces of each instance that are kept from pods',
    fallback: '0',
    pattern: /^\d{1,3}$/,
    expected: 'how many interfaces of each instance are kept from pods, such as 1',
  },
  isolatedVpc: {
    name: 'JOINERY_ISOLATED_VPC',
    says: 'Whether only what lies in the VPC can be reached: no price list, no IAM',
    fallback: 'false',
    pattern: /^(true|false)$/,
    expected: 'true where only what lies in the VPC can be reached, else false',
  },
  tagsNodes: {
    name: 'JOINERY_TAG_NODES',
    says: 'Whether instances are tagged with the names of their Node and NodeClaim',
    fallback: 'false',
    pattern: /^(true|false)$/,
    expected: 'true where instances are tagged with the names of their Nodes, else false',
  },
  instanceStatus: {
    name: 'JOINERY_INSTANCE_STATUS',
    says: 'Asks EC2 each minute which instances fail its status checks or await work, and replaces them: by force where a check has failed for two minutes',
    fallback: 'false',
    pattern: /^(true|false)$/,
    expected: 'true where EC2 is asked how instances are, else false',
  },
  zonalShiftArn: {
    name: 'JOINERY_ZONAL_SHIFT_ARN',
    says: 'Asks ARC whether traffic is shifted away from a zone, and buys nothing there',
    fallback: '',
    pattern: /^(arn:[\w-]+:eks:[\w-]+:\d{12}:cluster\/\S+)?$/,
    expected: 'the ARN of the cluster, where ARC may shift traffic out of its zones, else nothing',
  },
  clusterDnsIp: {
    name: 'JOINERY_CLUSTER_DNS_IP',
    says: "The address of the cluster's DNS service, for user data",
    fallback: '',
    pattern: /^[0-9a-fA-F.:]*$/,
    expected: "the address of the cluster's DNS service, such as 10.100.0.10",
  },
  featureGates: {
    name: 'JOINERY_FEATURE_GATES',
    says: "Karpenter's gates, in its notation, as the README lists them",
    fallback: '',
    pattern: /^.*$/s,
    expected: 'gates such as NodeOverlay=true,StaticCapacity=true',
    problem: (value) => {
      const gates = parseFeatureGates(value);
      return 'problem' in gates ? gates.problem : undefined;
    },
  },
  schedulerConfig: {
    name: 'JOINERY_SCHEDULER_CONFIG',
    says: 'The spread of pods that ask for none, as kube-scheduler is configured',
    fallback: '{}',
    pattern: ANYTHING,
    expected: 'a document such as {podTopologySpread: {defaultConstraints: [...]}}',
    problem: (value) => {
      const spread = parseSchedulerConfig(value);
      return 'problem' in spread ? spread.problem : undefined;
    },
  },
  limitUsdPerHour: {
    name: 'JOINERY_LIMIT_USD_PER_HOUR',
    says: 'What all nodes of all NodePools together may cost',
    fallback: 'none',
    pattern: /^(none|\d{1,6}(\.\d{1,9})?)$/,
    expected: 'what all nodes together may cost in USD per hour, such as 12.50, or none',
  },
  placement: {
    name: 'JOINERY_PLACEMENT',
    says: 'How pods are led to the nodes made for them: named to kube-scheduler, bound where that is safe, or left to it',
    fallback: 'nominate',
    pattern: /^(nominate|bind|none)$/,
    expected: 'nominate, bind or none',
  },
  consolidationMoveShare: {
    name: 'JOINERY_CONSOLIDATION_MOVE_SHARE',
    says: 'What consolidation must save for each pod that it moves, as a share of what a pod costs on average at fair prices',
    fallback: '0.5',
    pattern: /^\d{1,3}(\.\d{1,6})?$/,
    expected: 'a share such as 0.5; 0 moves pods for any saving',
  },
  disruptionWindows: {
    name: 'JOINERY_DISRUPTION_WINDOWS',
    says: 'When nodes may be replaced, where NodePools do not say',
    fallback: '',
    pattern: /^.*$/s,
    expected:
      'a list such as [{schedule: "0 2 * * sat", duration: 4h, timeZone: Europe/Berlin}], or nothing',
  },
  identity: {
    name: 'AWS_LAMBDA_LOG_STREAM_NAME',
    says: 'Who holds the Lease while it acts; Lambda names each sandbox',
    fallback: 'joinery',
    pattern: ANYTHING,
    expected: 'a name for whoever holds the Lease',
  },
} satisfies Record<string, Setting>;
