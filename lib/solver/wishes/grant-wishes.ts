import type { Pod } from '#lib/model/pod.ts';
import type { Packed } from '../attempt.ts';
import type { TopologyRule } from '../topology/rule.ts';
import {
  type Granting,
  isPerNode,
  ruleFor,
  type TopologyWish,
  type TopologyWishes,
} from '../topology/wish-rules.ts';

/** The wishes of a pod that one packing keeps like rules. */
export type Granted = (pod: Pod) => readonly TopologyRule[];

/** The plan that regards no wish for company or distance. */
export const WISHLESS: Granted = () => [];

/** All wishes of all pods may make a plan this much dearer, and no more. */
const WORTH_OF_WISHES = 1.1;

/** How often wishes that leave pods without a node are taken out, and the rest is packed again. */
const MOST_ROUNDS = 4;

/** Which wishes are tried, the best first. */
const TRIALS: readonly Granting[] = [
  { perNode: true, perDomain: true },
  { perNode: true, perDomain: false },
  { perNode: false, perDomain: true },
];

/**
 * The plan that grants most wishes of those that place every pod that `plain` places and cost at
 * most a tenth more. Wishes are never worth a pod's place: whoever gets no node for his wishes
 * loses them. Nor do they move pods that wish nothing to lighter NodePools.
 *
 * Cost: up to twelve packings, if there are wishes.
 * Differs from karpenter v1.14, provisioning/scheduling/preferences.go, where a wish is granted
 * at any price as long as a node can be made.
 */
export function grantWishes(
  plain: Packed,
  wishes: TopologyWishes,
  packWith: (granted: Granted) => Packed,
): Packed {
  const nodes = plain.hosts.length + plain.claims.length;
  for (const trial of TRIALS) {
    const found = grant(trial, { plain, wishes, packWith, nodes });
    if (found) return found;
  }
  return plain;
}

interface Trial {
  readonly plain: Packed;
  readonly wishes: TopologyWishes;
  readonly packWith: (granted: Granted) => Packed;
  /** How many nodes pods can stand on. */
  readonly nodes: number;
}

function grant(
  { perNode, perDomain }: Granting,
  { plain, wishes, packWith, nodes }: Trial,
): Packed | undefined {
  const before = leftIn(plain);
  // Who gets no place without wishes has none to lose.
  const without = new Set(before);
  const ruleOf = (wish: TopologyWish): TopologyRule => ruleFor(wish, wishes.wishers(wish), nodes);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const isGranted = (pod: Pod, wish: TopologyWish): boolean =>
      !without.has(pod.meta.uid) && (isPerNode(wish) ? perNode : perDomain);
    const packed = packWith((pod) =>
      wishes
        .of(pod)
        .filter((wish) => isGranted(pod, wish))
        .map(ruleOf),
    );
    if (priceOf(packed) > priceOf(plain) * WORTH_OF_WISHES) return undefined;
    if (movesOthers(packed, plain, wishes)) return undefined;
    const left = leftIn(packed);
    const lost = [...left].filter((uid) => !before.has(uid));
    if (lost.length === 0) return packed;
    for (const uid of left) without.add(uid);
  }
  return undefined;
}

/** Whether a pod that wishes nothing is on a node of a lighter NodePool than it would be. */
function movesOthers(packed: Packed, plain: Packed, wishes: TopologyWishes): boolean {
  const before = new Map(
    plain.claims.flatMap(({ source, pods }) => pods.map((pod) => [pod, source.nodePool.weight])),
  );
  return packed.claims.some(({ source, pods }) =>
    pods.some(
      (pod) =>
        source.nodePool.weight < (before.get(pod) ?? Number.NEGATIVE_INFINITY) &&
        wishes.of(pod).length === 0,
    ),
  );
}

/** Uids of the pods that have no place. */
const leftIn = ({ left }: Packed): ReadonlySet<string> =>
  new Set(left.flatMap((waiting) => waiting.left.map(({ meta }) => meta.uid)));

const priceOf = ({ claims }: Packed): number =>
  claims.reduce((sum, { cheapest }) => sum + cheapest.offering.usdPerHour, 0);
