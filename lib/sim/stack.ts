import type { ClusterSettings } from '#lib/model/settings.ts';
import type { Image, Zone } from './aws/account.ts';
import { ACCOUNT_ID, createAws, type EmbeddedAws } from './aws/aws.ts';
import type { ClusterFacts } from './aws/cluster.ts';
import { privateNetwork } from './aws/network.ts';
import { createQueue, type Queue } from './aws/queue.ts';
import type { Tags } from './aws/request.ts';
import type { CallFaults } from './call-faults.ts';
import type { Clock } from './clock.ts';
import { connectQueue } from './event-source.ts';
import { createEventBridge, type EventBridge } from './eventbridge.ts';
import type { Journal } from './journal.ts';
import { createLambda, type LambdaFunction, type LambdaHandler } from './lambda.ts';
import type { MachineType } from './machine.ts';
import type { Random } from './random.ts';
import type { SandboxPorts } from './sandbox.ts';
import type { Seams } from './seams.ts';

/** The functions that are deployed. */
export type FunctionName = 'provision' | 'admit' | 'consolidate' | 'drift' | 'interrupt';

/** What is told to a sandbox by its environment, whichever function it is for. */
export interface StackFacts {
  readonly cluster: Pick<
    ClusterSettings,
    'clusterName' | 'region' | 'clusterEndpoint' | 'clusterCa' | 'serviceCidr' | 'kubernetesVersion'
  >;
  readonly hintQueueUrl: string;
}

/** Everything that the code of a function can reach in the embedded world. */
export type FunctionPorts = SandboxPorts & StackFacts;

/** Starts the code in one sandbox and gives its handlers; only the sandbox's own is invoked. */
export type Connect = (ports: FunctionPorts) => Readonly<Record<FunctionName, LambdaHandler>>;

/** What a stack is deployed into. */
export interface StackOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly journal: Journal;
  readonly cluster: StackFacts['cluster'];
  readonly zones: readonly Zone[];
  readonly types: readonly MachineType[];
  /** Tags of the subnets and the security group, for NodeClasses to select by. */
  readonly networkTags: Tags;
  readonly images: readonly Image[];
  readonly faults: CallFaults;
  readonly kube: Seams['kube'];
  readonly connect: Connect;
  /** How often the queues deliver a message twice, from 0 to 1. */
  readonly duplicates: number;
  /** Where other stacks are already; one of its own where absent. */
  readonly account?: SharedAccount;
}

/** An account that stacks share: AWS itself, what happens in it, and whose clusters and queues. */
export interface SharedAccount {
  readonly aws: EmbeddedAws;
  readonly events: EventBridge;
  readonly clusters: ClusterFacts[];
  readonly queues: Queue[];
}

/** The queues, those for messages that nobody could do among them. */
type QueueName = 'hints' | 'deadHints' | 'interruptions' | 'deadInterruptions';

/** Joinery's own stack and the account around it. */
export interface Stack {
  readonly account: SharedAccount;
  readonly aws: EmbeddedAws;
  readonly functions: Readonly<Record<FunctionName, LambdaFunction>>;
  readonly queues: Readonly<Record<QueueName, Queue>>;
}

const HOUR_MS = 3_600_000;

/**
 * How the stack that infra/ deploys is set; a test holds both equal. Visibility timeouts are as long
 * as the functions' own, which is the least that Lambda accepts.
 */
export const STACK_LIMITS = {
  timeoutMs: {
    provision: 60_000,
    admit: 3_000,
    consolidate: 60_000,
    drift: 60_000,
    interrupt: 30_000,
  },
  hintRetentionMs: HOUR_MS,
  /** Long enough to see what went wrong; Karpenter's own template keeps five minutes. */
  interruptionRetentionMs: 4 * HOUR_MS,
  deadRetentionMs: 96 * HOUR_MS,
  maxReceives: 4,
  batchSize: 10,
  /** A storm of spot warnings is a handful of invocations, and one launch for each. */
  interruptionBatch: { batchSize: 500, windowMs: 1_000 },
  maximumConcurrency: 2,
} as const;

/** Instances that start are of no interest, and there are as many of those events as of the rest. */
const ENDING = { state: ['stopping', 'stopped', 'shutting-down', 'terminated'] };
const EC2_CHANGES = { service: ['EC2'], eventTypeCategory: ['scheduledChange'] };

/** What is put into the queue of interruptions: name of the rule, source, detail-type, detail. */
export const STACK_RULES = [
  ['spot', 'aws.ec2', 'EC2 Spot Instance Interruption Warning', {}],
  ['rebalance', 'aws.ec2', 'EC2 Instance Rebalance Recommendation', {}],
  ['state-change', 'aws.ec2', 'EC2 Instance State-change Notification', ENDING],
  ['health', 'aws.health', 'AWS Health Event', EC2_CHANGES],
  ['reservation', 'aws.ec2', 'EC2 Capacity Reservation Instance Interruption Warning', {}],
] as const;

