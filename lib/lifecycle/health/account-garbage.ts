import { compareText } from '#lib/constraints/order.ts';
import { groupNameOf } from '#lib/lifecycle/launch/launch-groups.ts';
import { instanceIdOf } from '#lib/lifecycle/provider-id.ts';
import type { Surroundings } from '#lib/lifecycle/surroundings.ts';
import type { Instance } from '#lib/model/instance.ts';
import { LAUNCH_GROUP } from '#lib/model/labels.ts';
import { nodeRef } from '#lib/model/object-ref.ts';
import type { Action } from '#lib/model/plan.ts';

/**
 * How old an instance must be before the want of a NodeClaim means something. The NodeClaim is
 * there before the call, and the call's answer is written down within one invocation; upstream,
 * which never stops between the two, waits 30 s.
 */
const INSTANCE_GRACE_MS = 2 * 60_000;
/** Longer than any launch is under way that has asked for a template and not used it yet. */
const TEMPLATE_GRACE_MS = 60 * 60_000;
/** The tag by which EC2 itself says which template an instance was launched with. */
const TEMPLATE_TAG = 'aws:ec2launchtemplate:id';

const NO_LIFE: ReadonlySet<Instance['state']> = new Set(['shutting-down', 'terminated']);

/**
 * Ends what stands in the account and serves nobody: instances that no NodeClaim holds nor waits
 * for, their Nodes with them, and launch templates that no instance was launched with. Nothing is
 * ended where a NodeClaim could not be read, nor where EC2 was not asked.
 *
 * Source: karpenter AWS provider v1.14, controllers/nodeclaim/garbagecollection; there templates
 * are deleted when a minute has passed since they were used, and made anew for the next launch.
 */
export function accountGarbage(around: Surroundings): readonly Action[] {
  const { instances, snapshot } = around;
  if (instances === undefined) return [];
  if (snapshot.leftOut.some(({ object }) => object.kind === 'NodeClaim')) return [];
  return [...strayInstances(around, [...instances.values()]), ...unusedTemplates(around)];
}

function strayInstances(around: Surroundings, instances: readonly Instance[]): readonly Action[] {
  const { nodes } = around.snapshot;
  const held = new Set(nodes.flatMap(({ claim }) => instanceIdOf(claim?.status.providerId) ?? []));
  // An instance of a group may yet be handed to a member that has none, and to no other.
  const awaited = new Set(
    nodes.flatMap(({ claim }) =>
      claim && claim.status.providerId === undefined ? (groupNameOf(claim)?.name ?? []) : [],
    ),
  );
  return instances
    .filter(({ zone }) => !around.shiftedZones.has(zone))
    .filter(({ id, state, launchedAt, tags }) => {
      const isOld = around.now - launchedAt >= INSTANCE_GRACE_MS;
      return (
        isOld && !NO_LIFE.has(state) && !held.has(id) && !awaited.has(tags[LAUNCH_GROUP] ?? '')
      );
    })
    .sort((a, b) => compareText(a.id, b.id))
    .flatMap(({ id }) => [
      { kind: 'terminateInstance', instanceId: id } as const,
      ...nodesOfStray(around, id),
    ]);
}

function nodesOfStray(around: Surroundings, instanceId: string): readonly Action[] {
  return around.snapshot.nodes.flatMap(({ node, claim }): readonly Action[] => {
    const isItsNode = claim === undefined && instanceIdOf(node?.providerId) === instanceId;
    if (!isItsNode || node === undefined || node.meta.deletedAt !== undefined) return [];
    return [{ kind: 'delete', object: nodeRef(node), because: 'its instance has no NodeClaim' }];
  });
}

function unusedTemplates({ instances, snapshot, now }: Surroundings): readonly Action[] {
  const used = new Set([...(instances?.values() ?? [])].map(({ tags }) => tags[TEMPLATE_TAG]));
  return (snapshot.launchTemplates ?? [])
    .filter(({ id, createdAt }) => now - createdAt >= TEMPLATE_GRACE_MS && !used.has(id))
    .sort((a, b) => compareText(a.name, b.name))
    .map(({ name }) => ({
      kind: 'deleteLaunchTemplate',
      name,
      because: 'no instance was launched with it',
    }));
}
