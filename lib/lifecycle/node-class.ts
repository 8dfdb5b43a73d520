import { byName, compareText } from '#lib/constraints/order.ts';
import { nodeClassActions } from '#lib/ec2/node-class/node-class-actions.ts';
import { isServed } from '#lib/model/node-pool.ts';
import type { Action } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { grouped } from './surroundings.ts';

/**
 * The next step of every EC2NodeClass, by name: its selectors resolved as far as AWS was asked, its
 * finalizer kept while NodeClaims refer to it.
 */
export function resolveNodeClasses(snapshot: Snapshot): readonly Action[] {
  const claims = grouped(
    snapshot.nodes.flatMap(({ claim }) =>
      claim && isServed(claim.spec.nodeClassRef) ? [claim] : [],
    ),
    ({ spec }) => spec.nodeClassRef.name,
  );
  const unreadClaims = snapshot.leftOut
    .filter(({ object }) => object.kind === 'NodeClaim')
    .map(({ object }) => object.name)
    .sort(compareText);
  const facts = new Map(snapshot.nodeClassFacts.map((each) => [each.nodeClass, each]));
  const remains = new Map((snapshot.nodeClassRemains ?? []).map((each) => [each.nodeClass, each]));
  return [...snapshot.nodeClasses].sort(byName).flatMap((nodeClass) => {
    const { name } = nodeClass.meta;
    const found = facts.get(name);
    const left = remains.get(name);
    const instanceTypes = snapshot.catalog.byNodeClass.get(name);
    return nodeClassActions(nodeClass, {
      ...(found && { facts: found }),
      ...(left && { remains: left }),
      ...(instanceTypes && { instanceTypes }),
      claims: [...(claims.get(name) ?? [])].sort(byName),
      unreadClaims,
      settings: snapshot.settings,
      now: snapshot.takenAt,
    });
  });
}
