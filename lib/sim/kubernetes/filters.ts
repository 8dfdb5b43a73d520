/**
 * Whether a node takes a pod: kube-scheduler's filters in its order, and its words for why not.
 * Not played: dynamic resource claims, volume limits, device restrictions, declared features.
 *
 * Source: kubernetes v1.36, scheduler/framework/plugins.
 */
import { firstPortConflict } from '#lib/constraints/host-ports.ts';
import { addResources, amountOf, type Resources } from '#lib/constraints/resources.ts';
import { type Taint, tolerates } from '#lib/constraints/taints.ts';
import { type ClusterView, hostPorts, type NodeInfo, tolerationsOf } from './node-info.ts';
import type { NodeRefusal, Plugin } from './node-refusal.ts';
import { wantsNode } from './node-terms.ts';
import { podRequests } from './pod-requests.ts';
import type { TopologyRules } from './topology-filters.ts';
import type { VolumeRules } from './volumes.ts';
import type { PodObject } from './wire.ts';

/** What the filters need to know that is the same for all nodes. */
export interface PodRules {
  readonly topology: TopologyRules;
  readonly volumes: VolumeRules;
}

/** Why `info` does not take `pod`; undefined where it does. */
export function refusalOf(
  pod: PodObject,
  info: NodeInfo,
  view: ClusterView,
  rules: PodRules,
): NodeRefusal | undefined {
  return (
    staticRefusal(pod, info) ??
    portRefusal(pod, info) ??
    roomRefusal(pod, info, view) ??
    rules.volumes.refuse(info) ??
    rules.topology.refuse(info)
  );
}

const UNSCHEDULABLE: Taint = {
  key: 'node.kubernetes.io/unschedulable',
  value: '',
  effect: 'NoSchedule',
};

/** What no change of pods can mend: the node itself does not suit. */
function staticRefusal(pod: PodObject, { node, taints }: NodeInfo): NodeRefusal | undefined {
  const tolerations = tolerationsOf(pod);
  if (node.spec.unschedulable === true && !tolerates(UNSCHEDULABLE, tolerations)) {
    return unresolvable('NodeUnschedulable', 'node(s) were unschedulable');
  }
  const taint = taints.find(
    (each) => each.effect !== 'PreferNoSchedule' && !tolerates(each, tolerations),
  );
  if (taint !== undefined) {
    const { key, value } = taint;
    const told = `node(s) had untolerated taint {${key}: ${value}}`;
    return unresolvable('TaintToleration', told);
  }
  if (wantsNode(pod.spec, node)) return undefined;
  return unresolvable('NodeAffinity', "node(s) didn't match Pod's node affinity/selector");
}

const unresolvable = (plugin: Plugin, reason: string): NodeRefusal => ({
  plugin,
  reasons: [reason],
  isResolvable: false,
});

function portRefusal(pod: PodObject, { ports }: NodeInfo): NodeRefusal | undefined {
  if (ports.length === 0 || firstPortConflict(hostPorts(pod), ports) === undefined)
    return undefined;
  const reason = "node(s) didn't have free ports for the requested pod ports";
  return { plugin: 'NodePorts', reasons: [reason], isResolvable: true };
}

/** Room that pods nominated to a node will take counts as taken by pods of no higher priority. */
function roomRefusal(
  pod: PodObject,
  info: NodeInfo,
  { nominated }: ClusterView,
): NodeRefusal | undefined {
  let taken = info.requested;
  for (const other of nominated.get(info.node.metadata.name)?.values() ?? []) {
    const isOther = other.metadata.uid !== pod.metadata.uid;
    const isNoLess = (other.spec.priority ?? 0) >= (pod.spec.priority ?? 0);
    if (isOther && isNoLess) taken = addResources(taken, podRequests(other));
  }
  const short = shortOf(podRequests(pod), info.allocatable, taken);
  if (short.length === 0) return undefined;
  const isResolvable = shortOf(podRequests(pod), info.allocatable, {}).length === 0;
  const reasons = short.map((name) => (name === 'pods' ? 'Too many pods' : `Insufficient ${name}`));
  return { plugin: 'NodeResourcesFit', reasons, isResolvable };
}

/** The resources, by name, that do not suffice. What is not asked for is not looked at. */
export function shortOf(requests: Resources, allocatable: Resources, taken: Resources): string[] {
  const short: string[] = [];
  for (const name in requests) {
    const asked = amountOf(requests, name);
    if (asked > 0 && asked + amountOf(taken, name) > amountOf(allocatable, name)) short.push(name);
  }
  return short;
}
