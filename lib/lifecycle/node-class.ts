import { nodeClassActions } from '#lib/ec2/node-class-actions.ts';
import type { Action } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';

/**
 * What all EC2NodeClasses need: status, finalizer, hash, instance profile. By name.
 * O(NodeClasses × NodeClaims).
 */
export function resolveNodeClasses(snapshot: Snapshot): readonly Action[] {
  const { settings, takenAt: now } = snapshot;
  const facts = new Map(snapshot.nodeClassFacts.map((found) => [found.nodeClass, found]));
  const claims = snapshot.nodes.flatMap(({ claim }) => claim ?? []);
  return snapshot.nodeClasses.flatMap((nodeClass) => {
    const { name } = nodeClass.meta;
    const found = facts.get(name);
    const users = claims
      .filter(({ spec }) => spec.nodeClassRef.name === name)
      .map(({ meta }) => meta.name)
      .sort();
    return nodeClassActions(nodeClass, {
      claims: users,
      settings,
      now,
      ...(found === undefined ? {} : { facts: found }),
    });
  });
}
