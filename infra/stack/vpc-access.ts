import { CfnManagedPolicy } from 'aws-cdk-lib/aws-iam';
import { Aws } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { allow, type Statement } from '#lib/aws/policies/statement.ts';
import { documentOf } from './policy-document.ts';

/** What Lambda does in a function's name with the network interfaces of functions. */
const CHANGES = [
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:AssignPrivateIpAddresses',
  'ec2:UnassignPrivateIpAddresses',
];
const LOOKS = [
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSecurityGroups',
  'ec2:DescribeSubnets',
  'ec2:DescribeVpcs',
];

/**
 * What lets Lambda give functions an address in a VPC, in place of AWS's managed policy: that one
 * would let their code take addresses from any machine of the account. Lambda asks for all network
 * interfaces, so the code is denied what Lambda is allowed.
 *
 * Source: Lambda Developer Guide, giving functions access to a VPC, required IAM permissions, and
 * the condition key lambda:SourceFunctionArn, which only calls of a function's code bear.
 */
export class VpcAccess extends Construct {
  readonly policyArn: string;

  constructor(scope: Construct) {
    super(scope, 'VpcAccess');
    const ofCode = `arn:${Aws.PARTITION}:lambda:${Aws.REGION}:${Aws.ACCOUNT_ID}:function:*`;
    const denied: Statement = {
      Sid: 'ByLambdaAndNotByCode',
      Effect: 'Deny',
      Action: CHANGES,
      Resource: ['*'],
      Condition: { ArnLike: { 'lambda:SourceFunctionArn': ofCode } },
    };
    const policy = new CfnManagedPolicy(this, 'Policy', {
      description: 'Joinery: what Lambda needs to run functions in a VPC',
      policyDocument: documentOf([allow('JoinTheVpc', [...CHANGES, ...LOOKS], ['*']), denied]),
    });
    this.policyArn = policy.ref;
  }
}
