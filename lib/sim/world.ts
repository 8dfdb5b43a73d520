import { NAMESPACE } from '#lib/model/labels.ts';
import type { EmbeddedAws } from './aws/aws.ts';
import { amazonImages } from './aws/images.ts';
import { zonesOf } from './aws/network.ts';
import type { CallFaults } from './call-faults.ts';
import { type Clock, type Instant, virtualClock } from './clock.ts';
import { createFaultPlan } from './faults.ts';
import { createJournal, type Entry, type Journal } from './journal.ts';
import { type Cluster, createKubernetes } from './kubernetes/cluster.ts';
import type { Machine, MachineListener, MachineType } from './machine.ts';
import { seededRandom } from './random.ts';
import { readCrd } from './schema/custom-resource.ts';
import {
  type Connect,
  createStack,
  type FunctionName,
  type SharedAccount,
  type Stack,
  type StackFacts,
} from './stack.ts';
import { createWebhook } from './webhook.ts';

/** What a world is made of; everything left to chance follows from `seed`. */
export interface WorldOptions {
  readonly seed: number;
  readonly start: Instant;
  readonly region: string;
  /** What EC2 sells here. */
  readonly types: readonly MachineType[];
  /** The texts of the CustomResourceDefinitions to install. */
  readonly crds: readonly string[];
  readonly clusterName: string;
  /** 1.33 where absent. */
  readonly kubernetesVersion?: string;
  /** The first three zones in which anything is sold, where absent. */
  readonly zones?: readonly string[];
  /** Of subnets and security group; karpenter.sh/discovery: the cluster's name, where absent. */
  readonly networkTags?: Readonly<Record<string, string>>;
  readonly connect: Connect;
  readonly faults?: CallFaults;
  /** How often the queues deliver a message twice, from 0 to 1; never where absent. */
  readonly duplicates?: number;
  /** Hears each entry of the journal as it is written. */
  readonly listen?: (entry: Entry) => void;
  /** Another world, whose account and clock this one shares; `start`, zones and network are its. */
  readonly beside?: World;
}

/** A cluster, an AWS account and Joinery's functions, on one clock. */
export interface World {
  readonly clock: Clock;
  readonly journal: Journal;
  readonly kubernetes: Cluster;
  readonly aws: EmbeddedAws;
  readonly account: SharedAccount;
  readonly clusterName: string;
  readonly queues: Stack['queues'];
  /** Applies manifests as a user would, in their order; throws what the API server refuses. */
  readonly apply: (manifests: readonly unknown[]) => void;
  /** Sets the replicas of a workload, as `kubectl scale` does. */
  readonly scale: (workload: WorkloadName, replicas: number) => void;
  /** Invokes a function by hand and tells when it ended. */
  readonly invoke: (name: FunctionName, event?: unknown) => Promise<unknown>;
  /**
   * Lets time pass until `condition` holds or `withinMs` have passed; tells whether it holds. Call
   * it from outside of the world only: a handler that waits for it waits for ever.
   */
  readonly runUntil: (condition: () => boolean, withinMs: number) => Promise<boolean>;
  readonly run: (ms: number) => Promise<void>;
  /** How often the functions made each call, to both seams, by its name, sorted by name. */
  readonly calls: () => Readonly<Record<string, number>>;
}

/** Which workload is scaled. */
interface WorkloadName {
  readonly kind: 'Deployment' | 'ReplicaSet' | 'StatefulSet';
  readonly namespace?: string;
  readonly name: string;
}

const DAY_MS = 86_400_000;
/** How long before the world begins Amazon published images. */
const RELEASES_DAYS_AGO = [40, 10];
const NETWORKED_ZONES = 3;

/**
 * A world in which nothing has happened yet: an EKS cluster without nodes, the account, and
 * Joinery's stack with its heartbeats running. The same options give the same journal, byte for
 * byte, as long as the code in the functions waits for nothing but its ports: what waits for a
 * thread or a timer of Node (asynchronous compression, hashing) is not waited for.
 */
