/**
 * The node lifecycle controller: taints by condition, Unknown for kubelets that fell silent, pods
 * of nodes that are not ready marked as not ready.
 *
 * Simplified: no zones in distress and no limit on how fast nodes are tainted.
 *
 * Source: kubernetes v1.36, controller/nodelifecycle.
 */
import type { Clock } from '../clock.ts';
import type { Journal } from '../journal.ts';
import type { Random } from '../random.ts';
import { findCondition, isReady, setCondition } from './conditions.ts';
import { sameJson } from './json.ts';
import type { Registry } from './registry.ts';
import { isNode } from './store.ts';
import { toTimestamp } from './timestamps.ts';
import type { NodeObject, WireTaint } from './wire.ts';
import { createWorkQueue } from './work-queue.ts';
import { createWriter, type Writer } from './writer.ts';

/** What the node lifecycle controller works with. */
export interface NodeLifecycleParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly journal: Journal;
  readonly registry: Registry;
}

/** The node lifecycle controller, as the kubelets know it. */
export interface NodeLifecycle {
  /** A node's kubelet will not be heard of any more. */
  readonly fellSilent: (nodeName: string) => void;
}

const NOT_READY = 'node.kubernetes.io/not-ready';
const UNREACHABLE = 'node.kubernetes.io/unreachable';
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';
const OWN_KEYS = [NOT_READY, UNREACHABLE, UNSCHEDULABLE];

/** From a change of a Node to its taints following. Source: observed, 0.25 s. */
const REACTION_MS = 250;
/** Source: kubernetes v1.36, nodeMonitorPeriod and nodeMonitorGracePeriod. */
const MONITOR_MS = 5_000;
const GRACE_MS = 50_000;
/** A kubelet renews its Lease this often, so its silence began up to this much before its end. */
const RENEWAL_MS = 10_000;

interface Inside extends NodeLifecycleParts {
  readonly writer: Writer;
}

/** Starts the controller over a registry. */
export function startNodeLifecycle(parts: NodeLifecycleParts): NodeLifecycle {
  const { clock, registry, random } = parts;
  const inside: Inside = { ...parts, writer: createWriter(registry, 'node-lifecycle') };
  const queue = createWorkQueue(clock, (name) => setTaints(inside, name));
  const ages = createWorkQueue(clock, (name) => setTaints(inside, name));
  registry.store.onChange(({ object, type }) => {
    if (!isNode(object) || type === 'deleted') return;
    queue.add(object.metadata.name, REACTION_MS);
    if (type === 'added') ages.add(object.metadata.name, MONITOR_MS);
  });
  return {
    fellSilent: (name) => {
      const uid = registry.store.get('Node', '', name)?.metadata.uid;
      const heardAgo = random.between(0, RENEWAL_MS);
      const inMs = Math.ceil((GRACE_MS - heardAgo) / MONITOR_MS) * MONITOR_MS;
      clock.after(inMs, () => {
        const node = registry.store.known('Node', '', name);
        if (node !== undefined && node.metadata.uid === uid) becomeUnknown(inside, node);
      });
    },
  };
}

function becomeUnknown(inside: Inside, node: NodeObject): void {
  const { clock, writer, journal } = inside;
  const now = clock.now();
  let { conditions } = node.status;
  for (const type of ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure']) {
    const unknown = {
      type,
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
    } as const;
    conditions = setCondition(conditions, unknown, now);
  }
  writer.updateStatus(node, { ...node.status, conditions });
  const text = `${node.metadata.name} stopped answering`;
  journal.note({ at: now, source: 'controller', text, fields: { node: node.metadata.name } });
  for (const pod of inside.registry.store.podsOn(node.metadata.name)) {
    if (!isReady(pod)) continue;
    const lost = { type: 'Ready', status: 'False', reason: 'NodeNotReady' } as const;
    const podConditions = setCondition(pod.status.conditions, lost, now);
    writer.updateStatus(pod, { ...pod.status, conditions: podConditions });
  }
}

function setTaints({ registry, clock, writer }: Inside, name: string): void {
  const node = registry.store.known('Node', '', name);
  if (node === undefined) return;
  const had = node.spec.taints ?? [];
  const wanted = taintsFor(node, clock.now());
  const isWanted = (taint: WireTaint): boolean =>
    wanted.some(({ key, effect }) => key === taint.key && effect === taint.effect);
  const kept = had.filter((taint) => !OWN_KEYS.includes(taint.key) || isWanted(taint));
  const missing = wanted.filter(
    ({ key, effect }) => !kept.some((taint) => taint.key === key && taint.effect === effect),
  );
  const taints = [...kept, ...missing];
  if (sameJson(taints, had)) return;
  const { taints: _, ...spec } = node.spec;
  writer.update({ ...node, spec: taints.length === 0 ? spec : { ...spec, taints } });
}

/** A Node that was never Ready keeps pods off at once, and drives them out one period later. */
function taintsFor(node: NodeObject, now: number): readonly WireTaint[] {
  const taints: WireTaint[] = [];
  const status = findCondition(node.status.conditions, 'Ready')?.status;
  const key = status === 'Unknown' ? UNREACHABLE : NOT_READY;
  const age = now - Date.parse(node.metadata.creationTimestamp);
  if (status !== 'True') taints.push({ key, effect: 'NoSchedule' });
  if (status !== undefined && status !== 'True' && age >= MONITOR_MS) {
    taints.push({ key, effect: 'NoExecute', timeAdded: toTimestamp(now) });
  }
  if (node.spec.unschedulable === true) taints.push({ key: UNSCHEDULABLE, effect: 'NoSchedule' });
  return taints;
}
