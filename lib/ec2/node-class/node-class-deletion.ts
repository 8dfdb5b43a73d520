import { NODECLASS_FINALIZER } from '#lib/model/labels.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import type { NodeClassRemains } from '#lib/model/node-class-facts.ts';
import { nodeClassRef } from '#lib/model/object-ref.ts';
import type { Action } from '#lib/model/plan.ts';

/** How many NodeClaims an event names. Source: karpenter AWS provider v1.14, nodeclass/events. */
const NAMED = 5;

/**
 * The next step of a NodeClass that is being deleted. It stays while NodeClaims refer to it, then
 * while anything of it is left in the account; only when a look found nothing left, its finalizer
 * goes. What could not be looked up or deleted keeps it, and is told.
 *
 * Source: karpenter AWS provider v1.14, controllers/nodeclass/controller.go, finalize.
 */
export function nodeClassDeletion(
  nodeClass: NodeClass,
  claims: readonly string[],
  remains: NodeClassRemains | undefined,
): readonly Action[] {
  const object = nodeClassRef(nodeClass);
  const { finalizers } = nodeClass.meta;
  if (!finalizers.includes(NODECLASS_FINALIZER)) return [];
  if (claims.length > 0) {
    const named = claims.slice(0, NAMED).join(', ');
    return [
      {
        kind: 'recordEvent',
        about: object,
        type: 'Normal',
        reason: 'WaitingOnNodeClaimTermination',
        message: `Waiting on NodeClaim termination for ${named}`,
      },
    ];
  }
  if (remains === undefined) return [];
  const { leftBehind } = remains;
  if ('failed' in leftBehind) return [cannotFind(nodeClass, leftBehind.failed)];
  const deletions: readonly Action[] = [
    ...leftBehind.instanceProfiles.map(
      ({ name, roles }): Action => ({
        kind: 'deleteInstanceProfile',
        nodeClass: object,
        profile: name,
        roles,
      }),
    ),
    ...leftBehind.launchTemplates.map(
      (name): Action => ({
        kind: 'deleteLaunchTemplate',
        name,
        because: `EC2NodeClass ${nodeClass.meta.name} is being deleted`,
      }),
    ),
  ];
  if (deletions.length > 0) return deletions;
  const left = finalizers.filter((finalizer) => finalizer !== NODECLASS_FINALIZER);
  return [{ kind: 'update', object, meta: { finalizers: left } }];
}

const cannotFind = (nodeClass: NodeClass, because: string): Action => ({
  kind: 'recordEvent',
  about: nodeClassRef(nodeClass),
  type: 'Warning',
  reason: 'FinalizationFailed',
  message: `Cannot find out what is left in the account: ${because}`,
});
