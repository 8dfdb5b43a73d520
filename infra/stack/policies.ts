import { CfnManagedPolicy } from 'aws-cdk-lib/aws-iam';
import { Aws, Fn, Token } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { POLICIES, POLICIES_OF, type PolicyName } from '#lib/aws/policies/policies.ts';
import type { PolicyPlace } from '#lib/aws/policies/statement.ts';
import type { BundleName } from '../bundle.ts';
import { documentOf } from './policy-document.ts';

/** What CloudFormation's Sub fills in. */
const reference = (name: string): string => `\${${name}}`;

/** What policies of this deployment refer to. */
interface Referred {
  readonly Cluster: string;
  readonly NodeRoleArn: string;
  readonly HintQueueArn: string;
}

/** The groups of permissions of lib/aws, each as a managed policy. */
export class Policies extends Construct {
  private readonly policies: ReadonlyMap<PolicyName, CfnManagedPolicy>;

  constructor(scope: Construct, referred: Referred) {
    super(scope, 'Policies');
    const names = Object.keys(POLICIES).filter((name): name is PolicyName => name in POLICIES);
    this.policies = new Map(names.map((name) => [name, this.make(name, referred)]));
  }

  private make(name: PolicyName, referred: Referred): CfnManagedPolicy {
    return new CfnManagedPolicy(this, name[0]?.toUpperCase() + name.slice(1), {
      description: `Joinery: ${name}`,
      policyDocument: Token.isUnresolved(referred.Cluster)
        ? filledInLater(name, referred)
        : documentOf(POLICIES[name](placeOf(referred))),
    });
  }

  /** The ARNs of what a function may do. */
  of(name: BundleName): readonly string[] {
    return POLICIES_OF[name].flatMap((policy) => this.policies.get(policy)?.ref ?? []);
  }
}

const placeOf = ({ Cluster, NodeRoleArn, HintQueueArn }: Referred): PolicyPlace => ({
  partition: Aws.PARTITION,
  region: Aws.REGION,
  accountId: Aws.ACCOUNT_ID,
  clusterName: Cluster,
  nodeRoleArn: NodeRoleArn,
  hintQueueArn: HintQueueArn,
});

/**
 * The document as a text that CloudFormation fills in: the tags' keys hold the cluster's name, and
 * where that is a parameter no key of an object can.
 */
function filledInLater(name: PolicyName, referred: Referred): string {
  const statements = POLICIES[name]({
    partition: reference('AWS::Partition'),
    region: reference('AWS::Region'),
    accountId: reference('AWS::AccountId'),
    clusterName: reference('Cluster'),
    nodeRoleArn: reference('NodeRoleArn'),
    hintQueueArn: reference('HintQueueArn'),
  });
  const text = JSON.stringify(documentOf(statements), undefined, 2);
  const used = Object.entries(referred).filter(([key]) => text.includes(reference(key)));
  return Fn.sub(text, Object.fromEntries(used));
}
