import { firstPortConflict, type HostPort } from '#lib/constraints/host-ports.ts';
import { compareText } from '#lib/constraints/order.ts';
import type { Requirement } from '#lib/constraints/requirement.ts';
import {
  intersectRequirements,
  isCompatible,
  type Requirements,
  requirementsOf,
  requirementsOfLabels,
} from '#lib/constraints/requirements.ts';
import {
  addResources,
  amountOf,
  atLeastZero,
  minResources,
  type Resources,
  subtractResources,
} from '#lib/constraints/resources.ts';
import { firstUntolerated, isSameTaint, type Taint } from '#lib/constraints/taints.ts';
import { typesForClaim } from '#lib/model/catalog.ts';
import { isTrue } from '#lib/model/conditions.ts';
import {
  HOSTNAME,
  INITIALIZED,
  INSTANCE_TYPE,
  NODEPOOL,
  REGISTERED,
  UNREGISTERED,
} from '#lib/model/labels.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { type Amounts, type Axes, amountsOf, timesThatFit } from '../amounts.ts';
import { daemonsDueOn } from '../daemons.ts';
import type { Ask } from '../pods/ask.ts';
import { mostPerNode, type PodGroup } from '../pods/pod-groups.ts';
import type { AttachmentLimits } from '../volumes/attachments.ts';
import { NOTHING_LIMITED, type VolumeUsage } from '../volumes/volume-usage.ts';

/** A node that is there or on its way, and what it still has for pods. */
export interface Host {
  readonly name: string;
  readonly stateNode: StateNode;
  /** Everything its labels may turn out to be: one set, or one for each type it may become. */
  readonly labels: readonly Requirements[];
  readonly taints: readonly Taint[];
  readonly free: Amounts;
  readonly hostPorts: readonly HostPort[];
  /** It is no place for pods that have a node. */
  readonly takesNoMovers?: true;
  /** How many volumes it may have attached, and which it has. */
  readonly attachments: AttachmentLimits;
}

/**
 * Whether a node is on its way out, so that nothing new belongs on it.
 *
 * Source: karpenter v1.14, state/statenode.go, MarkedForDeletion and Deleted.
 */
export const isGoing = ({ node, claim }: StateNode): boolean =>
  claim
    ? claim.meta.deletedAt !== undefined || isTrue(claim.status.conditions, 'InstanceTerminating')
    : node?.meta.deletedAt !== undefined;

/**
 * The nodes that pods can be placed on: those that are initialized first, then by name. `promised`
 * holds, by node, pods that are about to be bound there. A Node that could not be read is none: what
 * it has left is not known.
 *
 * Source: karpenter v1.14, provisioning/scheduling/scheduler.go, calculateExistingNodeClaims.
 */
export function hostsOf(
  snapshot: Snapshot,
  promised: ReadonlyMap<string, readonly Pod[]>,
  axes: Axes,
  {
    limitsOn,
    memo,
  }: Pick<VolumeUsage, 'limitsOn'> & { readonly memo?: HostMemo } = NOTHING_LIMITED,
): readonly Host[] {
  const unread = new Set(
    snapshot.leftOut.flatMap(({ object }) => (object.kind === 'Node' ? [object.name] : [])),
  );
  return snapshot.nodes
    .filter((stateNode) => !isGoing(stateNode) && isUsable(stateNode))
    .filter(({ claim }) => !unread.has(claim?.status.nodeName ?? ''))
    .map((stateNode) => {
      const coming = promised.get(stateNode.name) ?? [];
      const attachments = limitsOn(stateNode, coming);
      const make = () => hostOf(stateNode, snapshot, coming, axes);
      const host = coming.length === 0 && memo ? memo(stateNode, make) : make();
      return { ...host, attachments };
    })
    .sort(
      (a, b) =>
        Number(isInitialized(b.stateNode)) - Number(isInitialized(a.stateNode)) ||
        compareText(a.name, b.name),
    );
}

/** What a node has for pods as long as none is promised room on it, made at the first question. */
export type HostMemo = (stateNode: StateNode, make: () => HostCore) => HostCore;

