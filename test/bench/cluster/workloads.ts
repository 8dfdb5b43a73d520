/**
 * A large cluster at rest, as its API server would tell of it: full objects, with what no decision
 * looks at (images, environments, statuses, managedFields), so that reading them costs what it costs.
 */
import type { KubeObject, Metadata } from '#lib/sim/kubernetes/wire.ts';
import { managedFields, podBody } from './pod-body.ts';

/** How large it is. */
export interface ClusterSize {
  readonly nodes: number;
  /** Bound to the nodes, DaemonSets' pods among them. */
  readonly pods: number;
  /** Without a node, found unschedulable. */
  readonly pending: number;
}

const DAEMONS = ['aws-node', 'ebs-csi-node', 'kube-proxy', 'log-shipper'];
const REPLICAS = 100;
const OLD_REPLICA_SETS = 3;
const CPU = ['250m', '500m', '500m', '1', '1500m'];
const MEMORY = ['512Mi', '1Gi', '2Gi', '3Gi', '4Gi'];

/** A fixed uid from a text, so that every run makes the same cluster. */
export const uidOf = (text: string): string => `uid-of-${text}`;

/** Metadata of something that has been there for an hour. */
export function meta(name: string, createdAt: string, more: Partial<Metadata> = {}): Metadata {
  const { namespace = '' } = more;
  return {
    name,
    uid: uidOf(`${namespace}/${name}`),
    resourceVersion: '1',
    creationTimestamp: createdAt,
    managedFields,
    ...more,
  } as Metadata;
}

/** Namespaces, workloads and their pods, bound round-robin; a fifth of the workloads is spread. */
export function* workloads(size: ClusterSize, createdAt: string): Generator<KubeObject> {
  const apps = Math.ceil((size.pods - size.nodes * DAEMONS.length) / REPLICAS);
  for (let at = 0; at < 40; at += 1) {
    yield object('v1', 'Namespace', meta(`team-${at}`, createdAt), {});
  }
  for (const name of DAEMONS) yield daemonSet(name, createdAt);
  let bound = 0;
  for (let node = 0; node < size.nodes; node += 1) {
    for (const name of DAEMONS) {
      yield pod(`${name}-${node}`, {
        namespace: 'kube-system',
        app: name,
        owner: 'DaemonSet',
        createdAt,
        node,
      });
      bound += 1;
    }
  }
  for (let app = 0; app < apps; app += 1) {
    yield* workload(app, createdAt);
    for (let at = 0; at < REPLICAS && bound < size.pods; at += 1, bound += 1) {
      yield podOfApp(app, at, { createdAt, node: (app * REPLICAS + at) % size.nodes });
    }
  }
  for (let at = 0; at < size.pending; at += 1) {
    yield podOfApp(at % 31, REPLICAS + at, { createdAt });
  }
}

const object = (
  apiVersion: string,
  kind: string,
  metadata: Metadata,
  rest: Readonly<Record<string, unknown>>,
): KubeObject => ({ apiVersion, kind, metadata, ...rest });

const appName = (app: number): string => `app-${String(app).padStart(4, '0')}`;
const namespaceOf = (app: number): string => `team-${app % 40}`;
const currentSet = (app: number): string => `${appName(app)}-5d4f6c7b8`;

function* workload(app: number, createdAt: string): Generator<KubeObject> {
  const namespace = namespaceOf(app);
  const labels = { app: appName(app), 'pod-template-hash': '5d4f6c7b8' };
  const selector = { matchLabels: labels };
  const sets = Array.from({ length: OLD_REPLICA_SETS }, (_, old) => `${appName(app)}-old${old}`);
  for (const name of [...sets, currentSet(app)]) {
    const replicas = name === currentSet(app) ? REPLICAS : 0;
    const template = { metadata: { labels }, spec: podBody(labels, sizeOf(app)).spec };
    const spec = { replicas, selector, template };
    yield object('apps/v1', 'ReplicaSet', meta(name, createdAt, { namespace, labels }), {
      spec,
      status: { replicas },
    });
  }
  if (app % 2 === 0) {
    yield object('v1', 'Service', meta(appName(app), createdAt, { namespace }), {
      spec: { selector: { app: appName(app) }, ports: [{ port: 80 }] },
    });
    yield object('policy/v1', 'PodDisruptionBudget', meta(appName(app), createdAt, { namespace }), {
      spec: { maxUnavailable: '10%', selector: { matchLabels: { app: appName(app) } } },
      status: { disruptionsAllowed: 10, currentHealthy: 100, desiredHealthy: 90 },
    });
  }
}

const sizeOf = (app: number) => ({
  cpu: CPU[app % CPU.length] ?? '500m',
  memory: MEMORY[(app * 3) % MEMORY.length] ?? '1Gi',
});

function daemonSet(name: string, createdAt: string): KubeObject {
  const labels = { app: name };
  const { spec } = podBody(labels, { cpu: '50m', memory: '64Mi' });
  return object('apps/v1', 'DaemonSet', meta(name, createdAt, { namespace: 'kube-system' }), {
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { ...spec, tolerations: [{ operator: 'Exists' }] } },
    },
  });
}

interface PodFacts {
  readonly createdAt: string;
  /** Absent: it waits for one. */
  readonly node?: number;
}

function podOfApp(app: number, at: number, facts: PodFacts): KubeObject {
  const namespace = namespaceOf(app);
  return pod(`${currentSet(app)}-${at}`, {
    ...facts,
    namespace,
    app: appName(app),
    owner: 'ReplicaSet',
    ownerName: currentSet(app),
    size: sizeOf(app),
    isSpread: app % 5 === 0,
  });
}

function pod(
  name: string,
  facts: PodFacts & {
    readonly namespace: string;
    readonly app: string;
    readonly owner: 'ReplicaSet' | 'DaemonSet';
    readonly ownerName?: string;
    readonly size?: { readonly cpu: string; readonly memory: string };
    readonly isSpread?: boolean;
  },
): KubeObject {
  const { namespace, app, owner, node, createdAt } = facts;
  const ownerName = facts.ownerName ?? app;
  const labels = { app, 'pod-template-hash': '5d4f6c7b8' };
  const { spec, running, waiting } = podBody(labels, facts.size ?? { cpu: '50m', memory: '64Mi' });
  const ownerReferences = [
    {
      apiVersion: 'apps/v1',
      kind: owner,
      name: ownerName,
      uid: uidOf(`${namespace}/${ownerName}`),
      controller: true,
      blockOwnerDeletion: true,
    },
  ];
  const spread = facts.isSpread === true && {
    topologySpreadConstraints: [
      {
        maxSkew: 10,
        topologyKey: 'topology.kubernetes.io/zone',
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { app } },
      },
    ],
  };
  const tolerations = owner === 'DaemonSet' ? { tolerations: [{ operator: 'Exists' }] } : {};
  const nodeName = node === undefined ? {} : { nodeName: nodeNameOf(node) };
  const metadata = meta(name, createdAt, { namespace, labels, ownerReferences });
  return object('v1', 'Pod', metadata, {
    spec: { ...spec, ...spread, ...tolerations, ...nodeName },
    status: node === undefined ? waiting : running,
  });
}

/** The name that EC2 would give the instance of a node. */
export const nodeNameOf = (node: number): string =>
  `ip-10-${Math.floor(node / 65_536)}-${Math.floor(node / 256) % 256}-${node % 256}.ec2.internal`;
