import { isTerminal } from '#lib/consent/pod-state.ts';
import { byName } from '#lib/constraints/order.ts';
import { isRejection } from '#lib/constraints/rejection.ts';
import { INITIALIZED, INSTANCE_TYPE } from '#lib/model/labels.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { Pod, PodVolume } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import {
  type AttachmentLimit,
  type AttachmentLimits,
  type Attachments,
  attachmentsOf,
  NO_ATTACHMENTS,
  NO_LIMITS,
} from './attachments.ts';
import { claimKeyOf, claimOf, classNameOf, type VolumeObjects } from './volume-lookup.ts';

/** What nodes may have attached and what pods attach, for one solve. */
export interface VolumeUsage {
  readonly attachmentsOf: (pod: Pod) => Attachments;
  /** What a node that is there or on its way may have attached; `promised` are about to be bound. */
  readonly limitsOn: (stateNode: StateNode, promised: readonly Pod[]) => AttachmentLimits;
  /** What a new node of an instance type may, as far as a node that is there tells. */
  readonly limitsOfType: (instanceType: string) => AttachmentLimits;
}

/**
 * Follows the volumes of `pods`, the ones to be placed. What a new node can attach stands in no
 * catalogue: the CSINode of the newest node of the same instance type tells, and where there is none
 * nothing is limited, as upstream.
 *
 * Cost: the volumes of all pods.
 */
export function volumeUsageOf(
  snapshot: Snapshot,
  pods: readonly Pod[],
  objects: VolumeObjects,
): VolumeUsage {
  const counts = countsByNode(snapshot);
  if (counts.size === 0) return NOTHING_LIMITED;
  const ofTypes = countsByType(snapshot, counts);
  const volumesOf = (pod: Pod): readonly Attached[] =>
    pod.volumes.flatMap((volume) => attachedBy(pod, volume, objects) ?? []);
  const attached = attachedByNode(snapshot, objects);
  const users = usersOf(pods, snapshot, volumesOf);
  for (const { claim } of [...attached.values()].flat()) users.set(claim, SEVERAL);
  const limitsOn = (stateNode: StateNode, promised: readonly Pod[]): AttachmentLimits => {
    const name = stateNode.node?.meta.name ?? '';
    const held = stateNode.pods.filter((pod) => !isTerminal(pod));
    const known = isUp(stateNode) ? undefined : ofTypes.get(typeOf(stateNode));
    return limitsWith(counts.get(name) ?? known ?? NO_COUNTS, [
      ...[...held, ...promised].flatMap(volumesOf),
      ...(attached.get(name) ?? []),
    ]);
  };
  const limitsOfType = (instanceType: string): AttachmentLimits =>
    limitsWith(ofTypes.get(instanceType) ?? NO_COUNTS, []);
  const binding = bindingDrivers(
    [
      ...snapshot.nodes.map((stateNode) => limitsOn(stateNode, [])),
      ...[...ofTypes.keys()].map(limitsOfType),
    ],
    [...pods, ...snapshot.pods].flatMap(volumesOf),
  );
  const whatCounts = (pod: Pod): readonly Attached[] =>
    volumesOf(pod).filter(({ driver }) => binding.has(driver));
  return { attachmentsOf: (pod) => sortedOut(whatCounts(pod), users), limitsOn, limitsOfType };
}

/**
 * The CSI drivers of which some node could run out if all of `volumes` came to it. Pods are told
 * apart by the volumes they share only where that can matter.
 */
function bindingDrivers(
  limits: readonly AttachmentLimits[],
  volumes: readonly Attached[],
): ReadonlySet<string> {
  const byDriver = Map.groupBy(volumes, ({ driver }) => driver);
  const claims = new Map(
    [...byDriver].map(([driver, of]) => [driver, new Set(of.map(({ claim }) => claim)).size]),
  );
  return new Set(
    limits.flatMap((each) =>
      [...each].flatMap(([driver, { count, attached }]) =>
        attached.size + (claims.get(driver) ?? 0) > count ? [driver] : [],
      ),
    ),
  );
}

/** A volume that is attached somewhere is told by its claim, so that it counts once on that node. */
const SEVERAL = 2;

/** By claim: how many pods use it, of those to be placed and those that run. */
function usersOf(
  pods: readonly Pod[],
  { nodes }: Snapshot,
  volumesOf: (pod: Pod) => readonly Attached[],
): Map<string, number> {
  const running = nodes.flatMap((node) => node.pods.filter((pod) => !isTerminal(pod)));
  const each = new Map([...running, ...pods].map((pod) => [pod.meta.uid, pod]));
  const users = new Map<string, number>();
  for (const pod of each.values()) {
    for (const claim of new Set(volumesOf(pod).map((volume) => volume.claim))) {
      users.set(claim, (users.get(claim) ?? 0) + 1);
    }
  }
  return users;
}