type HostCore = Omit<Host, 'attachments'>;

/** A memory of hosts, by StateNode; it holds for one set of axes. */
export function memoOfHosts(): HostMemo {
  const known = new WeakMap<StateNode, HostCore>();
  return (stateNode, make) => {
    const host = known.get(stateNode) ?? make();
    known.set(stateNode, host);
    return host;
  };
}

/** A managed Node that its NodeClaim cannot be told by yet counts through that NodeClaim. */
const isUsable = ({ node, claim }: StateNode): boolean =>
  claim !== undefined ||
  node?.providerId !== undefined ||
  node?.meta.labels[NODEPOOL] === undefined;

const isRegistered = ({ node, claim }: StateNode): boolean =>
  node !== undefined && (claim === undefined || node.meta.labels[REGISTERED] === 'true');

const isInitialized = ({ node, claim }: StateNode): boolean =>
  node !== undefined && (claim === undefined || node.meta.labels[INITIALIZED] === 'true');

function hostOf(
  stateNode: StateNode,
  snapshot: Snapshot,
  promised: readonly Pod[],
  axes: Axes,
): HostCore {
  const taints = lastingTaints(stateNode);
  const shapes = shapesOf(stateNode, snapshot);
  const pods = [...stateNode.pods.filter(isHeld), ...promised];
  const held = sumOf(pods);
  const heldByDaemons = sumOf(pods.filter(isOfDaemonSet));
  const rooms = shapes.map(({ labels, allocatable }) => {
    const due = daemonsDueOn(snapshot.daemonSets, labels, taints);
    const reserve = atLeastZero(subtractResources(due, heldByDaemons));
    return subtractResources(subtractResources(allocatable, held), reserve);
  });
  const overdrawn = rooms.some((room) => Object.values(room).some((left) => left < 0));
  return {
    name: stateNode.name,
    stateNode,
    labels: shapes.map(({ labels }) => labels),
    taints,
    free: overdrawn ? axes.map(() => -1) : amountsOf(minResources(rooms), axes),
    hostPorts: pods.flatMap(({ hostPorts }) => hostPorts),
  };
}

const isHeld = ({ phase }: Pod): boolean => phase !== 'Succeeded' && phase !== 'Failed';

const isOfDaemonSet = ({ meta }: Pod): boolean =>
  meta.owners.some(({ apiVersion, kind }) => apiVersion === 'apps/v1' && kind === 'DaemonSet');

const sumOf = (pods: readonly Pod[]): Resources =>
  pods.reduce<Resources>((sum, { requests }) => addResources(sum, requests), {});

/** Labels and size of a node, for each thing that it may turn out to be. */
interface Shape {
  readonly labels: Requirements;
  readonly allocatable: Resources;
}

function shapesOf(stateNode: StateNode, snapshot: Snapshot): readonly Shape[] {
  const { node, claim } = stateNode;
  if (claim && !node && !isTrue(claim.status.conditions, 'Launched')) {
    return unlaunchedShapes(claim, snapshot);
  }
  const from = isRegistered(stateNode) && node ? node.meta : claim?.meta;
  const hostname = node && { [HOSTNAME]: node.meta.labels[HOSTNAME] ?? node.meta.name };
  const labels = requirementsOfLabels({ ...from?.labels, ...hostname });
  return [{ labels, allocatable: allocatableOf(stateNode) }];
}

/** Until a node is initialized, its kubelet may not have reported all that its claim promises. */
function allocatableOf(stateNode: StateNode): Resources {
  const promised = stateNode.claim?.status.allocatable ?? {};
  const reported = stateNode.node?.allocatable ?? {};
  if (isInitialized(stateNode)) return reported;
  const both: Record<string, number> = { ...reported };
  for (const name in promised) {
    if (amountOf(reported, name) === 0) both[name] = amountOf(promised, name);
  }
  return both;
}

/**
 * What a NodeClaim may become whose launch is not yet written down: one of the types that it
 * lists, and that its labels, which EC2's answer settles first, still allow. One whose types nobody
 * knows any more holds nothing.
 */
