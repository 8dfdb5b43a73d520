import { parseSchedulerConfig } from '#lib/kube/decode/decode-scheduler-config.ts';
import { parseFeatureGates } from '#lib/model/feature-gates.ts';
import type { ClusterSettings, PlacementMode } from '#lib/model/settings.ts';
import { parseUsdPerHour } from '#lib/model/usd-limit.ts';
import { SETTINGS, type Setting } from './settings-table.ts';

/** What a function is told by its environment, checked once, at the start of a sandbox. */
export interface Settings {
  readonly cluster: ClusterSettings;
  /** The queue that wakes provision. */
  readonly hintQueueUrl: string;
  /** Where decisions are announced; nowhere where absent. */
  readonly eventBus?: string;
  /** Who holds the Lease while this sandbox acts; unique per sandbox. */
  readonly identity: string;
}

/** An environment, as process.env is one. */
export type Environment = Readonly<Record<string, string | undefined>>;

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
      asksInstanceStatus: read(SETTINGS.instanceStatus) === 'true',
      ...given('clusterDnsIp', read(SETTINGS.clusterDnsIp)),
      ...given('zonalShiftArn', read(SETTINGS.zonalShiftArn)),
      consolidationMoveShare: Number(read(SETTINGS.consolidationMoveShare)),
      placement: placementIn(read(SETTINGS.placement)),
      ...given('disruptionWindows', read(SETTINGS.disruptionWindows)),
      ...gatesIn(read(SETTINGS.featureGates)),
      ...limitIn(read(SETTINGS.limitUsdPerHour)),
      ...spreadIn(read(SETTINGS.schedulerConfig)),
    },
    hintQueueUrl: read(SETTINGS.hintQueueUrl),
    ...busIn(read(SETTINGS.eventBus)),
    identity: read(SETTINGS.identity),
  }));

/**
 * Throws as readSettings does, before anybody was asked for what is not told: EKS may still tell it.
 */
export function checkSettings(environment: Environment): void {
  const told = Object.entries(environment).filter(([, value]) => value);
  readSettings({ ...settingsTold(NOT_ASKED_YET), ...Object.fromEntries(told) });
}

/** Stands for what is not known yet and is right in form. */
const NOT_ASKED_YET = {
  endpoint: 'https://localhost',
  certificateAuthority: 'bm9uZQ==',
  serviceCidr: '10.0.0.0/16',
  kubernetesVersion: '1.0',
  dnsAddress: '',
};

/** Bad ones are told with all other bad settings. */
const placementIn = (text: string): PlacementMode =>
  text === 'bind' || text === 'none' ? text : 'nominate';

const busIn = (text: string): Pick<Settings, 'eventBus'> => (text === '' ? {} : { eventBus: text });

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

/** What the webhook's function is told. */
export interface QueueSettings {
  readonly region: string;
  readonly hintQueueUrl: string;
  /** Without slashes; '' where any path will do. */
  readonly webhookPath: string;
}

/** The settings of whoever only sends hints; throws as readSettings does. */
export const readQueueSettings = (environment: Environment): QueueSettings =>
  readAll(environment, (read) => ({
    region: read(SETTINGS.region),
    hintQueueUrl: read(SETTINGS.hintQueueUrl),
    webhookPath: read(SETTINGS.webhookPath),
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