/** Whether a node has told by now what it may have attached: where it has not, nothing is limited. */
const isUp = ({ node, claim }: StateNode): boolean =>
  node !== undefined && (claim === undefined || node.meta.labels[INITIALIZED] === 'true');

const typeOf = ({ node, claim }: StateNode): string =>
  node?.meta.labels[INSTANCE_TYPE] ?? claim?.meta.labels[INSTANCE_TYPE] ?? '';

const NO_COUNTS: Counts = new Map();

/** Nothing is limited anywhere. */
export const NOTHING_LIMITED: VolumeUsage = {
  attachmentsOf: () => NO_ATTACHMENTS,
  limitsOn: () => NO_LIMITS,
  limitsOfType: () => NO_LIMITS,
};

/** A volume on a node, told by its claim. */
interface Attached {
  readonly claim: string;
  readonly driver: string;
}

type Counts = ReadonlyMap<string, number>;

/** By node name, by driver: how many volumes may be attached, where a CSINode says so. */
const countsByNode = ({ csiNodes }: Snapshot): ReadonlyMap<string, Counts> =>
  new Map(
    csiNodes.flatMap(({ meta, drivers }): [string, Counts][] => {
      const counts = drivers.flatMap(({ name, count }): [string, number][] =>
        count === undefined ? [] : [[name, count]],
      );
      return counts.length === 0 ? [] : [[meta.name, new Map(counts)]];
    }),
  );

/** By instance type: the counts of its newest node that has any, the last by name of equals. */
function countsByType(
  { nodes }: Snapshot,
  counts: ReadonlyMap<string, Counts>,
): ReadonlyMap<string, Counts> {
  const newestLast = nodes
    .flatMap(({ node }) => node ?? [])
    .sort((a, b) => a.meta.createdAt - b.meta.createdAt || byName(a, b));
  return new Map(
    newestLast.flatMap(({ meta }): [string, Counts][] => {
      const own = counts.get(meta.name);
      const type = meta.labels[INSTANCE_TYPE];
      return own && type !== undefined ? [[type, own]] : [];
    }),
  );
}

/** By node name: what is attached there, also for pods that are gone. */
function attachedByNode(
  { volumeAttachments }: Snapshot,
  { volumes }: VolumeObjects,
): ReadonlyMap<string, readonly Attached[]> {
  const byNode = new Map<string, Attached[]>();
  for (const { nodeName, persistentVolumeName = '' } of volumeAttachments) {
    const volume = volumes.get(persistentVolumeName);
    if (volume?.csiDriver === undefined) continue;
    const { claim, csiDriver: driver } = volume;
    const named = claim ? `${claim.namespace}/${claim.name}` : `/${persistentVolumeName}`;
    byNode.set(nodeName, [...(byNode.get(nodeName) ?? []), { claim: named, driver }]);
  }
  return byNode;
}

function limitsWith(counts: Counts, volumes: readonly Attached[]): AttachmentLimits {
  const limits = [...counts].map(([driver, count]): [string, AttachmentLimit] => {
    const ofDriver = volumes.filter((each) => each.driver === driver);
    return [driver, { count, attached: new Set(ofDriver.map(({ claim }) => claim)) }];
  });
  return new Map(limits);
}

/** What of `volumes` only one pod uses, by number, and what others use too, by claim. */
function sortedOut(volumes: readonly Attached[], users: ReadonlyMap<string, number>): Attachments {
  const own = new Map<string, Set<string>>();
  const shared = new Map<string, Set<string>>();
  for (const { claim, driver } of volumes) {
    const side = (users.get(claim) ?? 0) > 1 ? shared : own;
    side.set(driver, (side.get(driver) ?? new Set()).add(claim));
  }
  return attachmentsOf(new Map([...own].map(([driver, claims]) => [driver, claims.size])), shared);
}

/**
 * The volume that a pod attaches, or undefined where no CSI driver serves it or it cannot be known.
 *
 * Source: karpenter v1.14, scheduling/volumeusage.go, ResolveDriver.
 */
function attachedBy(pod: Pod, volume: PodVolume, objects: VolumeObjects): Attached | undefined {
  const found = claimOf(pod, volume, objects);
  if (isRejection(found)) return undefined;
  const volumeName = found?.volumeName;
  const driver =
    volumeName === undefined
      ? objects.classes.get(classNameOf(volume, found, objects))?.provisioner
      : objects.volumes.get(volumeName)?.csiDriver;
  if (driver === undefined) return undefined;
  return { claim: claimKeyOf(pod, volume), driver: SERVED_BY.get(driver) ?? driver };
}

/** Provisioners of old, by the CSI driver that stands in for them. Source: csi-translation-lib. */
const SERVED_BY: ReadonlyMap<string, string> = new Map([
  ['kubernetes.io/aws-ebs', 'ebs.csi.aws.com'],
]);
