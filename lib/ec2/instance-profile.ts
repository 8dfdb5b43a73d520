import { shortDigest } from '#lib/model/digest.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import { profileTags, type Tags } from './tags.ts';

/** An instance profile that Joinery keeps for a NodeClass. */
export interface InstanceProfile {
  readonly profile: string;
  /** Where IAM files it, so that those of one cluster and NodeClass can be listed. */
  readonly path: string;
  readonly role: string;
  readonly tags: Tags;
}

/** IAM takes 128 characters. Source: IAM API, CreateInstanceProfile. */
const DIGEST_LENGTH = 20;

/**
 * The instance profile by which a NodeClass's nodes get its role; undefined where the NodeClass
 * names a profile of its own. The name is fixed by NodeClass and role, so that a change of role
 * makes a new profile and nodes that run keep theirs.
 *
 * Source: karpenter AWS provider v1.14, providers/instanceprofile; there the name is random.
 */
export function instanceProfileOf(
  nodeClass: NodeClass,
  settings: Pick<ClusterSettings, 'clusterName' | 'region'>,
): InstanceProfile | undefined {
  const { meta, spec } = nodeClass;
  if (spec.role === undefined || spec.instanceProfile !== undefined) return undefined;
  const { clusterName, region } = settings;
  const role = spec.role.slice(spec.role.lastIndexOf('/') + 1);
  const digest = shortDigest(JSON.stringify([region, meta.name, meta.uid, role]), DIGEST_LENGTH);
  return {
    profile: `${clusterName}_${digest}`,
    path: `/karpenter/${region}/${clusterName}/${meta.uid}/`,
    role,
    tags: profileTags(nodeClass, settings),
  };
}
