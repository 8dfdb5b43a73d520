import { CfnAccessEntry } from 'aws-cdk-lib/aws-eks';
import { CfnInstanceProfile, CfnRole, CfnServiceLinkedRole } from 'aws-cdk-lib/aws-iam';
import { Aws, CfnDeletionPolicy, type CfnResource } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { assumedBy } from './policy-document.ts';

/** What a node needs: to join, to give pods addresses, to pull images, to be reached by SSM. */
const NODE_POLICIES = [
  'AmazonEKSWorkerNodePolicy',
  'AmazonEKS_CNI_Policy',
  'AmazonEC2ContainerRegistryPullOnly',
  'AmazonSSMManagedInstanceCore',
];

/** What nodes live by stays when the stack goes: they may be meant to run on. */
function outlive(resource: CfnResource): void {
  resource.cfnOptions.deletionPolicy = CfnDeletionPolicy.RETAIN_EXCEPT_ON_CREATE;
  resource.cfnOptions.updateReplacePolicy = CfnDeletionPolicy.RETAIN;
}

/**
 * The role of the nodes, under a name that an EC2NodeClass can give, and an instance profile of it
 * for NodeClasses that name a profile instead.
 *
 * Source: EKS User Guide, node IAM role; karpenter AWS provider v1.14, CloudFormation.
 */
export class NodeRole extends Construct {
  readonly role: CfnRole;

  constructor(scope: Construct, roleName: string) {
    super(scope, 'NodeRole');
    this.role = new CfnRole(this, 'Role', {
      roleName,
      description: 'What the nodes that Joinery makes may do.',
      assumeRolePolicyDocument: assumedBy('ec2.amazonaws.com'),
      managedPolicyArns: NODE_POLICIES.map(
        (policy) => `arn:${Aws.PARTITION}:iam::aws:policy/${policy}`,
      ),
    });
    const profile = new CfnInstanceProfile(this, 'Profile', {
      instanceProfileName: roleName,
      roles: [this.role.ref],
    });
    outlive(this.role);
    outlive(profile);
  }
}

/**
 * Who may join the cluster as a node: the role that is made. One that was there has its access entry
 * already, or lives by aws-auth; a second one would be refused.
 *
 * Source: EKS User Guide, access entries: EC2_LINUX entries take no groups.
 */
export class NodeAccess extends Construct {
  constructor(scope: Construct, clusterName: string, { attrArn: principalArn }: CfnRole) {
    super(scope, 'NodeAccess');
    const entry = new CfnAccessEntry(this, 'Nodes', {
      clusterName,
      principalArn,
      type: 'EC2_LINUX',
    });
    outlive(entry);
  }
}

/**
 * Access entries of the functions' roles, which speak to the cluster's API as the group that its role
 * bindings name.
 *
 * Source: EKS User Guide, access entries: STANDARD entries take groups whose names do not start
 * with `system:`.
 */
export class AccessEntries extends Construct {
  constructor(
    scope: Construct,
    props: {
      readonly clusterName: string;
      /** By the names of their functions. */
      readonly functionRoleArns: Readonly<Record<string, string>>;
    },
  ) {
    super(scope, 'AccessEntries');
    for (const [name, principalArn] of Object.entries(props.functionRoleArns)) {
      new CfnAccessEntry(this, name[0]?.toUpperCase() + name.slice(1), {
        clusterName: props.clusterName,
        principalArn,
        type: 'STANDARD',
        kubernetesGroups: [KUBERNETES_GROUP],
      });
    }
  }
}

/** The group that infra/cluster/rbac.yaml binds its roles to. */
const KUBERNETES_GROUP = 'joinery';

/** The role by which EC2 runs spot instances for an account; there is one at most in each account. */
export class SpotServiceLinkedRole extends Construct {
  constructor(scope: Construct) {
    super(scope, 'SpotServiceLinkedRole');
    new CfnServiceLinkedRole(this, 'Role', { awsServiceName: 'spot.amazonaws.com' });
  }
}
