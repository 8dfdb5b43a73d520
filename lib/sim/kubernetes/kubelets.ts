/**
 * The machines' kubelets: each boots, joins by what its user data says, becomes Ready, runs the
 * pods that are bound to it, and falls silent with its machine.
 *
 * Simplified: no node Leases and no heartbeat writes (silence is told to the node lifecycle
 * controller directly); a GPU's extended resource appears some seconds after Ready, as if its
 * device plugin ran, whether or not a DaemonSet of one exists; a kubelet whose Node was deleted
 * does not register again; no evictions under pressure: pods use no more than they ask for.
 */
import { addResources, formatResources } from '#lib/constraints/resources.ts';
import type { Clock } from '../clock.ts';
import type { Journal } from '../journal.ts';
import type { Machine, MachineListener } from '../machine.ts';
import type { Random } from '../random.ts';
import { setCondition } from './conditions.ts';
import { extendedResources } from './node-capacity.ts';
import { type NodeConfig, readNodeConfig } from './node-config.ts';
import { newNode, readiness } from './node-registration.ts';
import { parseQuantities } from './pod-requests.ts';
import { createPodRunner, type PodRunner } from './pod-runner.ts';
import type { Registry } from './registry.ts';
import type { ClusterSettings, Span } from './settings.ts';
import { type Change, isNode, isPod } from './store.ts';
import type { NodeObject } from './wire.ts';
import { createWriter, refusedBecause, type Writer } from './writer.ts';

/** What the kubelets of a cluster have in common. */
export interface KubeletParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly journal: Journal;
  readonly registry: Registry;
  readonly settings: ClusterSettings;
  /** Hears of nodes whose kubelet will not be heard of any more. */
  readonly onSilence: (nodeName: string) => void;
}

/** The kubelets of a cluster: each comes and goes with its machine. */
export interface Kubelets extends MachineListener {
  /** Makes a node's kubelet fall silent though its machine runs on; its pods run on unseen. */
  readonly silence: (nodeName: string) => void;
}

interface Kubelet {
  readonly machine: Machine;
  readonly config: NodeConfig;
  readonly nodeUid: string;
  readonly pods: PodRunner;
  isAlive: boolean;
}

interface Inside extends KubeletParts {
  readonly writer: Writer;
  readonly byNode: Map<string, Kubelet>;
}

/** Kubelets for the machines that it hears of. */
export function createKubelets(parts: KubeletParts): Kubelets {
  const writer = createWriter(parts.registry, 'kubelet');
  const inside: Inside = { ...parts, writer, byNode: new Map() };
  parts.registry.store.onChange((change) => hear(inside, change));
  const fallSilent = (machine: Machine): void => silence(inside, machine.privateDnsName);
  return {
    started: (machine) => {
      const boot = draw(parts.random.fork(`boot/${machine.id}`), parts.settings.bootSeconds);
      parts.clock.after(boot, () => join(inside, machine));
    },
    stopping: fallSilent,
    gone: fallSilent,
    silence: (nodeName) => silence(inside, nodeName),
  };
}

/** Milliseconds within a span of seconds. */
const draw = (random: Random, { from, to }: Span): number =>
  random.between(Math.round(from * 1000), Math.round(to * 1000));

function silence({ byNode, onSilence }: Inside, nodeName: string): void {
  const kubelet = byNode.get(nodeName);
  if (kubelet?.isAlive !== true) return;
  kubelet.isAlive = false;
  kubelet.pods.abandon();
  onSilence(nodeName);
}

function join(inside: Inside, machine: Machine): void {
  if (machine.state !== 'running') return;
  const config = readNodeConfig(machine.userData);
  const problem = 'problem' in config ? config.problem : wrongCluster(inside.settings, config);
  if (problem !== undefined || 'problem' in config) {
    note(inside, `${machine.id} never joins: ${problem}`, { instance: machine.id });
    return;
  }
  const { clock, writer } = inside;
  const node = writer.create(newNode(machine, config, inside.settings.version, clock.now()));
  const refused = refusedBecause(node);
  if (refused !== undefined || !('metadata' in node)) {
    note(inside, `${machine.id} cannot register its node: ${refused}`, { instance: machine.id });
    return;
  }
  const random = inside.random.fork(`kubelet/${machine.id}`);
  const pods = createPodRunner({ ...inside, random, writer, hostIp: machine.privateIp });
  const nodeUid = node.metadata.uid;
  const kubelet: Kubelet = { machine, config, nodeUid, pods, isAlive: true };
  inside.byNode.set(machine.privateDnsName, kubelet);
  note(inside, `${machine.privateDnsName} registered (${machine.type.name}, ${machine.zone})`, {
    node: machine.privateDnsName,
    instance: machine.id,
  });
  for (const pod of inside.registry.store.podsOn(machine.privateDnsName)) pods.see(pod);
  clock.after(draw(random, inside.settings.readySeconds), () =>
    becomeReady(inside, kubelet, random),
  );
}

const note = (
  { journal, clock }: KubeletParts,
  text: string,
  fields: Readonly<Record<string, unknown>>,
): void => journal.note({ at: clock.now(), source: 'kubelet', text, fields });

function wrongCluster(settings: ClusterSettings, config: NodeConfig): string | undefined {
  if (config.clusterName !== settings.name) {
    return `it was told to join cluster ${config.clusterName}, and this is ${settings.name}`;
  }
  return config.endpoint === settings.endpoint
    ? undefined
    : `it was told of an API server at ${config.endpoint}, and this one is at ${settings.endpoint}`;
}

function becomeReady(inside: Inside, kubelet: Kubelet, random: Random): void {
  const node = nodeOf(inside, kubelet);
  if (node === undefined) return;
  const { clock, writer, settings } = inside;
  const conditions = setCondition(
    node.status.conditions,
    readiness(true, clock.now()),
    clock.now(),
  );
  writer.updateStatus(node, { ...node.status, conditions });
  note(inside, `${node.metadata.name} is Ready`, { node: node.metadata.name });
  kubelet.pods.networkReady();
  const extended = extendedResources(kubelet.machine.type);
  if (Object.keys(extended).length === 0) return;
  clock.after(draw(random, settings.devicePluginSeconds), () => {
    const now = nodeOf(inside, kubelet);
    if (now === undefined) return;
    const [capacity, allocatable] = [now.status.capacity, now.status.allocatable].map((amounts) =>
      formatResources(addResources(parseQuantities(amounts), extended)),
    );
    writer.updateStatus(now, { ...now.status, capacity, allocatable });
  });
}

/** A living kubelet's own Node, unless it was deleted. */
function nodeOf({ registry }: Inside, kubelet: Kubelet): NodeObject | undefined {
  const node = registry.store.known('Node', '', kubelet.machine.privateDnsName);
  return kubelet.isAlive && node?.metadata.uid === kubelet.nodeUid ? node : undefined;
}

function hear(inside: Inside, { type, object }: Change): void {
  if (isNode(object) && type === 'deleted') {
    const kubelet = inside.byNode.get(object.metadata.name);
    if (kubelet?.nodeUid === object.metadata.uid) kubelet.isAlive = false;
    return;
  }
  if (!isPod(object) || object.spec.nodeName === undefined) return;
  const kubelet = inside.byNode.get(object.spec.nodeName);
  if (kubelet?.isAlive !== true) return;
  if (type === 'deleted') kubelet.pods.forget(object);
  else kubelet.pods.see(object);
}
