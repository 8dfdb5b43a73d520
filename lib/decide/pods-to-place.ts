import { isActive } from '#lib/consent/pod-state.ts';
import { isProvisionable, isReschedulableNow, isUntried } from '#lib/consent/pods.ts';
import { byNamespacedName } from '#lib/constraints/order.ts';
import { isRejection, type Rejection } from '#lib/constraints/rejection.ts';
import { inFlightOf } from '#lib/disruption/commands/in-flight.ts';
import { placesOf } from '#lib/disruption/commands/places.ts';
import { fnv1a32 } from '#lib/model/digest.ts';
import { FOR_PODS } from '#lib/model/labels.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { isGoing } from '#lib/solver/hosts/hosts.ts';
import { ineligibility } from '#lib/solver/refusals/eligibility.ts';
import { volumeObjectsOf } from '#lib/solver/volumes/volume-lookup.ts';
import { hopelessAmong } from './untried.ts';
import { wakeRule } from './wake-rule.ts';

/** Which pods of a Snapshot need a place, and which places are spoken for. */
export interface PodsToPlace {
  readonly pods: readonly Pod[];
  /** Pods that are not for Joinery to place, and why. */
  readonly ineligible: readonly { readonly pod: Pod; readonly rejection: Rejection }[];
  /** By StateNode: pods that the scheduler is about to bind there. */
  readonly promised: ReadonlyMap<string, readonly Pod[]>;
  /** By pod uid: the StateNode whose NodeClaim was made for it. */
  readonly expected: ReadonlyMap<string, string>;
}

/**
 * The pods that wait for a node, and those that will have to move because theirs is going, or will
 * be going as soon as those are up that replace it.
 *
 * Source: karpenter v1.14, provisioning/provisioner.go, Schedule.
 */
export function podsToPlace(
  snapshot: Snapshot,
  leaving: ReadonlySet<string> = inFlightOf(snapshot).leaving,
): PodsToPlace {
  const names = namesOfNodes(snapshot);
  const liveNames = new Set(names.keys());
  const marked = snapshot.pods.filter((pod) => isProvisionable(asPromised(pod), liveNames));
  const untried = snapshot.pods.filter((pod) => isUntried(asPromised(pod)));
  const planned = expectedOn(untried, snapshot);
  const pending = [...marked, ...hopelessAmong(untried, marked, planned, snapshot)];
  const objects = volumeObjectsOf(snapshot);
  const mayWake = wakeRule(snapshot, pending);
  const judged = pending.map((pod) => ({
    pod,
    rejection: ineligibility(pod, objects) ?? mayWake(pod),
  }));
  const moving = snapshot.nodes
    .filter((state) => isGoing(state) || leaving.has(state.name))
    .flatMap(({ pods }) => pods)
    .filter((pod) => isReschedulableNow(pod, snapshot.podDisruptionBudgets, snapshot.takenAt));
  const eligible = judged.filter(({ rejection }) => rejection === undefined);
  const pods = [...eligible.map(({ pod }) => pod), ...moving].sort(byNamespacedName);
  return {
    pods,
    ineligible: judged.flatMap(({ pod, rejection }) =>
      isRejection(rejection) ? [{ pod, rejection }] : [],
    ),
    promised: promisedOn(snapshot),
    expected: expectedOn(pods, snapshot),
  };
}

/** A pod with what the scheduler has promised it: what Joinery wrote is only what it planned. */
function asPromised(pod: Pod): Pod {
  if (!pod.isNominatedByUs) return pod;
  const { nominatedNodeName: _, ...rest } = pod;
  return rest;
}

/** Every name that a nomination may use, with the StateNode it means; those on their way out do not count. */
function namesOfNodes({ nodes }: Snapshot): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const stateNode of nodes) {
    if (isGoing(stateNode)) continue;
    names.set(stateNode.name, stateNode.name);
    if (stateNode.claim) names.set(stateNode.claim.meta.name, stateNode.name);
  }
  return names;
}

/** By StateNode: the pods that are nominated there and not bound yet. */
export function promisedOn(snapshot: Snapshot): ReadonlyMap<string, readonly Pod[]> {
  const names = namesOfNodes(snapshot);
  const promised = new Map<string, Pod[]>();
  for (const pod of snapshot.pods) {
    const node = names.get(asPromised(pod).nominatedNodeName ?? '');
    if (node === undefined || pod.nodeName !== undefined || !isActive(pod)) continue;
    promised.set(node, [...(promised.get(node) ?? []), pod]);
  }
  return promised;
}

/** By pod uid: the StateNode that Joinery named to the scheduler, or whose NodeClaim was made for it. */
export function expectedOn(pods: readonly Pod[], snapshot: Snapshot): ReadonlyMap<string, string> {
  const names = namesOfNodes(snapshot);
  const named = pods.flatMap(({ meta, isNominatedByUs, nominatedNodeName = '' }) => {
    const host = isNominatedByUs ? names.get(nominatedNodeName) : undefined;
    return host === undefined ? [] : [[meta.uid, host] as const];
  });
  return new Map([...madeFor(pods, snapshot), ...named]);
}

function madeFor(
  pods: readonly Pod[],
  { nodes }: Snapshot,
): readonly (readonly [string, string])[] {
  const hostOf = new Map(nodes.flatMap(meantFor));
  if (hostOf.size === 0) return [];
  return pods.flatMap(({ meta }) => {
    const host = hostOf.get(podDigest(meta.uid));
    return host === undefined ? [] : [[meta.uid, host] as const];
  });
}

/** By digest of a pod: the node that was made for it, or that a command which is under way wants it on. */
function meantFor(stateNode: StateNode): readonly (readonly [string, string])[] {
  const { claim, name } = stateNode;
  if (!claim) return [];
  const made = claim.meta.annotations[FOR_PODS]?.split(' ') ?? [];
  const own = isGoing(stateNode) ? [] : made.map((digest) => [digest, name] as const);
  return [...own, ...placesOf(claim)];
}

/**
 * A pod's uid, shortened to 32 bits: enough to tell the pods of one cluster apart, and a mix-up
 * only costs that a pod is tried on another node first. Source: FNV-1a.
 */
export const podDigest = (uid: string): string => (fnv1a32(uid) >>> 0).toString(36);
