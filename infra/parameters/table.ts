import { SETTINGS } from '#lib/runtime/settings-table.ts';
import type { BundleName } from '../bundle.ts';
import { DEFAULTS } from '../stack/props.ts';
import { numeric, oneOf, type Parameter } from './parameter.ts';
import { settingParameters } from './settings.ts';

/** Source: CloudWatch Logs API, PutRetentionPolicy. */
const RETENTIONS = ['1', '3', '5', '7', '14', '30', '60', '90', '120', '150', '180', '365', '400'];
/** Source: Lambda quotas, memory of a function. */
const MEMORY_MEGABYTES = { least: 128, most: 10_240 };

const { alarms, memoryMegabytes } = DEFAULTS;

const memory = (name: BundleName): Parameter =>
  numeric(
    `${capitalized(name)}Memory`,
    `MB of memory of ${name}, and so its share of a processor: 1769 are one core.`,
    memoryMegabytes[name],
    MEMORY_MEGABYTES,
  );

const schedule = (name: 'consolidate' | 'drift', fallback: string): Parameter => ({
  name: `${capitalized(name)}Schedule`,
  says: `When ${name} looks: rate(5 minutes), or cron(0/5 2-5 ? * SAT *) for each five minutes of a window.`,
  fallback,
  pattern: /^(rate\(\d{1,5} (minute|hour|day)s?\)|cron\(\S+( \S+){5}\))$/,
  expected: 'rate(5 minutes) or cron(0/5 2-5 ? * SAT *), as EventBridge Scheduler writes them',
});

const timeZone = (name: 'consolidate' | 'drift', fallback: string): Parameter => ({
  name: `${capitalized(name)}TimeZone`,
  says: `The time zone of ${capitalized(name)}Schedule where that is a cron, such as Europe/Berlin.`,
  fallback,
  pattern: /^[A-Za-z][\w+-]*(\/[\w+-]+)*$/,
  expected: 'a name of the time zone database, such as Europe/Berlin',
  problem: (value) => (isTimeZone(value) ? undefined : 'there is no such time zone'),
});

/**
 * Every parameter of a deployment beside the settings of its functions: the SAM template's, and the
 * context of the CDK app. The construct takes the same as properties.
 */
export const PARAMETERS = {
  clusterName: {
    name: 'ClusterName',
    says: 'The EKS cluster, in this region and account, that nodes are made for.',
    pattern: SETTINGS.clusterName.pattern,
    expected: 'the name of an EKS cluster',
  },
  webhookDoor: oneOf(
    'WebhookDoor',
    'How the cluster asks for a look: an HTTP API with throttling, a function URL (cheaper, without), or none where the control plane cannot reach public addresses.',
    ['http-api', 'function-url', 'none'],
    DEFAULTS.door,
  ),
  webhookPath: {
    name: 'WebhookPath',
    says: "The part of the webhook's address that nobody can guess, as `openssl rand -hex 20` prints it. Without it there is no door, and the heartbeat finds pending pods within a minute.",
    fallback: '',
    pattern: /^[A-Za-z0-9]{24,128}$/,
    expected:
      '24 letters and digits or more that nobody can guess, for instance what `openssl rand -hex 20` prints',
  },
  subnetIds: {
    name: 'SubnetIds',
    says: "Comma-separated: subnets of the cluster's VPC for the functions, for a cluster whose endpoint is private; outside of it where empty. With SecurityGroupIds.",
    fallback: '',
    pattern: /^subnet-[0-9a-f]{8,17}(,subnet-[0-9a-f]{8,17})*$/,
    expected: 'ids of subnets with commas and without spaces between them',
  },
  securityGroupIds: {
    name: 'SecurityGroupIds',
    says: "Comma-separated: security groups of the functions there, which the cluster's own must let in.",
    fallback: '',
    pattern: /^sg-[0-9a-f]{8,17}(,sg-[0-9a-f]{8,17})*$/,
    expected: 'ids of security groups with commas and without spaces between them',
  },
  nodeRoleName: {
    name: 'NodeRoleName',
    says: 'A role that nodes have already, and may join with. Empty: JoineryNodeRole-<cluster> is made, and an instance profile of that name; both outlive the stack. A cluster whose name is longer than 48 characters needs one.',
    fallback: '',
    pattern: /^[\w+=,.@-]{1,64}$/,
    expected: 'the name of an IAM role, without its path and ARN',
  },
  createAccessEntries: oneOf(
    'CreateAccessEntries',
    'Whether EKS is told to let the functions in, and the nodes where their role is made; needs the authentication mode API or API_AND_CONFIG_MAP.',
    ['true', 'false'],
    'true',
  ),
  createSpotServiceLinkedRole: oneOf(
    'CreateSpotServiceLinkedRole',
    "Whether the account's service-linked role for spot is made; an account has one at most.",
    ['true', 'false'],
    'false',
  ),
  alarmEmail: {
    name: 'AlarmEmail',
    says: 'Who is told of alarms, once the address has confirmed it; nobody where empty.',
    fallback: '',
    pattern: /^[^\s@]+@[^\s@]+$/,
    expected: 'an e-mail address',
  },
  consolidateSchedule: schedule('consolidate', DEFAULTS.consolidateSchedule.expression),
  consolidateTimeZone: timeZone('consolidate', DEFAULTS.consolidateSchedule.timeZone),
  driftSchedule: schedule('drift', DEFAULTS.driftSchedule.expression),
  driftTimeZone: timeZone('drift', DEFAULTS.driftSchedule.timeZone),
  nodesAlarm: numeric('NodesAlarm', 'More nodes than this ring an alarm.', alarms.nodes),
  usdPerHourAlarm: numeric(
    'UsdPerHourAlarm',
    'Nodes that cost more USD an hour than this ring an alarm.',
    alarms.usdPerHour,
  ),
  newNodeClaimsAlarm: numeric(
    'NewNodeClaimsAlarm',
    'More NodeClaims than this, made within ten minutes, ring an alarm.',
    alarms.newNodeClaims,
  ),
  provisionMemory: memory('provision'),
  consolidateMemory: memory('consolidate'),
  driftMemory: memory('drift'),
  interruptMemory: memory('interrupt'),
  admitMemory: memory('admit'),
  logRetentionDays: oneOf(
    'LogRetentionDays',
    'For how many days logs are kept.',
    RETENTIONS,
    String(DEFAULTS.logRetentionDays),
  ),
} as const satisfies Readonly<Record<string, Parameter>>;

/** Parameters by which the functions get their settings, by the settings' names. */
export const SETTING_PARAMETERS: Readonly<Record<string, Parameter>> = settingParameters();

/** Every parameter there is, the cluster's own first. */
export const ALL_PARAMETERS: readonly Parameter[] = [
  ...Object.values(PARAMETERS),
  ...Object.values(SETTING_PARAMETERS),
];

function capitalized(name: string): string {
  return `${name[0]?.toUpperCase()}${name.slice(1)}`;
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) instanceof Intl.DateTimeFormat;
  } catch {
    return false;
  }
}
