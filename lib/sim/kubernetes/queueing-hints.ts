import { type Taint, tolerates } from '#lib/constraints/taints.ts';
import { shortOf } from './filters.ts';
import { sameJson } from './json.ts';
import { tolerationsOf } from './node-info.ts';
import type { Plugin } from './node-refusal.ts';
import { wantsNode } from './node-terms.ts';
import { parseQuantities, podRequests } from './pod-requests.ts';
import { taintOf } from './selector-of.ts';
import type { NodeObject, PodObject } from './wire.ts';

/**
 * Whether a new or a changed Node could let in a pod that these filters refused: one of them would
 * now judge otherwise. The others are not asked, so a Node may wake a pod that it cannot hold.
 *
 * Source: kubernetes v1.36, each plugin's EventsToRegister and its isSchedulableAfterNodeChange.
 */
export function mayHelp(
  pod: PodObject,
  node: NodeObject,
  old: NodeObject | undefined,
  plugins: ReadonlySet<Plugin>,
): boolean {
  for (const plugin of plugins) {
    if (suits(plugin, pod, node) && (old === undefined || isNews(plugin, pod, node, old))) {
      return true;
    }
  }
  return false;
}

function suits(plugin: Plugin, pod: PodObject, node: NodeObject): boolean {
  switch (plugin) {
    case 'NodeUnschedulable':
      return node.spec.unschedulable !== true;
    case 'TaintToleration':
      return toleratesAll(pod, node);
    case 'NodeAffinity':
      return wantsNode(pod.spec, node);
    case 'NodeResourcesFit': {
      const allocatable = parseQuantities(node.status.allocatable);
      return shortOf(podRequests(pod), allocatable, {}).length === 0;
    }
    case 'NodePorts':
    case 'VolumeBinding':
    case 'PodTopologySpread':
    case 'InterPodAffinity':
      return true;
  }
}

/** Whether what changed is what the filter looks at. */
function isNews(plugin: Plugin, pod: PodObject, node: NodeObject, old: NodeObject): boolean {
  switch (plugin) {
    case 'NodeUnschedulable':
    case 'TaintToleration':
    case 'NodeAffinity':
      return !suits(plugin, pod, old);
    case 'NodeResourcesFit':
      return !sameJson(node.status.allocatable, old.status.allocatable);
    case 'NodePorts':
      return false;
    case 'VolumeBinding':
    case 'PodTopologySpread':
    case 'InterPodAffinity':
      return node.metadata.labels !== old.metadata.labels || node.spec !== old.spec;
  }
}

function toleratesAll(pod: PodObject, node: NodeObject): boolean {
  const isHard = ({ effect }: Taint): boolean => effect !== 'PreferNoSchedule';
  const taints = (node.spec.taints ?? []).map(taintOf).filter(isHard);
  return taints.every((taint) => tolerates(taint, tolerationsOf(pod)));
}
