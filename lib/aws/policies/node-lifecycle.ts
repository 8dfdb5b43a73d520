import { allow, ec2Arns, ownedBy, type PolicyGroup, type PolicyPlace } from './statement.ts';

/** What a fleet and a launch template make. */
const MADE = [
  'fleet',
  'instance',
  'volume',
  'network-interface',
  'launch-template',
  'spot-instances-request',
];
/** What a launch only uses, whoever made it. */
const USED = ['security-group', 'subnet', 'capacity-reservation', 'placement-group'];

/** That something of a NodePool of this cluster is being made. */
const asOurs = (place: PolicyPlace) => ({
  StringEquals: ownedBy('RequestTag', place),
  StringLike: { 'aws:RequestTag/karpenter.sh/nodepool': '*' },
});

/** That something is of a NodePool of this cluster. */
const ifOurs = (place: PolicyPlace) => ({
  StringEquals: ownedBy('ResourceTag', place),
  StringLike: { 'aws:ResourceTag/karpenter.sh/nodepool': '*' },
});

/** The tags that are put on an instance once its Node is known; no other may be set afterwards. */
const LATER_TAGS = ['karpenter.sh/nodeclaim', 'Name'];

/**
 * Launching and ending nodes. Whatever is made carries the cluster's tags from its first moment,
 * and only what carries them can be tagged further or ended: so another cluster's machines, and
 * those that nobody's NodePool made, are out of reach.
 *
 * Source: karpenter AWS provider v1.14, CloudFormation, NodeLifecyclePolicy, which asks for the tag
 * kubernetes.io/cluster/<name> beside this one.
 */
export const nodeLifecyclePolicy: PolicyGroup = (place) => [
  allow(
    'LaunchWithWhatIsThere',
    ['ec2:RunInstances', 'ec2:CreateFleet'],
    [...ec2Arns(place, '', ['image', 'snapshot']), ...ec2Arns(place, '*', USED)],
  ),
  allow(
    'LaunchFromOurTemplates',
    ['ec2:RunInstances', 'ec2:CreateFleet'],
    ec2Arns(place, '*', ['launch-template']),
    ifOurs(place),
  ),
  allow(
    'MakeWhatIsTaggedOurs',
    ['ec2:RunInstances', 'ec2:CreateFleet', 'ec2:CreateLaunchTemplate'],
    ec2Arns(place, '*', MADE),
    asOurs(place),
  ),
  allow('TagWhatIsBeingMade', ['ec2:CreateTags'], ec2Arns(place, '*', MADE), {
    ...asOurs(place),
    StringEquals: {
      ...asOurs(place).StringEquals,
      'ec2:CreateAction': ['RunInstances', 'CreateFleet', 'CreateLaunchTemplate'],
    },
  }),
  allow('NameOurInstances', ['ec2:CreateTags'], ec2Arns(place, '*', ['instance']), {
    ...ifOurs(place),
    'ForAllValues:StringEquals': { 'aws:TagKeys': LATER_TAGS },
  }),
  allow(
    'EndOurInstances',
    ['ec2:TerminateInstances'],
    ec2Arns(place, '*', ['instance']),
    ifOurs(place),
  ),
];

/** Clearing away launch templates that nobody uses any more, where they are the cluster's. */
export const templateUpkeepPolicy: PolicyGroup = (place) => [
  allow(
    'DeleteOurTemplates',
    ['ec2:DeleteLaunchTemplate'],
    ec2Arns(place, '*', ['launch-template']),
    ifOurs(place),
  ),
];
