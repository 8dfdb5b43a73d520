import type { AdmittedProblem, Packed } from '../attempt.ts';
import { allowanceIn } from '../opening/ledger.ts';
import type { PodGroup } from '../pods/pod-groups.ts';
import { take, type Waiting } from '../pods/waiting.ts';
import { together, type WishGivenUp } from '../wishes/wishes.ts';
import { type OpenPlan, reopened } from './open-plan.ts';
import { placeOne } from './place-one.ts';

/** How many groups are looked at again, one after the other, and how many pods get places so. */
const MOST_LOOKS = 500;
const MOST_PLACED = 2000;

/**
 * The plan with places for those it had left out that have one now that everything else stands.
 * Packing decides for many at once and does not go back: who was sent where nodes ran out, or
 * waited for somebody who went elsewhere, took turns with others for what limits allow, or was to
 * have a node of a heavier NodePool before its limits were used up, is looked at again, one pod at a time, as if all others were bound by now; until nobody else gets
 * a place. Nobody who has a place loses it.
 *
 * Cost: nothing where nobody is left out for limits or other pods; else groups × nodes, bounded.
 */
export function lookAgain(packed: Packed, problem: AdmittedProblem): Packed {
  const isRationed = problem.sources.some(
    ({ nodePool }) => allowanceIn(packed.ledger, nodePool) !== undefined,
  );
  const mayHaveChanged = ({ group }: Waiting): boolean => isRationed || dependsOnOthers(group);
  if (!packed.left.some(mayHaveChanged)) return packed;
  const plan = reopened(packed, problem);
  const left = packed.left.map((waiting): Waiting => ({ ...waiting }));
  const conceded = placeAll(left.filter(mayHaveChanged), plan);
  const { placements, claims, drafts, ledger } = plan;
  return {
    ...packed,
    placements,
    claims,
    drafts,
    ledger,
    left: left.filter((waiting) => waiting.left.length > 0),
    wishesGivenUp: together([...packed.wishesGivenUp, ...conceded]),
  };
}

/** Places as many as have places, and returns what they gave up. */
function placeAll(waiting: readonly Waiting[], plan: OpenPlan): readonly WishGivenUp[] {
  const conceded: WishGivenUp[] = [];
  let [looks, placed] = [0, 0];
  const hopeful = waiting.filter(({ group }) => plan.offers(group));
  for (let before = -1; before !== placed; ) {
    before = placed;
    for (const each of hopeful) {
      if (each.left.length === 0 || looks >= MOST_LOOKS) continue;
      looks += 1;
      const come = placeFrom(each, plan, MOST_PLACED - placed);
      placed += come.length;
      conceded.push(...come.flatMap(({ givenUp }) => givenUp));
    }
  }
  return conceded;
}

/** Whether other pods decide where pods of the group may be: for those alone nothing has changed. */
const dependsOnOthers = ({ standing, hostPorts, attachments }: PodGroup): boolean =>
  standing.byNode.length > 0 ||
  standing.byDomain.length > 0 ||
  hostPorts.length > 0 ||
  attachments.key !== '';

/** Places pods of one group until one has no place, at most so many; and what each gave up. */
function placeFrom(
  waiting: Waiting,
  plan: OpenPlan,
  most: number,
): readonly { readonly givenUp: readonly WishGivenUp[] }[] {
  const come: { readonly givenUp: readonly WishGivenUp[] }[] = [];
  while (come.length < most) {
    const [next] = waiting.left;
    const level = next && placeOne(plan, waiting.group, next);
    if (level === undefined) return come;
    const pods = take(waiting, 1);
    const wishes = waiting.group.levels[level]?.givenUp ?? [];
    come.push({ givenUp: wishes.map((wish) => ({ wish, pods })) });
  }
  return come;
}