/** When functions are woken whatever happens. */
export const SCHEDULES = {
  provision: 'rate(1 minute)',
  consolidate: 'rate(1 minute)',
  drift: 'rate(5 minutes)',
} as const;

/**
 * Deploys Joinery: five functions, the queue of hints with its dead-letter queue, the queue of
 * interruptions behind five rules, the schedules (provision and consolidate each minute, drift
 * every five), and the account with its network, images and machines to sell, unless it stands in
 * one that is there.
 */
export function createStack(options: StackOptions): Stack {
  const { cluster } = options;
  const account = options.account ?? createAccount(options);
  const prefix = account.clusters.length === 0 ? 'joinery' : `joinery-${cluster.clusterName}`;
  account.clusters.push({
    name: cluster.clusterName,
    endpoint: cluster.clusterEndpoint,
    ca: cluster.clusterCa,
    serviceCidr: cluster.serviceCidr,
    kubernetesVersion: cluster.kubernetesVersion,
  });
  const queues = createQueues(placeOf(options), prefix, options.duplicates);
  account.queues.push(...Object.values(queues));
  const functions = createFunctions(options, account.aws, queues.hints.url);
  wire({ options, queues, events: account.events, functions });
  return { account, aws: account.aws, functions, queues };
}

const placeOf = ({ clock, random, journal, cluster }: StackOptions) => ({
  clock,
  random,
  journal,
  region: cluster.region,
  accountId: ACCOUNT_ID,
});

function createAccount(options: StackOptions): SharedAccount {
  const place = placeOf(options);
  const events = createEventBridge(place);
  const clusters: ClusterFacts[] = [];
  const queues: Queue[] = [];
  const aws = createAws({
    ...place,
    zones: options.zones,
    types: options.types,
    ...privateNetwork(options.zones, options.networkTags),
    images: options.images,
    clusters: () => clusters,
    queues: () => queues,
    onEvent: events.put,
  });
  return { aws, events, clusters, queues };
}

function createQueues(
  place: Parameters<typeof createQueue>[0],
  prefix: string,
  duplicates: number,
): Stack['queues'] {
  const deadHints = createQueue(place, {
    name: `${prefix}-hints-dead`,
    visibilityTimeoutMs: 30_000,
    retentionMs: STACK_LIMITS.deadRetentionMs,
  });
  const deadInterruptions = createQueue(place, {
    name: `${prefix}-interruptions-dead`,
    visibilityTimeoutMs: 30_000,
    retentionMs: STACK_LIMITS.deadRetentionMs,
  });
  return {
    deadHints,
    deadInterruptions,
    hints: createQueue(place, {
      name: `${prefix}-hints`,
      visibilityTimeoutMs: STACK_LIMITS.timeoutMs.provision,
      retentionMs: STACK_LIMITS.hintRetentionMs,
      redrive: { to: deadHints, maxReceiveCount: STACK_LIMITS.maxReceives },
      duplicates,
    }),
    interruptions: createQueue(place, {
      name: `${prefix}-interruptions`,
      visibilityTimeoutMs: STACK_LIMITS.timeoutMs.interrupt,
      retentionMs: STACK_LIMITS.interruptionRetentionMs,
      redrive: { to: deadInterruptions, maxReceiveCount: STACK_LIMITS.maxReceives },
      duplicates,
    }),
  };
}

function createFunctions(
  options: StackOptions,
  aws: EmbeddedAws,
  hintQueueUrl: string,
): Stack['functions'] {
  const { cluster, connect, kube } = options;
  const lambda = createLambda({
    ...options,
    region: cluster.region,
    accountId: ACCOUNT_ID,
    seams: { kube, aws: (actor) => aws.call(actor, cluster.clusterName) },
  });
  const define = (name: FunctionName): LambdaFunction =>
    lambda.define({
      name,
      timeoutMs: STACK_LIMITS.timeoutMs[name],
      start: (ports) => connect({ ...ports, cluster, hintQueueUrl })[name],
    });
  return {
    provision: define('provision'),
    admit: define('admit'),
    consolidate: define('consolidate'),
    drift: define('drift'),
    interrupt: define('interrupt'),
  };
}

function wire({
  options: { clock, random, cluster },
  queues,
  events,
  functions,
}: {
  readonly options: StackOptions;
  readonly queues: Stack['queues'];
  readonly events: EventBridge;
  readonly functions: Stack['functions'];
}): void {
  const { batchSize, interruptionBatch, maximumConcurrency } = STACK_LIMITS;
  const feeds = { region: cluster.region, batchSize, maximumConcurrency };
  connectQueue(clock, random, { ...feeds, queue: queues.hints, function: functions.provision });
  connectQueue(clock, random, {
    ...feeds,
    ...interruptionBatch,
    queue: queues.interruptions,
    function: functions.interrupt,
  });
  for (const [name, source, detailType, detail] of STACK_RULES) {
    events.rule({ name, source, detailType, detail, target: queues.interruptions });
  }
  for (const name of ['provision', 'consolidate', 'drift'] as const) {
    events.schedule({ name, expression: SCHEDULES[name], target: functions[name] });
  }
}