function unlaunchedShapes(claim: NodeClaim, { catalog }: Snapshot): readonly Shape[] {
  const asked = intersectRequirements(
    requirementsOf(claim.spec.requirements),
    requirementsOfLabels(claim.meta.labels),
  );
  const listed = asked.get(INSTANCE_TYPE);
  const types = typesForClaim(catalog, claim);
  const possible = types.filter(({ name }) => listed?.values.has(name) && !listed.complement);
  if (possible.length === 0) return [{ labels: asked, allocatable: {} }];
  return possible.map(({ name, requirements, allocatable }) => ({
    labels: intersectRequirements(
      intersectRequirements(requirements, asked),
      requirementsOfLabels({ [INSTANCE_TYPE]: name }),
    ),
    allocatable,
  }));
}

/**
 * The taints that stay. While a managed node is not initialized, what Kubernetes and Karpenter
 * take off by themselves does not count, nor do its startup taints.
 *
 * Source: karpenter v1.14, state/statenode.go, Taints; scheduling/taints.go, KnownEphemeralTaints.
 */
function lastingTaints(stateNode: StateNode): readonly Taint[] {
  const { node, claim } = stateNode;
  const taints = isRegistered(stateNode) && node ? taintsOf(stateNode) : (claim?.spec.taints ?? []);
  if (!claim || isInitialized(stateNode)) return taints;
  const passing = [...EPHEMERAL_TAINTS, ...claim.spec.startupTaints];
  return taints.filter(
    (taint) =>
      !taint.key.startsWith('readiness.k8s.io/') &&
      !passing.some((each) => isSameTaint(each, taint)),
  );
}

/** A cordoned node repels pods even before the node controller has tainted it. */
function taintsOf({ node }: StateNode): readonly Taint[] {
  if (!node) return [];
  const isTainted = node.taints.some((taint) => isSameTaint(taint, CORDONED));
  return node.unschedulable && !isTainted ? [...node.taints, CORDONED] : node.taints;
}

const CORDONED: Taint = {
  key: 'node.kubernetes.io/unschedulable',
  value: '',
  effect: 'NoSchedule',
};

const EPHEMERAL_TAINTS: readonly Taint[] = [
  { key: 'node.kubernetes.io/not-ready', value: '', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/not-ready', value: '', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', value: '', effect: 'NoSchedule' },
  { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' },
  { key: UNREGISTERED, value: '', effect: 'NoExecute' },
];

/** Whether a pod with `ask` may run on `host`, whatever that turns out to be. */
export function accepts(host: Pick<Host, 'labels' | 'taints'>, ask: Ask): boolean {
  if (firstUntolerated(host.taints, ask.tolerations)) return false;
  return host.labels.every(
    (labels) => guarantees(labels, ask.requirements) && isCompatible(labels, ask.present, NO_KEYS),
  );
}

/** Whether every value that `labels` leave open is one that `asked` allows. */
function guarantees(labels: Requirements, asked: Requirements): boolean {
  if (!isCompatible(labels, asked, NO_KEYS)) return false;
  for (const [key, requirement] of asked) {
    const label = labels.get(key);
    if (label && isOpen(label) && !isWithin(label, requirement)) return false;
  }
  return true;
}

const NO_KEYS: ReadonlySet<string> = new Set();

const isOpen = ({ complement, values }: Requirement): boolean => complement || values.size > 1;

const isWithin = (label: Requirement, asked: Requirement): boolean => {
  const both = intersectRequirements(new Map([[label.key, label]]), new Map([[label.key, asked]]));
  return both.get(label.key)?.values.size === label.values.size && !label.complement;
};

/** How many pods of `group` go on `host` beside what `used` says has been put there already. */
export function placesOn(
  host: Host,
  group: PodGroup,
  used: Amounts,
  portsTaken: readonly HostPort[],
): number {
  if (host.takesNoMovers && group.moves) return 0;
  if (firstPortConflict(group.hostPorts, [...host.hostPorts, ...portsTaken])) return 0;
  return Math.min(timesThatFit(host.free, used, group.amounts), mostPerNode(group));
}
