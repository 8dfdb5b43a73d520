import { CfnManagedPolicy } from 'aws-cdk-lib/aws-iam';
import { Aws } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { POLICIES, POLICIES_OF, type PolicyName } from '#lib/aws/policies/policies.ts';
import type { PolicyPlace } from '#lib/aws/policies/statement.ts';
import type { BundleName } from '../bundle.ts';
import { type Choice, either, makeIf } from './choice.ts';
import { documentOf } from './policy-document.ts';

/** What policies of this deployment refer to. */
type Referred = Pick<PolicyPlace, 'clusterName' | 'nodeRoleArn' | 'hintQueueArn' | 'eventBusArn'>;

/** The place that the stack is deployed to. */
const HERE = { partition: Aws.PARTITION, region: Aws.REGION, accountId: Aws.ACCOUNT_ID };

/**
 * The groups of permissions of lib/aws, each as a managed policy; that of the event bus only where
 * `bus` is chosen.
 */
export class Policies extends Construct {
  private readonly arns: ReadonlyMap<PolicyName, string>;

  constructor(scope: Construct, referred: Referred, bus: Choice) {
    super(scope, 'Policies');
    const names = Object.keys(POLICIES).filter((name): name is PolicyName => name in POLICIES);
    this.arns = new Map(
      names.flatMap((name) => {
        const choice = name === 'bus' ? bus : true;
        const policy = makeIf(choice, () => this.make(name, referred));
        return policy ? [[name, either(choice, policy.ref, Aws.NO_VALUE)] as const] : [];
      }),
    );
  }

  private make(name: PolicyName, referred: Referred): CfnManagedPolicy {
    return new CfnManagedPolicy(this, name[0]?.toUpperCase() + name.slice(1), {
      description: `Joinery: ${name}`,
      policyDocument: documentOf(POLICIES[name]({ ...HERE, ...referred })),
    });
  }

  /** The ARNs of what a function may do. */
  of(name: BundleName): readonly string[] {
    return POLICIES_OF[name].flatMap((policy) => this.arns.get(policy) ?? []);
  }
}
