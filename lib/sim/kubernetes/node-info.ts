import type { HostPort } from '#lib/constraints/host-ports.ts';
import { addResources, type Resources, subtractResources } from '#lib/constraints/resources.ts';
import type { Taint, Toleration } from '#lib/constraints/taints.ts';
import { isFinished } from './conditions.ts';
import { parseQuantities, podRequests } from './pod-requests.ts';
import { taintOf, tolerationOf } from './selector-of.ts';
import { type Change, isNode, isPod, type Store } from './store.ts';
import type { NodeObject, PodObject } from './wire.ts';
import { controllerUid } from './writer.ts';

/** A node as the scheduler sees it, with the pods that take room on it. */
export interface NodeInfo {
  node: NodeObject;
  taints: readonly Taint[];
  allocatable: Resources;
  requested: Resources;
  /** Requested, with a little for pods that ask for nothing; in millicores and bytes. */
  readonly counted: { cpu: number; memory: number };
  readonly pods: Map<string, PodObject>;
  readonly podsByController: Map<string, number>;
  ports: readonly HostPort[];
}

/** The scheduler's view of the cluster, kept up with every write. */
export interface ClusterView {
  readonly nodes: ReadonlyMap<string, NodeInfo>;
  /** Pods without a node that name one they would like, by that name. */
  readonly nominated: ReadonlyMap<string, ReadonlyMap<string, PodObject>>;
  /** Bound pods that want others kept away. */
  readonly wary: ReadonlyMap<string, PodObject>;
}

interface Inside {
  readonly nodes: Map<string, NodeInfo>;
  readonly nominated: Map<string, Map<string, PodObject>>;
  readonly wary: Map<string, PodObject>;
}

/** A view of `store`; it hears of each write before those that listen after it. */
export function createClusterView(store: Store): ClusterView {
  const inside: Inside = { nodes: new Map(), nominated: new Map(), wary: new Map() };
  store.onChange((change) => {
    if (isNode(change.object)) hearNode(inside, change.object, change.type === 'deleted', store);
    if (isPod(change.object)) hearPod(inside, change);
  });
  return inside;
}

function hearNode(inside: Inside, node: NodeObject, isGone: boolean, store: Store): void {
  const { name } = node.metadata;
  if (isGone) {
    inside.nodes.delete(name);
    return;
  }
  const known = inside.nodes.get(name);
  const facts = {
    node,
    taints: (node.spec.taints ?? []).map(taintOf),
    allocatable: parseQuantities(node.status.allocatable),
  };
  if (known !== undefined) {
    Object.assign(known, facts);
    return;
  }
  const info: NodeInfo = {
    ...facts,
    requested: {},
    counted: { cpu: 0, memory: 0 },
    pods: new Map(),
    podsByController: new Map(),
    ports: [],
  };
  inside.nodes.set(name, info);
  for (const pod of store.podsOn(name)) place(inside, info, pod);
}

function hearPod(inside: Inside, { type, object, old }: Change): void {
  if (old !== undefined && isPod(old)) forget(inside, old);
  if (type === 'deleted' || !isPod(object) || isFinished(object)) return;
  const { nodeName = '' } = object.spec;
  const info = inside.nodes.get(nodeName);
  if (info !== undefined) place(inside, info, object);
  const wish = object.status.nominatedNodeName ?? '';
  if (nodeName !== '' || wish === '') return;
  const group = inside.nominated.get(wish) ?? new Map<string, PodObject>();
  inside.nominated.set(wish, group.set(object.metadata.uid, object));
}

function place(inside: Inside, info: NodeInfo, pod: PodObject): void {
  if (isFinished(pod)) return;
  info.pods.set(pod.metadata.uid, pod);
  if (isWary(pod)) inside.wary.set(pod.metadata.uid, pod);
  account(info, pod, 1);
}

function forget(inside: Inside, pod: PodObject): void {
  const { uid } = pod.metadata;
  inside.wary.delete(uid);
  inside.nominated.get(pod.status.nominatedNodeName ?? '')?.delete(uid);
  const info = inside.nodes.get(pod.spec.nodeName ?? '');
  if (info?.pods.delete(uid) === true) account(info, pod, -1);
}

const isWary = ({ spec }: PodObject): boolean =>
  (spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).length > 0;

/** What a pod that asks for nothing counts as. Source: kubernetes v1.36, scheduler/util, NonZero. */
const NOTHING_ASKED = { cpu: 100, memory: 200 * 1024 ** 2 };

/** What a pod counts for when nodes are compared. */
export function countedRequests(pod: PodObject): { readonly cpu: number; readonly memory: number } {
  const { cpu = 0, memory = 0 } = podRequests(pod);
  return { cpu: cpu || NOTHING_ASKED.cpu, memory: memory || NOTHING_ASKED.memory };
}

function account(info: NodeInfo, pod: PodObject, sign: 1 | -1): void {
  const requests = podRequests(pod);
  const change = sign === 1 ? addResources : subtractResources;
  info.requested = change(info.requested, requests);
  const { cpu, memory } = countedRequests(pod);
  info.counted.cpu += sign * cpu;
  info.counted.memory += sign * memory;
  const controller = controllerUid(pod);
  if (controller !== undefined) {
    const count = (info.podsByController.get(controller) ?? 0) + sign;
    info.podsByController.set(controller, count);
  }
  if (hostPorts(pod).length > 0) info.ports = [...info.pods.values()].flatMap(hostPorts);
}

const ports = new WeakMap<PodObject['spec'], readonly HostPort[]>();

/** The ports of its node that a pod takes. */
export function hostPorts({ spec }: PodObject): readonly HostPort[] {
  const known = ports.get(spec);
  if (known !== undefined) return known;
  const taken = spec.containers.flatMap((container) =>
    (container.ports ?? []).flatMap(({ containerPort, hostPort, hostIP, protocol }) => {
      const port = hostPort ?? (spec.hostNetwork === true ? containerPort : undefined) ?? 0;
      const ip = hostIP === undefined || hostIP === '' ? '0.0.0.0' : hostIP;
      return port === 0 ? [] : [{ ip, port, protocol: protocol ?? 'TCP' }];
    }),
  );
  ports.set(spec, taken);
  return taken;
}

const tolerations = new WeakMap<PodObject['spec'], readonly Toleration[]>();

/** What a pod does not mind. */
export function tolerationsOf({ spec }: PodObject): readonly Toleration[] {
  const known = tolerations.get(spec);
  if (known !== undefined) return known;
  const decoded = (spec.tolerations ?? []).map(tolerationOf);
  tolerations.set(spec, decoded);
  return decoded;
}
