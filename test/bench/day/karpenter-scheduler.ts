/**
 * Karpenter's scheduler, restated for pods that ask for nothing but room: the largest first, each on
 * the first node that holds it, else on the new node with the fewest pods that some type can still
 * hold, else on one more. Prices have no say until a node is bought.
 *
 * Source: karpenter v1.14, provisioning/scheduling/{scheduler,queue,nodeclaim}.go.
 */
import { chain, compareText } from '#lib/constraints/order.ts';
import { isRejection } from '#lib/constraints/rejection.ts';
import { firstUntolerated } from '#lib/constraints/taints.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { type Admission, type Choice, createAdmissions } from '#lib/solver/admission.ts';
import { type Amounts, amountsOf, hasRoom, plus } from '#lib/solver/amounts.ts';
import { groundOf } from '#lib/solver/ground.ts';
import { hostsOf } from '#lib/solver/hosts/hosts.ts';
import { byPrice } from '#lib/solver/opening/by-price.ts';
import { openDraft } from '#lib/solver/opening/draft.ts';
import { type SealedClaim, sealDraft } from '#lib/solver/opening/seal.ts';

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
  readonly admission: Admission;
  /** The types that hold all its pods. */
  choices: readonly Choice[];
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
  const admissions = createAdmissions();
  const templates = sources
    .map(admissions.open)
    .flatMap((each) => (isRejection(each) ? [] : [each]));
  const opened: Opened[] = [];
  const placements: { pod: Pod; host: string }[] = [];
  const refused: Pod[] = [];
  for (const pod of pods.toSorted(largestFirst)) {
    const asked = amountsOf(pod.requests, axes);
    const room = rooms.find(({ free, used }) => hasRoom(free, used, asked));
    if (room) {
      room.used = plus(room.used, asked);
      placements.push({ pod, host: room.name });
    } else if (!joins(opened, pod, asked) && !opens(opened, templates, pod, asked)) {
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

const holding = (choices: Iterable<Choice>, used: Amounts, asked: Amounts): readonly Choice[] =>
  [...choices].filter(({ sourceType }) => hasRoom(sourceType.roomAmounts, used, asked));

function joins(opened: Opened[], pod: Pod, asked: Amounts): boolean {
  opened.sort((a, b) => a.pods.length - b.pods.length);
  for (const each of opened) {
    const choices = holding(each.choices, each.used, asked);
    if (choices.length === 0) continue;
    each.choices = choices;
    each.used = plus(each.used, asked);
    each.pods.push(pod);
    return true;
  }
  return false;
}

function opens(
  opened: Opened[],
  templates: readonly Admission[],
  pod: Pod,
  asked: Amounts,
): boolean {
  for (const admission of templates) {
    const choices = holding(admission.choices.values(), [], asked);
    if (choices.length === 0) continue;
    opened.push({ admission, choices, used: asked, pods: [pod] });
    return true;
  }
  return false;
}

/** Source: karpenter v1.14, nodeclaimtemplate.go, MaxInstanceTypes. */
const MOST_TYPES = 60;

function sealed({ admission, choices, pods }: Opened): SealedClaim {
  const listed = choices.toSorted(byPrice).slice(0, MOST_TYPES);
  const [cheapest] = listed;
  if (!cheapest) throw new Error('expected a type that holds the pods, found none');
  return sealDraft(openDraft(admission, cheapest, undefined), pods, listed);
}
