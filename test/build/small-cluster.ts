import { readFileSync } from 'node:fs';
import { type Clock, virtualClock } from '#lib/sim/clock.ts';
import { createJournal, type Journal } from '#lib/sim/journal.ts';
import { type Cluster, type ClusterParts, createKubernetes } from '#lib/sim/kubernetes/cluster.ts';
import type { Machine, MachineType } from '#lib/sim/machine.ts';
import { seededRandom } from '#lib/sim/random.ts';
import { type CustomResource, readCrd } from '#lib/sim/schema/custom-resource.ts';

const START = Date.UTC(2026, 10, 20, 12);

/** An embedded cluster with its clock, and the machines that were started in it. */
export interface SmallCluster {
  readonly clock: Clock;
  readonly journal: Journal;
  readonly cluster: Cluster;
  /** Starts a machine that tells its kubelet to join this cluster. */
  readonly start: (difference?: Partial<Machine>) => Machine;
  /** Lets seconds pass. */
  readonly wait: (seconds: number) => Promise<void>;
  /** Lets time pass until `done`, a virtual hour at most. */
  readonly until: (done: () => boolean) => Promise<void>;
  readonly seconds: () => number;
}

const CRDS = [
  'karpenter.sh_nodepools',
  'karpenter.sh_nodeclaims',
  'karpenter.k8s.aws_ec2nodeclasses',
  'karpenter.sh_nodeoverlays',
  'autoscaling.x-k8s.io_capacitybuffers',
];
let crds: readonly CustomResource[] | undefined;

function readCrds(): readonly CustomResource[] {
  crds ??= CRDS.map((name) => readCrd(readFileSync(`infra/cluster/crds/${name}.yaml`, 'utf8')));
  return crds;
}

/** 2 vCPU, 8 GiB, 29 pods. */
export const M5_LARGE: MachineType = {
  name: 'm5.large',
  vcpus: 2,
  memoryMib: 8192,
  architecture: 'x86_64',
  interfaces: 3,
  addressesPerInterface: 10,
  gpus: undefined,
  onDemandUsd: { 'us-east-1a': 0.096 },
  spotUsd: {},
};

/** User data as nodeadm wants it, with the kubelet's settings and flags. */
export const nodeConfigFor = (
  { name, endpoint }: { readonly name: string; readonly endpoint: string },
  kubelet: unknown = {},
): string =>
  [
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary="//"',
    '',
    '--//',
    'Content-Type: application/node.eks.aws',
    '',
    JSON.stringify({
      apiVersion: 'node.eks.aws/v1alpha1',
      kind: 'NodeConfig',
      spec: {
        cluster: {
          name,
          apiServerEndpoint: endpoint,
          certificateAuthority: 'Y2E=',
          cidr: '10.100.0.0/16',
        },
        kubelet,
      },
    }),
    '--//--',
    '',
  ].join('\n');

/** A cluster without nodes. */
export function aSmallCluster(difference: Partial<ClusterParts> = {}, seed = 1): SmallCluster {
  const clock = virtualClock(START);
  const journal = createJournal();
  const random = seededRandom(seed);
  const cluster = createKubernetes({ clock, journal, random, crds: readCrds(), ...difference });
  let started = 0;
  const start: SmallCluster['start'] = (other = {}) => {
    started += 1;
    const machine: Machine = {
      id: `i-${String(started).padStart(17, '0')}`,
      type: M5_LARGE,
      zone: 'us-east-1a',
      capacityType: 'on-demand',
      privateDnsName: `ip-10-0-0-${started}.ec2.internal`,
      privateIp: `10.0.0.${started}`,
      userData: nodeConfigFor(cluster.settings),
      launchedAt: clock.now(),
      state: 'running',
      ...other,
    };
    cluster.machineListener.started(machine);
    return machine;
  };
  return {
    clock,
    journal,
    cluster,
    start,
    wait: async (seconds) => {
      const end = clock.now() + seconds * 1000;
      // Without a task at its end, an idle clock would stand still.
      clock.at(end, () => undefined);
      await clock.run(() => false, end);
    },
    until: async (done) => {
      const ended = await clock.run(done, clock.now() + 3_600_000);
      if (ended !== 'done') throw new Error(`expected it to come true, ended on ${ended}`);
    },
    seconds: () => (clock.now() - START) / 1000,
  };
}

/** A Deployment of `replicas` pods that ask for `requests`. */
export const aDeployment = (
  name: string,
  replicas: number,
  requests: Readonly<Record<string, string>> = { cpu: '100m' },
  pod: Readonly<Record<string, unknown>> = {},
) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'main', image: 'pause', resources: { requests } }], ...pod },
    },
  },
});

/** What an API server says, as a test reads it. */
export interface Said {
  readonly status: number;
  readonly retryAfterSeconds?: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads wherever it expects something
  readonly body: any;
}

/** Sends requests as one actor and lets their latency pass. */
export function callerOf(world: SmallCluster, actor = 'tester') {
  const transport = world.cluster.transport(actor);
  return async (
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    more: { readonly contentType?: string; readonly query?: Record<string, string> } = {},
  ): Promise<Said> => {
    let said: Said | undefined;
    void transport({ method, path, body, ...more }).then((response) => {
      said = response;
    });
    await world.clock.run(() => said !== undefined, world.clock.now() + 1_000);
    if (said === undefined) throw new Error(`expected an answer to ${method} ${path}`);
    return said;
  };
}

export const MERGE = { contentType: 'application/merge-patch+json' };
export const JSON_PATCH = { contentType: 'application/json-patch+json' };

/** A pod with one container. */
export const aPodManifest = (
  name: string,
  spec: Readonly<Record<string, unknown>> = {},
  metadata: Readonly<Record<string, unknown>> = {},
) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec: {
    containers: [{ name: 'main', image: 'pause', resources: { requests: { cpu: '100m' } } }],
    ...spec,
  },
});

/** A Node that has room and is Ready, without a machine behind it. */
export const aNodeManifest = (
  name: string,
  difference: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
    readonly taints?: readonly unknown[];
    readonly allocatable?: Readonly<Record<string, string>>;
  } = {},
) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name,
    labels: { 'kubernetes.io/hostname': name, ...difference.labels },
    ...(difference.finalizers === undefined ? {} : { finalizers: difference.finalizers }),
  },
  spec: { ...(difference.taints === undefined ? {} : { taints: difference.taints }) },
  status: {
    allocatable: { cpu: '4', memory: '16Gi', pods: '110', ...difference.allocatable },
    conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }],
  },
});
