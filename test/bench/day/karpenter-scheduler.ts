/**
 * Karpenter's scheduler, restated for pods that ask for nothing but room: the largest first, each on
 * the first node that holds it, else on the new node with the fewest pods that some type can still
 * hold, else on one more. Prices have no say until a node is bought.
 *
 * Source: karpenter v1.14, provisioning/scheduling/{scheduler,queue,nodeclaim}.go.
 */
import { chain, compareText } from '#lib/constraints/order.ts';
import { requirementOf } from '#lib/constraints/requirement.ts';
import { addResources, minResources, type Resources } from '#lib/constraints/resources.ts';
import { firstUntolerated } from '#lib/constraints/taints.ts';
import { CAPACITY_TYPE, INSTANCE_TYPE } from '#lib/model/labels.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { type Amounts, amountsOf, hasRoom, plus } from '#lib/solver/amounts.ts';
import { groundOf } from '#lib/solver/ground.ts';
import { hostsOf } from '#lib/solver/hosts/hosts.ts';
import type { SealedClaim } from '#lib/solver/opening/seal.ts';
import type { Source, SourceType } from '#lib/solver/sources.ts';

/** Where pods go. */
export interface Scheduled {
  readonly claims: readonly SealedClaim[];
  /** Names of StateNodes. */
  readonly placements: readonly { readonly pod: Pod; readonly host: string }[];
  /** Pods that no node can hold. */
  readonly refused: readonly Pod[];
}

interface Room {
  readonly name: string;
  readonly free: Amounts;
  used: Amounts;
}

interface Opened {
  readonly source: Source;
  types: readonly SourceType[];
  used: Amounts;
  readonly pods: Pod[];
}

/**
 * What one pass of Karpenter's makes of these pods; nodes that are not to be used are not in
 * `snapshot`. Cost: pods × nodes.
 */
export function scheduledByKarpenter(snapshot: Snapshot, pods: readonly Pod[]): Scheduled {
  const { axes, sources, daemonSets } = groundOf(snapshot, pods);
  const rooms = hostsOf({ ...snapshot, daemonSets }, new Map(), axes)
    .filter(({ taints }) => firstUntolerated(taints, []) === undefined)
    .map(({ name, free }): Room => ({ name, free, used: axes.map(() => 0) }));
  const opened: Opened[] = [];
  const placements: { pod: Pod; host: string }[] = [];
  const refused: Pod[] = [];
  for (const pod of pods.toSorted(largestFirst)) {
    const asked = amountsOf(pod.requests, axes);
    const room = rooms.find(({ free, used }) => hasRoom(free, used, asked));
    if (room) {
      room.used = plus(room.used, asked);
      placements.push({ pod, host: room.name });
    } else if (!joins(opened, pod, asked) && !opens(opened, sources, pod, asked)) {
      refused.push(pod);
    }
  }
  return { claims: opened.map(sealed), placements, refused };
}

/** Source: karpenter v1.14, queue.go, byCPUAndMemoryDescending. */
const largestFirst = chain<Pod>(
  (a, b) => (b.requests.cpu ?? 0) - (a.requests.cpu ?? 0),
  (a, b) => (b.requests.memory ?? 0) - (a.requests.memory ?? 0),
  (a, b) => a.meta.createdAt - b.meta.createdAt,
  (a, b) => compareText(a.meta.uid, b.meta.uid),
);

function joins(opened: Opened[], pod: Pod, asked: Amounts): boolean {
  opened.sort((a, b) => a.pods.length - b.pods.length);
  for (const each of opened) {
    const types = each.types.filter((type) => hasRoom(type.roomAmounts, each.used, asked));
    if (types.length === 0) continue;
    each.types = types;
    each.used = plus(each.used, asked);
    each.pods.push(pod);
    return true;
  }
  return false;
}

function opens(opened: Opened[], sources: readonly Source[], pod: Pod, asked: Amounts): boolean {
  for (const source of sources) {
    const types = source.types.filter(
      ({ offerings, roomAmounts }) => offerings.length > 0 && hasRoom(roomAmounts, [], asked),
    );
    if (types.length === 0) continue;
    opened.push({ source, types, used: asked, pods: [pod] });
    return true;
  }
  return false;
}

/** Source: karpenter v1.14, nodeclaimtemplate.go, MaxInstanceTypes. */
const MOST_TYPES = 60;

function sealed({ source, types, pods }: Opened): SealedClaim {
  const listed = types.toSorted(cheapestFirst).slice(0, MOST_TYPES);
  const [first] = listed;
  const [offering] = first?.offerings ?? [];
  if (!first || !offering) throw new Error('expected a type that holds the pods, found none');
  const capacityTypes = listed.flatMap(({ offerings }) =>
    offerings.map(({ capacityType }) => capacityType),
  );
  const asked = pods.reduce<Resources>((sum, { requests }) => addResources(sum, requests), {});
  const oneOf = (key: string, values: readonly string[]) =>
    [
      key,
      requirementOf({ key, operator: 'In', values: [...new Set(values)].sort(compareText) }),
    ] as const;
  return {
    source,
    instanceTypes: listed.map(({ type }) => type.name),
    requirements: new Map([
      ...source.requirements,
      oneOf(
        INSTANCE_TYPE,
        listed.map(({ type }) => type.name),
      ),
      oneOf(CAPACITY_TYPE, capacityTypes),
    ]),
    requests: addResources(asked, minResources(listed.map(({ daemonRequests }) => daemonRequests))),
    pods,
    cheapest: { instanceType: first.type.name, offering },
    hasLoweredMinimums: false,
  };
}

const cheapestFirst = (a: SourceType, b: SourceType): number =>
  (a.offerings[0]?.usdPerHour ?? 0) - (b.offerings[0]?.usdPerHour ?? 0) ||
  compareText(a.type.name, b.type.name);
