import { parseSchedulerConfig } from '#lib/kube/decode-scheduler-config.ts';
import { parseFeatureGates } from '#lib/model/feature-gates.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import { parseUsdPerHour } from '#lib/model/usd-limit.ts';

/** What a function is told by its environment, checked once, at the start of a sandbox. */
export interface Settings {
  readonly cluster: ClusterSettings;
  /** The queue that wakes provision. */
  readonly hintQueueUrl: string;
  /** Who holds the Lease while this sandbox acts; unique per sandbox. */
  readonly identity: string;
}

/** An environment, as process.env is one. */
export type Environment = Readonly<Record<string, string | undefined>>;

interface Setting {
  readonly name: string;
  readonly fallback?: string;
  /** What a good value looks like; the whole value must match. */
  readonly pattern: RegExp;
  readonly expected: string;
  /** What is wrong with a value that the pattern lets pass. */
  readonly problem?: (value: string) => string | undefined;
}

const ANYTHING = /^.+$/s;
const SETTINGS = {
  clusterName: {
    name: 'JOINERY_CLUSTER_NAME',
    pattern: /^[0-9A-Za-z][A-Za-z0-9_-]{0,99}$/,
    expected: 'the name of the EKS cluster',
  },
  region: {
    name: 'AWS_REGION',
    pattern: /^[a-z]{2,4}(-[a-z]+)+-\d$/,
    expected: 'a region such as us-east-1',
  },
  clusterEndpoint: {
    name: 'JOINERY_CLUSTER_ENDPOINT',
    pattern: /^https:\/\/\S+$/,
    expected: 'the https address of the API server',
  },
  clusterCa: {
    name: 'JOINERY_CLUSTER_CA',
    pattern: /^[A-Za-z0-9+/]+=*$/,
    expected: "the cluster's certificate authority in base64",
  },
  serviceCidr: {
    name: 'JOINERY_SERVICE_CIDR',
    pattern: /^[0-9a-fA-F.:]+\/\d{1,3}$/,
    expected: 'the service network, such as 10.100.0.0/16',
  },
  kubernetesVersion: {
    name: 'JOINERY_KUBERNETES_VERSION',
    pattern: /^1\.\d+$/,
    expected: 'a minor version such as 1.33',
  },
  hintQueueUrl: {
    name: 'JOINERY_HINT_QUEUE_URL',
    pattern: /^https?:\/\/\S+$/,
    expected: 'the URL of the queue that wakes provision',
  },
  minValuesPolicy: {
    name: 'JOINERY_MIN_VALUES_POLICY',
    fallback: 'Strict',
    pattern: /^(Strict|BestEffort)$/,
    expected: 'Strict or BestEffort',
  },
  preferencePolicy: {
    name: 'JOINERY_PREFERENCE_POLICY',
    fallback: 'Respect',
    pattern: /^(Respect|Ignore)$/,
    expected: 'Respect or Ignore',
  },
  vmMemoryOverheadPercent: {
    name: 'JOINERY_VM_MEMORY_OVERHEAD_PERCENT',
    fallback: '0.075',
    pattern: /^(0(\.\d+)?|1(\.0+)?)$/,
    expected: 'a share between 0 and 1, such as 0.075',
  },
  reservedInterfaces: {
    name: 'JOINERY_RESERVED_ENIS',
    fallback: '0',
    pattern: /^\d{1,3}$/,
    expected: 'how many interfaces of each instance are kept from pods, such as 1',
  },
  isolatedVpc: {
    name: 'JOINERY_ISOLATED_VPC',
    fallback: 'false',
    pattern: /^(true|false)$/,
    expected: 'true where only what lies in the VPC can be reached, else false',
  },
  tagsNodes: {
    name: 'JOINERY_TAG_NODES',
    fallback: 'false',
    pattern: /^(true|false)$/,
    expected: 'true where instances are tagged with the names of their Nodes, else false',
  },
  zonalShiftArn: {
    name: 'JOINERY_ZONAL_SHIFT_ARN',
    fallback: '',
    pattern: /^(arn:[\w-]+:eks:[\w-]+:\d{12}:cluster\/\S+)?$/,
    expected: 'the ARN of the cluster, where ARC may shift traffic out of its zones, else nothing',
  },
  clusterDnsIp: {
    name: 'JOINERY_CLUSTER_DNS_IP',
    fallback: '',
    pattern: /^[0-9a-fA-F.:]*$/,
    expected: "the address of the cluster's DNS service, such as 10.100.0.10",
  },
  featureGates: {
    name: 'JOINERY_FEATURE_GATES',
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
    fallback: 'none',
    pattern: /^(none|\d{1,6}(\.\d{1,9})?)$/,
    expected: 'what all nodes together may cost in USD per hour, such as 12.50, or none',
  },
  disruptionWindows: {
    name: 'JOINERY_DISRUPTION_WINDOWS',
    fallback: '',
    pattern: ANYTHING,
    expected: 'a list as in the annotation joinery.dev/disruption-windows, or nothing',
  },
  identity: {
    name: 'AWS_LAMBDA_LOG_STREAM_NAME',
    fallback: 'joinery',
    pattern: ANYTHING,
    expected: 'a name for whoever holds the Lease',
  },
} satisfies Record<string, Setting>;

/**
 * The settings that `environment` holds. Throws one error that names every setting which is
 * missing or malformed, what was found and what is expected, so that a deployment is mended once.
 */
