import { compareText } from '#lib/constraints/order.ts';
import { nodeClassStamps } from '#lib/ec2/node-class/node-class-stamps.ts';
import { shortDigest } from '#lib/model/digest.ts';
import { FOR_PODS, LAUNCH_GROUP } from '#lib/model/labels.ts';
import type { NewNodeClaim } from '#lib/model/node-claim.ts';
import type { Action } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { type NamedClaim, newNodeClaim, podName } from './new-node-claim.ts';

/** The action that creates a NodeClaim. */
export type Creation = Extract<Action, { readonly kind: 'createNodeClaim' }>;

/**
 * The creation of each NodeClaim. Those that ask for the same are one launch group: one CreateFleet
 * call will ask for all of them. Each bears the hash of its EC2NodeClass.
 */
export function creationsOf(
  named: readonly NamedClaim[],
  { takenAt, nodeClasses, settings }: Pick<Snapshot, 'takenAt' | 'nodeClasses' | 'settings'>,
): readonly Creation[] {
  const stamps = new Map(
    nodeClasses.map((each) => [each.meta.name, nodeClassStamps(each, settings)]),
  );
  const drafted = named.map((each) => {
    const claim = newNodeClaim(each);
    const stamp = stamps.get(claim.spec.nodeClassRef.name);
    return { each, claim: { ...claim, annotations: { ...claim.annotations, ...stamp } } };
  });
  const groups = Map.groupBy(drafted, ({ claim }) => launchKey(claim));
  const annotations = new Map<string, string>();
  for (const members of groups.values()) {
    const names = members.map(({ claim }) => claim.name).sort(compareText);
    const id = shortDigest([takenAt, ...names].join(' '), 12);
    for (const name of names) annotations.set(name, `${id}/${names.length}`);
  }
  return drafted.map(({ each, claim }) => ({
    kind: 'createNodeClaim',
    claim: {
      ...claim,
      annotations: { ...claim.annotations, [LAUNCH_GROUP]: annotations.get(claim.name) ?? '' },
    },
    forPods: each.sealed.pods.map(podName),
  }));
}

/**
 * What two NodeClaims must share to be launched by one call: everything but the pods they are for.
 * Every type that a NodeClaim lists holds what it requests, so amounts may differ; the kinds of
 * resources may not, because some (EFA) shape the launch template.
 */
function launchKey({ owner, labels, annotations, spec }: NewNodeClaim): string {
  const { [FOR_PODS]: _, ...shared } = annotations;
  const sorted = (record: Readonly<Record<string, unknown>>): unknown =>
    Object.entries(record).sort(([a], [b]) => compareText(a, b));
  const requests = Object.keys(spec.requests).sort(compareText);
  return JSON.stringify([owner.name, sorted(labels), sorted(shared), { ...spec, requests }]);
}
