import { isDaemon } from '#lib/consent/pod-state.ts';
import type { HostPort } from '#lib/constraints/host-ports.ts';
import { byNamespacedName } from '#lib/constraints/order.ts';
import {
  agrees,
  intersectRequirements,
  isCompatible,
  type Requirements,
  requirementsOfLabels,
} from '#lib/constraints/requirements.ts';
import { addResources, type Resources } from '#lib/constraints/resources.ts';
import { firstUntolerated, type Taint } from '#lib/constraints/taints.ts';
import type { DaemonSet } from '#lib/model/daemon-set.ts';
import { INITIALIZED, REGISTERED, WELL_KNOWN } from '#lib/model/labels.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { type LabelAsk, requiredAlternatives } from './pods/ask.ts';

/** What DaemonSets will put on a node. */
export interface DaemonLoad {
  readonly requests: Resources;
  readonly hostPorts: readonly HostPort[];
}

/**
 * The DaemonSets of `snapshot`, each with the pod that speaks for it: its newest real one, since
 * admission may have changed what the template asks for, else the one made from the template. The
 * controller ties each real pod to its own node, so where it may run is always the template's word.
 *
 * Source: karpenter v1.14, state/cluster.go, updateDaemonSetCache;
 * provisioning/provisioner.go, getDaemonSetPods. Cost: all pods of the cluster.
 */
export function representativeDaemons(snapshot: Snapshot): readonly DaemonSet[] {
  const newest = new Map<string, Pod>();
  if (snapshot.daemonSets.length === 0) return [];
  for (const pod of [...snapshot.nodes.flatMap(({ pods }) => pods), ...snapshot.pods]) {
    const owner = pod.meta.owners.find(({ controller }) => controller);
    if (!owner || !isDaemon(pod)) continue;
    const known = newest.get(owner.uid);
    if (!known || isNewer(pod, known)) newest.set(owner.uid, pod);
  }
  return snapshot.daemonSets.map((daemonSet) => {
    const pod = newest.get(daemonSet.meta.uid);
    if (!pod) return daemonSet;
    const { required } = daemonSet.pod.nodeAffinity;
    return { ...daemonSet, pod: { ...pod, nodeAffinity: { ...pod.nodeAffinity, required } } };
  });
}

const isNewer = (a: Pod, b: Pod): boolean =>
  (a.meta.createdAt - b.meta.createdAt || byNamespacedName(a, b)) > 0;

/** Labels that a node has by the time its daemons run, though no NodeClaim asks for them. */
const LATER_LABELS = requirementsOfLabels({ [REGISTERED]: 'true', [INITIALIZED]: 'true' });

/**
 * The daemons that may run on nodes of a template, each with the Requirements of the alternatives
 * under which it would. PreferNoSchedule never keeps a daemon away, and its preferences do not
 * count. Daemons with dynamic resource claims are left out.
 *
 * Source: karpenter v1.14, provisioning/scheduling/scheduler.go, isDaemonPodCompatible.
 */
export function daemonsOfTemplate(
  daemonSets: readonly DaemonSet[],
  template: Requirements,
  taints: readonly Taint[],
): readonly { readonly pod: Pod; readonly alternatives: readonly LabelAsk[] }[] {
  const known = intersectRequirements(template, LATER_LABELS);
  const hard = taints.filter(({ effect }) => effect !== 'PreferNoSchedule');
  return daemonSets.flatMap(({ pod }) => {
    if (pod.resourceClaims.length > 0 || firstUntolerated(hard, pod.tolerations)) return [];
    const alternatives = requiredAlternatives(pod).filter(
      ({ requirements, present }) =>
        isCompatible(known, requirements, WELL_KNOWN) && isCompatible(known, present, WELL_KNOWN),
    );
    return alternatives.length > 0 ? [{ pod, alternatives }] : [];
  });
}

/** What those of `daemons` that a node with `labels` would run put on it. */
export function daemonLoad(
  daemons: ReturnType<typeof daemonsOfTemplate>,
  labels: Requirements,
): DaemonLoad {
  let requests: Resources = {};
  const hostPorts: HostPort[] = [];
  for (const { pod, alternatives } of daemons) {
    const runs = alternatives.some(
      (asked) => agrees(labels, asked.requirements) && agrees(labels, asked.present),
    );
    if (!runs) continue;
    requests = addResources(requests, pod.requests);
    hostPorts.push(...pod.hostPorts);
  }
  return { requests, hostPorts };
}

/**
 * What DaemonSets are still going to put on a node that exists. `labels` are all it has and
 * `taints` what it keeps for good.
 *
 * Source: karpenter v1.14, provisioning/scheduling/scheduler.go, calculateExistingNodeClaims.
 */
export function daemonsDueOn(
  daemonSets: readonly DaemonSet[],
  labels: Requirements,
  taints: readonly Taint[],
): Resources {
  const hard = taints.filter(({ effect }) => effect !== 'PreferNoSchedule');
  let due: Resources = {};
  for (const { pod } of daemonSets) {
    if (pod.resourceClaims.length > 0 || firstUntolerated(hard, pod.tolerations)) continue;
    const runs = requiredAlternatives(pod).some(
      ({ requirements, present }) =>
        isCompatible(labels, requirements, NO_KEYS) && isCompatible(labels, present, NO_KEYS),
    );
    if (runs) due = addResources(due, pod.requests);
  }
  return due;
}

const NO_KEYS: ReadonlySet<string> = new Set();