export function createWorld(options: WorldOptions): World {
  const { beside } = options;
  const clock = beside?.clock ?? virtualClock(options.start);
  const journal = createJournal(options.listen);
  const counted = countCalls(options.faults ?? createFaultPlan());
  const seeded = seededRandom(options.seed);
  const random = beside === undefined ? seeded : seeded.fork(options.clusterName);
  const around = { clock, journal, random };
  const cluster = clusterOf(options);
  const kubernetes = createKubernetes({
    ...around,
    crds: options.crds.map(readCrd),
    settings: {
      name: cluster.clusterName,
      endpoint: cluster.clusterEndpoint,
      region: cluster.region,
      version: cluster.kubernetesVersion,
    },
  });
  applyOne(kubernetes, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  const stack = createStack({
    ...around,
    cluster,
    zones: zonesOf(
      options.region,
      options.zones ?? soldIn(options.types).slice(0, NETWORKED_ZONES),
    ),
    types: options.types,
    networkTags: options.networkTags ?? { 'karpenter.sh/discovery': options.clusterName },
    images: amazonImages(
      cluster.kubernetesVersion,
      RELEASES_DAYS_AGO.map((days) => options.start - days * DAY_MS),
    ),
    faults: counted.faults,
    kube: kubernetes.transport,
    connect: options.connect,
    duplicates: options.duplicates ?? 0,
    ...(beside && { account: beside.account }),
  });
  stack.aws.listen(listenerOf(kubernetes, stack, cluster.clusterEndpoint));
  kubernetes.onChange(
    createWebhook({ ...around, admit: stack.functions.admit, isJoinery: isFunction(stack) }),
  );
  return {
    clock,
    journal,
    kubernetes,
    aws: stack.aws,
    account: stack.account,
    clusterName: cluster.clusterName,
    queues: stack.queues,
    apply: (manifests) => {
      for (const manifest of manifests) applyOne(kubernetes, manifest);
    },
    scale: ({ kind, namespace = 'default', name }, replicas) => {
      if (kubernetes.scale(kind, namespace, name, replicas)) return;
      throw new Error(`There is no ${kind} ${namespace}/${name} to scale`);
    },
    invoke: (name, event = {}) => stack.functions[name].invoke(event, 'by hand'),
    runUntil: (condition, withinMs) => runUntil(clock, condition, withinMs),
    run: async (ms) => {
      await runUntil(clock, () => false, ms);
    },
    calls: counted.calls,
  };
}

/** A cluster hears of no machine whose user data names another cluster of the account. */
function listenerOf(
  { machineListener }: Cluster,
  { account: { clusters } }: Stack,
  endpoint: string,
): MachineListener {
  const isAnothers = ({ userData }: Machine): boolean =>
    clusters.some((other) => other.endpoint !== endpoint && userData.includes(other.endpoint));
  const ifOurs =
    (hear: (machine: Machine) => void) =>
    (machine: Machine): void => {
      if (!isAnothers(machine)) hear(machine);
    };
  return {
    started: ifOurs(machineListener.started),
    stopping: ifOurs(machineListener.stopping),
    gone: ifOurs(machineListener.gone),
  };
}

function applyOne(kubernetes: Cluster, manifest: unknown): void {
  const applied = kubernetes.apply(manifest);
  if (applied.result === 'refused') throw new Error(applied.because);
}

const clusterOf = (options: WorldOptions): StackFacts['cluster'] => ({
  clusterName: options.clusterName,
  region: options.region,
  clusterEndpoint: `https://${options.clusterName}.embedded.joinery.dev`,
  clusterCa: Buffer.from(`CA of ${options.clusterName}`).toString('base64'),
  serviceCidr: '10.100.0.0/16',
  kubernetesVersion: options.kubernetesVersion ?? '1.33',
});

const soldIn = (types: readonly MachineType[]): readonly string[] =>
  [...new Set(types.flatMap(({ onDemandUsd }) => Object.keys(onDemandUsd)))].sort();

/** Whether an actor is a run of one of the functions: provision/3. */
const isFunction =
  ({ functions }: Stack) =>
  (actor: string): boolean =>
    (actor.split('/')[0] ?? '') in functions;

function countCalls(faults: CallFaults): {
  readonly faults: CallFaults;
  readonly calls: World['calls'];
} {
  const counts = new Map<string, number>();
  return {
    faults: {
      on: (call) => {
        counts.set(call.name, (counts.get(call.name) ?? 0) + 1);
        return faults.on(call);
      },
      ...(faults.skewMs && { skewMs: faults.skewMs }),
    },
    calls: () => Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

async function runUntil(
  clock: Clock,
  condition: () => boolean,
  withinMs: number,
): Promise<boolean> {
  return (await clock.run(condition, clock.now() + withinMs)) === 'done';
}