export const readSettings = (environment: Environment): Settings =>
  readAll(environment, (read) => ({
    cluster: {
      clusterName: read(SETTINGS.clusterName),
      region: read(SETTINGS.region),
      clusterEndpoint: read(SETTINGS.clusterEndpoint),
      clusterCa: read(SETTINGS.clusterCa),
      serviceCidr: read(SETTINGS.serviceCidr),
      kubernetesVersion: read(SETTINGS.kubernetesVersion),
      minValuesPolicy: read(SETTINGS.minValuesPolicy) === 'BestEffort' ? 'BestEffort' : 'Strict',
      preferencePolicy: read(SETTINGS.preferencePolicy) === 'Ignore' ? 'Ignore' : 'Respect',
      vmMemoryOverheadPercent: Number(read(SETTINGS.vmMemoryOverheadPercent)),
      reservedInterfaces: Number(read(SETTINGS.reservedInterfaces)),
      isolatedVpc: read(SETTINGS.isolatedVpc) === 'true',
      tagsNodes: read(SETTINGS.tagsNodes) === 'true',
      ...given('clusterDnsIp', read(SETTINGS.clusterDnsIp)),
      ...given('zonalShiftArn', read(SETTINGS.zonalShiftArn)),
      ...given('disruptionWindows', read(SETTINGS.disruptionWindows)),
      ...gatesIn(read(SETTINGS.featureGates)),
      ...limitIn(read(SETTINGS.limitUsdPerHour)),
      ...spreadIn(read(SETTINGS.schedulerConfig)),
    },
    hintQueueUrl: read(SETTINGS.hintQueueUrl),
    identity: read(SETTINGS.identity),
  }));

/** A setting that may be left out. */
const given = (
  key: 'clusterDnsIp' | 'zonalShiftArn' | 'disruptionWindows',
  value: string,
): Partial<Pick<ClusterSettings, typeof key>> => (value === '' ? {} : { [key]: value });

/** Bad ones are told with all other bad settings. */
function gatesIn(text: string): Pick<ClusterSettings, 'featureGates' | 'kubeletExpressions'> {
  const gates = parseFeatureGates(text);
  const featureGates = 'problem' in gates ? [] : gates;
  return { featureGates, kubeletExpressions: featureGates.includes('NodeClassCEL') };
}

function limitIn(text: string): Pick<ClusterSettings, 'limitUsdPerHour'> {
  const limitUsdPerHour = parseUsdPerHour(text);
  return limitUsdPerHour === undefined ? {} : { limitUsdPerHour };
}

function spreadIn(text: string): Pick<ClusterSettings, 'defaultSpread'> {
  const defaultSpread = parseSchedulerConfig(text);
  return 'problem' in defaultSpread || defaultSpread.length === 0 ? {} : { defaultSpread };
}

/** What EKS knows of a cluster, under the names of the settings that it can stand in for. */
export const settingsTold = (cluster: {
  readonly endpoint: string;
  readonly certificateAuthority: string;
  readonly serviceCidr: string;
  readonly kubernetesVersion: string;
  readonly dnsAddress: string;
}): Environment => ({
  [SETTINGS.clusterEndpoint.name]: cluster.endpoint,
  [SETTINGS.clusterCa.name]: cluster.certificateAuthority,
  [SETTINGS.serviceCidr.name]: cluster.serviceCidr,
  [SETTINGS.kubernetesVersion.name]: cluster.kubernetesVersion,
  [SETTINGS.clusterDnsIp.name]: cluster.dnsAddress,
});

/**
 * The cluster to ask EKS about, where the environment leaves out something that a node needs to
 * join; undefined where nothing is left out, or nobody could be asked.
 */
export function clusterToAsk(
  environment: Environment,
): { readonly region: string; readonly clusterName: string } | undefined {
  const told = ['clusterEndpoint', 'clusterCa', 'serviceCidr', 'kubernetesVersion'] as const;
  if (told.every((key) => environment[SETTINGS[key].name])) return undefined;
  const region = environment[SETTINGS.region.name];
  const clusterName = environment[SETTINGS.clusterName.name];
  return region && clusterName ? { region, clusterName } : undefined;
}

/** The settings of whoever only sends hints; throws as readSettings does. */
export const readQueueSettings = (
  environment: Environment,
): { readonly region: string; readonly hintQueueUrl: string } =>
  readAll(environment, (read) => ({
    region: read(SETTINGS.region),
    hintQueueUrl: read(SETTINGS.hintQueueUrl),
  }));

function readAll<Value>(
  environment: Environment,
  gather: (read: (setting: Setting) => string) => Value,
): Value {
  const problems: string[] = [];
  const gathered = gather((setting) => {
    const value = environment[setting.name] || setting.fallback;
    if (value === undefined) {
      problems.push(`${setting.name} is missing: expected ${setting.expected}`);
    } else if (!setting.pattern.test(value)) {
      problems.push(`${setting.name} is ${JSON.stringify(value)}: expected ${setting.expected}`);
    }
    const problem = value === undefined ? undefined : setting.problem?.(value);
    if (problem !== undefined) problems.push(`${setting.name}: ${problem}`);
    return value ?? '';
  });
  if (problems.length > 0) throw new Error(`Bad settings: ${problems.join('; ')}.`);
  return gathered;
}
