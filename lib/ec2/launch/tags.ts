import { compareText } from '#lib/constraints/order.ts';
import { LAUNCH_GROUP, NODECLASS, NODEPOOL, REGION } from '#lib/model/labels.ts';
import type { Json } from '#lib/model/launch.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';

/** Tags by key. */
export type Tags = Readonly<Record<string, string>>;

/** The tag by which everything of one cluster is found. */
const CLUSTER_NAME_TAG = 'eks:eks-cluster-name';
const CLUSTER_TAG_PREFIX = 'kubernetes.io/cluster/';
const NODECLAIM_TAG = 'karpenter.sh/nodeclaim';
const OWN_TAGS: ReadonlySet<string> = new Set([
  CLUSTER_NAME_TAG,
  NODEPOOL,
  NODECLAIM_TAG,
  NODECLASS,
]);
/** Source: EKS API, CreateCluster, name. */
const CLUSTER_TAG = /^kubernetes\.io\/cluster\/[0-9A-Za-z][A-Za-z0-9\-_]*$/;

/** The tags that every resource of a cluster carries. */
const clusterTags = ({ clusterName }: Pick<ClusterSettings, 'clusterName'>): Tags => ({
  [`${CLUSTER_TAG_PREFIX}${clusterName}`]: 'owned',
  [CLUSTER_NAME_TAG]: clusterName,
});

/** Whether a NodePool of this cluster had something made, by its tags. */
export const isTaggedFor = (tags: Tags, clusterName: string): boolean =>
  tags[CLUSTER_NAME_TAG] === clusterName && tags[NODEPOOL] !== undefined;

/**
 * The tags of whatever is launched for a claim: the NodeClass's own, overlaid by those that say
 * whose it is. IAM conditions of Karpenter's policies ask for exactly these.
 *
 * Source: karpenter AWS provider v1.14, utils/utils.go, GetTags.
 */
export const launchTags = (
  nodeClass: NodeClass,
  nodePool: string,
  settings: Pick<ClusterSettings, 'clusterName'>,
): Tags => ({
  ...nodeClass.spec.tags,
  ...clusterTags(settings),
  [NODEPOOL]: nodePool,
  [NODECLASS]: nodeClass.meta.name,
});

/**
 * What instances carry besides: the launch that they came from, so that one whose answer was lost
 * is found again; and their claim, where only one can be meant.
 */
export const instanceTags = (group: string, claims: readonly NodeClaim[]): Tags => {
  const [only, ...others] = claims;
  return {
    [LAUNCH_GROUP]: group,
    ...(only !== undefined && others.length === 0 ? { [NODECLAIM_TAG]: only.meta.name } : {}),
  };
};

/** The tags by which the launch templates of a NodeClass are found, whoever made them. */
export const templateTagsOf = (
  { meta }: Pick<NodeClass, 'meta'>,
  settings: Pick<ClusterSettings, 'clusterName'>,
): Tags => ({ [CLUSTER_NAME_TAG]: settings.clusterName, [NODECLASS]: meta.name });

/**
 * What an instance is tagged with once its Node has joined, of which `present` are there already.
 *
 * Source: karpenter AWS provider v1.14, controllers/nodeclaim/tagging/controller.go.
 */
export function nodeTags(
  names: { readonly node: string; readonly claim: string },
  present: Tags,
  { clusterName }: Pick<ClusterSettings, 'clusterName'>,
): Tags {
  const wanted = {
    Name: names.node,
    [NODECLAIM_TAG]: names.claim,
    [CLUSTER_NAME_TAG]: clusterName,
  };
  return Object.fromEntries(Object.entries(wanted).filter(([key]) => present[key] === undefined));
}

/** The tags of a NodeClass's instance profile. */
export const profileTags = (
  nodeClass: NodeClass,
  settings: Pick<ClusterSettings, 'clusterName' | 'region'>,
): Tags => ({
  ...nodeClass.spec.tags,
  ...clusterTags(settings),
  [NODECLASS]: nodeClass.meta.name,
  [REGION]: settings.region,
});

/** What EC2 takes. Source: EC2 User Guide, tag restrictions. */
const MOST_TAGS = 50;
const LONGEST_KEY = 128;
const LONGEST_VALUE = 256;
/** The most that Joinery adds to a NodeClass's tags on any one resource: an instance's. */
const ROOM_FOR_OURS = 7;

/**
 * What is wrong with the tags that a NodeClass sets, as a sentence about the first by key;
 * undefined where nothing is: a key that only Joinery may set, that AWS keeps for itself, or that
 * EC2 would not take.
 *
 * Source: karpenter AWS provider v1.14, apis/v1/ec2nodeclass.go, RestrictedTagPatterns; EC2 User
 * Guide, tag restrictions.
 */
export function tagsProblem(tags: Tags): string | undefined {
  const entries = Object.entries(tags).sort(([a], [b]) => compareText(a, b));
  const room = MOST_TAGS - ROOM_FOR_OURS;
  if (entries.length > room) {
    return `${entries.length} tags are set, and EC2 leaves room for ${room} beside Joinery's own`;
  }
  return entries
    .map(([key, value]) => tagProblem(key, value))
    .find((problem) => problem !== undefined);
}

function tagProblem(key: string, value: string): string | undefined {
  if (OWN_TAGS.has(key) || CLUSTER_TAG.test(key)) {
    return `The tag ${key} is not the user's to set`;
  }
  if (/^aws:/i.test(key)) return `The tag ${key} is AWS's own to set, as all that begin with aws:`;
  if (key === '') return 'A tag has no key';
  if ([...key].length > LONGEST_KEY) {
    return `The key of the tag ${key} is longer than the ${LONGEST_KEY} characters that EC2 takes`;
  }
  if ([...value].length > LONGEST_VALUE) {
    return `The value of the tag ${key} is longer than the ${LONGEST_VALUE} characters that EC2 takes`;
  }
  return undefined;
}

/** The tags of one kind of resource, as EC2's create calls take them, sorted by key. */
export const tagSpecification = (resource: string, tags: Tags): Json => ({
  ResourceType: resource,
  Tags: Object.entries(tags)
    .sort(([a], [b]) => compareText(a, b))
    .map(([key, value]) => ({ Key: key, Value: value })),
});
