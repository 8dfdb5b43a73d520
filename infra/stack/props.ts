import type { BundleName } from '../bundle.ts';

/** When a schedule fires. */
export interface ScheduleProps {
  /** EventBridge Scheduler's words: rate(5 minutes), cron(0/5 2-5 ? * SAT *). */
  readonly expression: string;
  /** An IANA name such as Europe/Berlin, for cron expressions; UTC where absent. */
  readonly timeZone?: string;
}

/**
 * How the cluster's webhook reaches `admit`: an HTTP API with throttling, a function URL, which
 * costs less and throttles nothing, or not at all. Without a door the heartbeat finds pending pods
 * within a minute; that is the choice where the control plane cannot reach public addresses.
 */
export type Door = 'http-api' | 'function-url' | 'none';

/** What Joinery is deployed with. Whatever is absent has the default that infra/PARAMETERS.md names. */
export interface JoineryProps {
  /** The EKS cluster that nodes are made for, in the stack's region and account. */
  readonly clusterName: string;
  /**
   * The part of the webhook's address that nobody can guess, 24 letters and digits or more, such
   * as `openssl rand -hex 20` prints. Needed unless the door is `none`.
   */
  readonly webhookPath?: string;
  readonly door?: Door;
  /** Where the functions run: in the cluster's VPC, for clusters whose endpoint is private. */
  readonly vpc?: {
    readonly subnetIds: readonly string[];
    readonly securityGroupIds: readonly string[];
  };
  /**
   * A role that nodes have already, and may join with. Where absent JoineryNodeRole-<cluster> is
   * made, which outlives the stack, for nodes may be meant to run on.
   */
  readonly nodeRoleName?: string;
  /**
   * Whether EKS is told, by access entries, to let the functions in, and the nodes where their role
   * is made. Needs the cluster's authentication mode API or API_AND_CONFIG_MAP. True where absent.
   */
  readonly createAccessEntries?: boolean;
  /** Whether the account's service-linked role for spot is made: once an account, so false where absent. */
  readonly createSpotServiceLinkedRole?: boolean;
  /** Every minute where absent. Windows are these crons together with the NodePools' own windows. */
  readonly consolidateSchedules?: readonly ScheduleProps[];
  /** Every five minutes where absent. */
  readonly driftSchedule?: ScheduleProps;
  /** Who is told of alarms; nobody where absent. */
  readonly alarmEmail?: string;
  readonly alarms?: Partial<AlarmLimits>;
  /** MB of memory, which is also how much processor a function gets: 1769 are one core. */
  readonly memoryMegabytes?: Partial<Record<BundleName, number>>;
  /** For how many days logs are kept. */
  readonly logRetentionDays?: number;
  /**
   * Settings of the functions by their names, such as JOINERY_PREFERENCE_POLICY. A bus that is known
   * only when the stack is deployed is taken for a name, not for an ARN.
   */
  readonly settings?: Readonly<Record<string, string>>;
  /** The folder that holds the bundles, each in a folder of its name; the package's own where absent. */
  readonly bundles?: string;
}

/** Above what an alarm rings. */
export interface AlarmLimits {
  readonly nodes: number;
  readonly usdPerHour: number;
  /** NodeClaims made within ten minutes. */
  readonly newNodeClaims: number;
}

/** What infra/PARAMETERS.md names. */
export const DEFAULTS = {
  door: 'http-api',
  consolidateSchedule: { expression: 'rate(1 minute)', timeZone: 'UTC' },
  driftSchedule: { expression: 'rate(5 minutes)', timeZone: 'UTC' },
  alarms: { nodes: 500, usdPerHour: 200, newNodeClaims: 300 },
  memoryMegabytes: { provision: 1769, consolidate: 1769, drift: 1024, interrupt: 1024, admit: 256 },
  logRetentionDays: 30,
} as const satisfies {
  readonly door: Door;
  readonly consolidateSchedule: Required<ScheduleProps>;
  readonly driftSchedule: Required<ScheduleProps>;
  readonly alarms: AlarmLimits;
  readonly memoryMegabytes: Readonly<Record<BundleName, number>>;
  readonly logRetentionDays: number;
};
