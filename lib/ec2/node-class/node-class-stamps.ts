import { DRIFTED } from '#lib/model/condition-types.ts';
import { conditionOf } from '#lib/model/conditions.ts';
import {
  INSTANCE_PROFILE_NAME,
  NODECLASS_HASH,
  NODECLASS_HASH_VERSION,
} from '#lib/model/labels.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import { claimRef } from '#lib/model/object-ref.ts';
import type { Action } from '#lib/model/plan.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import { NODECLASS_HASH_VERSION_VALUE, nodeClassHash } from './node-class-hash.ts';

type HashSettings = Pick<ClusterSettings, 'clusterCa'>;
type Stamps = Readonly<Record<string, string>>;

/** The annotations by which an EC2NodeClass tells whether it has changed. */
export const hashStamps = (nodeClass: NodeClass, settings: HashSettings): Stamps => ({
  [NODECLASS_HASH]: nodeClassHash(nodeClass, settings),
  [NODECLASS_HASH_VERSION]: NODECLASS_HASH_VERSION_VALUE,
});

/**
 * What a new NodeClaim says of the EC2NodeClass that it is made of: its hash, and the profile.
 *
 * Source: karpenter AWS provider v1.14, cloudprovider/cloudprovider.go, Create.
 */
export const nodeClassStamps = (nodeClass: NodeClass, settings: HashSettings): Stamps => {
  const { instanceProfile } = nodeClass.status;
  return {
    ...hashStamps(nodeClass, settings),
    ...(instanceProfile === undefined ? {} : { [INSTANCE_PROFILE_NAME]: instanceProfile }),
  };
};

/**
 * Re-stamps the NodeClaims of an EC2NodeClass whose hash was made in another way, so that the new
 * way alone makes nothing drift; one that has drifted already keeps its hash, and so stays
 * drifted. One without an instance and without a hash has nothing to keep. Nothing where the
 * NodeClass bears our version: its NodeClaims were seen to before.
 *
 * Source: karpenter AWS provider v1.14, controllers/nodeclass/hash/controller.go.
 */
export function claimRestamps(
  nodeClass: NodeClass,
  claims: readonly NodeClaim[],
  settings: HashSettings,
): readonly Action[] {
  if (nodeClass.meta.annotations[NODECLASS_HASH_VERSION] === NODECLASS_HASH_VERSION_VALUE)
    return [];
  const { [NODECLASS_HASH]: hash, ...version } = hashStamps(nodeClass, settings);
  return claims
    .filter(({ meta, status }) => {
      const version = meta.annotations[NODECLASS_HASH_VERSION];
      const isMade = version !== undefined || status.providerId !== undefined;
      return isMade && meta.deletedAt === undefined && version !== NODECLASS_HASH_VERSION_VALUE;
    })
    .map((claim) => {
      const hasDrifted = conditionOf(claim.status.conditions, DRIFTED) !== undefined;
      const annotations = {
        ...version,
        ...(hasDrifted || hash === undefined ? {} : { [NODECLASS_HASH]: hash }),
      };
      return { kind: 'update', object: claimRef(claim), meta: { annotations } };
    });
}
