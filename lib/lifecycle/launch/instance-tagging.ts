import { nodeTags } from '#lib/ec2/launch/tags.ts';
import { instanceIdOf, zoneOf } from '#lib/lifecycle/provider-id.ts';
import type { Surroundings } from '#lib/lifecycle/surroundings.ts';
import { CLUSTER_NAME_TAGGED, TAGGED } from '#lib/model/labels.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import { claimRef } from '#lib/model/object-ref.ts';
import type { Action } from '#lib/model/plan.ts';

/** How many instances one look tags: CreateTags takes from what launches need. */
const AT_ONCE = 30;

/**
 * Tags instances with the names of their Node and NodeClaim, where the cluster wants that: a few
 * in each look that has listed the instances anyway, so never while one is being launched. Tags
 * that are there stay as they are.
 *
 * Source: karpenter AWS provider v1.14, controllers/nodeclaim/tagging/controller.go, which tags one
 * a second as soon as it has registered.
 */
export function taggingActions(around: Surroundings): readonly Action[] {
  const { settings } = around.snapshot;
  if (settings.tagsNodes !== true || around.instances === undefined) return [];
  return around.claims
    .filter(isUntagged)
    .filter(({ status }) => !around.shiftedZones.has(zoneOf(status.providerId) ?? ''))
    .slice(0, AT_ONCE)
    .flatMap((claim) => tagging(claim, around));
}

const isUntagged = ({ meta, status }: NodeClaim): boolean =>
  status.nodeName !== undefined &&
  meta.deletedAt === undefined &&
  (meta.annotations[TAGGED] === undefined || meta.annotations[CLUSTER_NAME_TAGGED] === undefined);

function tagging(claim: NodeClaim, around: Surroundings): readonly Action[] {
  const instanceId = instanceIdOf(claim.status.providerId) ?? '';
  const instance = around.instances?.get(instanceId);
  if (instance === undefined) return [];
  const object = claimRef(claim);
  const names = { node: claim.status.nodeName ?? '', claim: claim.meta.name };
  const tags = nodeTags(names, instance.tags, around.snapshot.settings);
  const annotations = { [TAGGED]: 'true', [CLUSTER_NAME_TAGGED]: 'true' };
  return [
    ...(Object.keys(tags).length === 0
      ? []
      : [{ kind: 'tagInstance', instanceId, claim: object, tags } as const]),
    { kind: 'update', object, meta: { annotations } },
  ];
}
