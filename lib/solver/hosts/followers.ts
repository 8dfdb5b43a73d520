import { wantsCompany } from '../opening/gather.ts';
import type { Waiting } from '../pods/waiting.ts';
import type { TopologyRule } from '../topology/rule.ts';

/**
 * Puts one group after another on nodes that are there by `place`, and after each at once those
 * among `candidates` that must share a node with pods of it, before others take the room beside
 * them: a pod that comes before the one which it must be near has been tried in vain.
 *
 * Cost: for each group that others must be near, the groups that must be near somebody.
 */
export function placeAll(
  waiting: readonly Waiting[],
  candidates: readonly Waiting[],
  place: (each: Waiting) => void,
): void {
  const followers = candidates.filter(({ group }) => wantsCompany(group));
  const placeWithFollowers = (leader: Waiting): void => {
    const before = leader.left.length;
    if (before > 0) place(leader);
    if (leader.left.length === before || followers.length === 0) return;
    for (const follower of followersOf(leader, followers)) placeWithFollowers(follower);
  };
  for (const each of waiting) placeWithFollowers(each);
}

function followersOf(leader: Waiting, followers: readonly Waiting[]): readonly Waiting[] {
  const served = new Set<TopologyRule>();
  for (const { rule, selected } of leader.group.standing.byNode) {
    if (selected && rule.kind === 'affinity') served.add(rule);
  }
  if (served.size === 0) return [];
  return followers.filter(
    (each) =>
      each !== leader &&
      each.group.standing.byNode.some(({ rule, owns }) => owns && served.has(rule)),
  );
}
