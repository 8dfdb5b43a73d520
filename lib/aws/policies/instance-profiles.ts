import { allow, ownedBy, type PolicyGroup, type PolicyPlace } from './statement.ts';

const profiles = ({ partition, accountId }: PolicyPlace): readonly string[] => [
  `arn:${partition}:iam::${accountId}:instance-profile/*`,
];

const tagsOf = (subject: 'ResourceTag' | 'RequestTag', place: PolicyPlace) => ({
  ...ownedBy(subject, place),
  [`aws:${subject}/topology.kubernetes.io/region`]: place.region,
});
const ofNodeClass = (subject: 'ResourceTag' | 'RequestTag') => ({
  [`aws:${subject}/karpenter.k8s.aws/ec2nodeclass`]: '*',
});

/**
 * Instance profiles of NodeClasses that name a role: made with the cluster's tags, changed and
 * deleted only where they have them; nor can one that is there be tagged into ours. The one role
 * that may be passed is the nodes' own.
 *
 * Source: karpenter AWS provider v1.14, CloudFormation, IAMIntegrationPolicy.
 */
export const instanceProfilePolicy: PolicyGroup = (place) => [
  allow('PassTheNodeRole', ['iam:PassRole'], [place.nodeRoleArn], {
    StringEquals: { 'iam:PassedToService': ['ec2.amazonaws.com', 'ec2.amazonaws.com.cn'] },
  }),
  allow('MakeProfilesTaggedOurs', ['iam:CreateInstanceProfile'], profiles(place), {
    StringEquals: tagsOf('RequestTag', place),
    StringLike: ofNodeClass('RequestTag'),
  }),
  allow('TagOurProfiles', ['iam:TagInstanceProfile'], profiles(place), {
    StringEquals: { ...tagsOf('RequestTag', place), ...tagsOf('ResourceTag', place) },
    StringLike: { ...ofNodeClass('RequestTag'), ...ofNodeClass('ResourceTag') },
  }),
  allow(
    'ChangeOurProfiles',
    [
      'iam:AddRoleToInstanceProfile',
      'iam:RemoveRoleFromInstanceProfile',
      'iam:DeleteInstanceProfile',
    ],
    profiles(place),
    {
      StringEquals: tagsOf('ResourceTag', place),
      StringLike: ofNodeClass('ResourceTag'),
    },
  ),
  allow('ReadProfiles', ['iam:GetInstanceProfile'], profiles(place)),
  allow('ListProfiles', ['iam:ListInstanceProfiles'], ['*']),
];
