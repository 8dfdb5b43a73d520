/**
 * A Kubernetes cluster in memory: API server, scheduler, controllers, kubelets, cloud controller,
 * on one virtual clock and one seed. It shares no decoder and no solver with what is tested
 * in it. What each part leaves out stands at the head of its file.
 */
import type { CallFaults } from '../call-faults.ts';
import type { Clock } from '../clock.ts';
import type { Journal } from '../journal.ts';
import type { Machine, MachineListener } from '../machine.ts';
import type { Random } from '../random.ts';
import type { CustomResource } from '../schema/custom-resource.ts';
import { type ApiRequest, type ApiResponse, createApiServer } from './api-server.ts';
import { type Applied, applyManifest } from './apply.ts';
import { startBudgets } from './budgets.ts';
import { startCloudController } from './cloud-controller.ts';
import { customKind } from './custom-kinds.ts';
import { startDaemonSets } from './daemon-sets.ts';
import { startDeployments } from './deployments.ts';
import { startGarbageCollection } from './garbage-collection.ts';
import { startJobs } from './jobs.ts';
import { createKubelets } from './kubelets.ts';
import { startNodeLifecycle } from './node-lifecycle.ts';
import { startPodGarbage } from './pod-garbage.ts';
import { createRegistry, type Registry } from './registry.ts';
import { startReplicaSets } from './replica-sets.ts';
import { BUILT_IN, type Resource } from './resources.ts';
import { scaleWorkload } from './scale.ts';
import { startScheduler } from './scheduler.ts';
import { type ClusterSettings, DEFAULT_CLUSTER } from './settings.ts';
import { startStatefulSets } from './stateful-sets.ts';
import { type Change, createStore, type KnownKinds } from './store.ts';
import { startTaintEviction } from './taint-eviction.ts';
import { type CallCounts, createNetwork } from './transport.ts';
import { startVolumeControllers } from './volume-controllers.ts';
import type { KubeObject } from './wire.ts';
import { createWriter } from './writer.ts';

/** What a cluster is made of. */
export interface ClusterParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly journal: Journal;
  /** NodePool, NodeClaim and EC2NodeClass, as `readCrd` gives them. */
  readonly crds: readonly CustomResource[];
  readonly faults?: CallFaults;
  readonly settings?: Partial<ClusterSettings>;
}

export interface Cluster {
  readonly settings: ClusterSettings;
  /** The seam that an actor's calls pass through; a killed actor's promise never settles. */
  readonly transport: (actor: string) => (request: ApiRequest) => Promise<ApiResponse>;
  /** Applies a manifest as its user: creates it, or changes what is there, or says why not. */
  readonly apply: (manifest: unknown) => Applied;
  /** Scales a workload as its user; false where there is none of that name. */
  readonly scale: (kind: string, namespace: string, name: string, replicas: number) => boolean;
  /** Deletes an object as its user; false where there is none of that name. */
  readonly remove: (kind: string, namespace: string, name: string) => boolean;
  /** All objects of a kind, sorted by namespace and name. Costs no call. */
  readonly list: (kind: string) => readonly KubeObject[];
  /** The same of a kind whose shape is known. */
  readonly all: <Kind extends keyof KnownKinds>(kind: Kind) => readonly KnownKinds[Kind][];
  readonly get: (kind: string, namespace: string, name: string) => KubeObject | undefined;
  /** Every write, at once and in order: for webhooks and checks. Listeners must not write. */
  readonly onChange: (listener: (change: Change) => void) => void;
  /** What the embedded EC2 tells of its machines goes here. */
  readonly machineListener: MachineListener;
  /** Makes a node's kubelet fall silent though its machine runs on. */
  readonly silenceKubelet: (nodeName: string) => void;
  /** Calls through the transport, by actor and by name. */
  readonly calls: () => CallCounts;
}

const NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/** A cluster with no nodes and nothing in it but the namespaces that every cluster has. */
export function createKubernetes(parts: ClusterParts): Cluster {
  const { clock, journal } = parts;
  const random = parts.random.fork('kubernetes');
  const settings = { ...DEFAULT_CLUSTER, ...parts.settings };
  const customKinds = parts.crds.map(customKind);
  const resources = [...BUILT_IN, ...customKinds.map(({ resource }) => resource)];
  const store = createStore();
  const registry = createRegistry({ clock, random, store, resources, customKinds });
  const server = createApiServer(registry, resources, settings.version);
  const { latencyMs } = settings;
  const network = createNetwork(server, clock, random, {
    latency: { fromMs: latencyMs.from, toMs: latencyMs.to },
    faults: parts.faults,
  });
  const user = createWriter(registry, 'user');
  for (const name of NAMESPACES) user.create({ kind: 'Namespace', metadata: { name } });
  const controllers = { clock, journal, registry };
  startScheduler({ ...controllers, random: random.fork('scheduler'), settings });
  startControllers(registry, resources, { ...parts, random });
  const lifecycle = startNodeLifecycle({ ...controllers, random: random.fork('lifecycle') });
  const cloud = startCloudController({ ...controllers, region: settings.region });
  const kubelets = createKubelets({
    ...controllers,
    random: random.fork('kubelets'),
    settings,
    onSilence: lifecycle.fellSilent,
  });
  return {
    settings,
    transport: network.transport,
    apply: (manifest) => applyManifest(registry, resources, manifest),
    scale: (kind, namespace, name, replicas) =>
      scaleWorkload(user, store.get(kind, namespace, name), replicas),
    remove: (kind, namespace, name) => {
      const object = store.get(kind, namespace, name);
      if (object !== undefined) user.remove(object);
      return object !== undefined;
    },
    list: store.list,
    all: store.all,
    get: store.get,
    onChange: store.onChange,
    machineListener: both(kubelets, cloud),
    silenceKubelet: kubelets.silence,
    calls: network.calls,
  };
}

function startControllers(
  registry: Registry,
  resources: readonly Resource[],
  { clock, journal, random }: ClusterParts,
): void {
  const controllers = { clock, journal, registry };
  startDeployments(controllers);
  startReplicaSets(controllers);
  startStatefulSets(controllers);
  startDaemonSets(controllers);
  startJobs(controllers);
  startVolumeControllers(controllers, random.fork('volumes'));
  startBudgets(clock, registry);
  startTaintEviction(clock, registry);
  startPodGarbage(clock, registry);
  startGarbageCollection(clock, registry, resources);
}

const both = (first: MachineListener, second: MachineListener): MachineListener => {
  const tell = (what: keyof MachineListener) => (machine: Machine) => {
    first[what](machine);
    second[what](machine);
  };
  return { started: tell('started'), stopping: tell('stopping'), gone: tell('gone') };
};
