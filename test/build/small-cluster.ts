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
      await clock.run(() => false, clock.now() + seconds * 1000);
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
