import { profileTags, type Tags } from '#lib/ec2/launch/tags.ts';
import { shortDigest } from '#lib/model/digest.ts';
import { INSTANCE_PROFILE_NAME } from '#lib/model/labels.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import type { FoundInstanceProfile } from '#lib/model/node-class-facts.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import type { EpochMs } from '#lib/model/time.ts';

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
 * Where IAM files the instance profiles of a NodeClass, Karpenter's own ones included.
 *
 * Source: karpenter AWS provider v1.14, apis/v1/ec2nodeclass.go, InstanceProfilePath.
 */
export const profilePathOf = (
  { meta }: Pick<NodeClass, 'meta'>,
  { clusterName, region }: Pick<ClusterSettings, 'clusterName' | 'region'>,
): string => `/karpenter/${region}/${clusterName}/${meta.uid}/`;

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
    path: profilePathOf(nodeClass, settings),
    role,
    tags: profileTags(nodeClass, settings),
  };
}

/** How long a profile may be on its way into a status. Source: provider v1.14, protection. */
const YOUNG_MS = 60 * 60_000;

/**
 * The profiles kept for a NodeClass that nobody needs any more: neither its status nor one of its
 * NodeClaims names them, and they are an hour old. A NodeClaim that does not say which profile it
 * was launched with may use any.
 *
 * Source: karpenter AWS provider v1.14, controllers/nodeclass/garbagecollection.
 */
export function unneededProfiles(
  nodeClass: NodeClass,
  found: readonly FoundInstanceProfile[],
  { current, claims, settings, now }: ProfileUse,
): readonly FoundInstanceProfile[] {
  const named = claims.map(({ meta }) => meta.annotations[INSTANCE_PROFILE_NAME]);
  if (named.includes(undefined)) return [];
  const wanted = instanceProfileOf(nodeClass, settings)?.profile;
  const needed = new Set([...named, nodeClass.status.instanceProfile, current, wanted]);
  return found.filter(({ name, createdAt }) => !needed.has(name) && now - createdAt >= YOUNG_MS);
}

/** Who may use the profiles of a NodeClass. */
interface ProfileUse {
  /** The one that the NodeClass's status will name. */
  readonly current: string | undefined;
  readonly claims: readonly NodeClaim[];
  readonly settings: Pick<ClusterSettings, 'clusterName' | 'region'>;
  readonly now: EpochMs;
}
