import { CfnAccessEntry } from 'aws-cdk-lib/aws-eks';
import { CfnInstanceProfile, CfnRole, CfnServiceLinkedRole } from 'aws-cdk-lib/aws-iam';
import { Aws } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { assumedBy } from './policy-document.ts';

/** What a node needs: to join, to give pods addresses, to pull images, to be reached by SSM. */
const NODE_POLICIES = [
  'AmazonEKSWorkerNodePolicy',
  'AmazonEKS_CNI_Policy',
  'AmazonEC2ContainerRegistryPullOnly',
  'AmazonSSMManagedInstanceCore',
];

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
    new CfnInstanceProfile(this, 'Profile', {
      instanceProfileName: roleName,
      roles: [this.role.ref],
    });
  }
}

/**
 * Access entries: who may join the cluster as a node, and which roles speak to its API as the group
 * that the cluster's role bindings name.
 *
 * Source: EKS User Guide, access entries: STANDARD entries take groups whose names do not start
 * with `system:`; EC2_LINUX entries take none.
 */
export class AccessEntries extends Construct {
  constructor(
    scope: Construct,
    props: {
      readonly clusterName: string;
      readonly nodeRoleArn: string;
      /** By the names of their functions. */
      readonly functionRoleArns: Readonly<Record<string, string>>;
    },
  ) {
    super(scope, 'AccessEntries');
    const { clusterName } = props;
    new CfnAccessEntry(this, 'Nodes', {
      clusterName,
      principalArn: props.nodeRoleArn,
      type: 'EC2_LINUX',
    });
    for (const [name, principalArn] of Object.entries(props.functionRoleArns)) {
      new CfnAccessEntry(this, name[0]?.toUpperCase() + name.slice(1), {
        clusterName,
        principalArn,
        type: 'STANDARD',
        kubernetesGroups: [KUBERNETES_GROUP],
      });
    }
  }
}

/** The group that infra/cluster/rbac.yaml binds its roles to. */
export const KUBERNETES_GROUP = 'joinery';

/** The role by which EC2 runs spot instances for an account; there is one at most in each account. */
export class SpotServiceLinkedRole extends Construct {
  constructor(scope: Construct) {
    super(scope, 'SpotServiceLinkedRole');
    new CfnServiceLinkedRole(this, 'Role', { awsServiceName: 'spot.amazonaws.com' });
  }
}
