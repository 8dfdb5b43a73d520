import {
  CreateFleetCommand,
  CreateLaunchTemplateCommand,
  CreateTagsCommand,
  DeleteLaunchTemplateCommand,
  DescribeCapacityReservationsCommand,
  DescribeImagesCommand,
  DescribeInstancesCommand,
  DescribeLaunchTemplatesCommand,
  DescribePlacementGroupsCommand,
  DescribeSecurityGroupsCommand,
  DescribeSecurityGroupVpcAssociationsCommand,
  DescribeSubnetsCommand,
  EC2Client,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import {
  AddRoleToInstanceProfileCommand,
  CreateInstanceProfileCommand,
  DeleteInstanceProfileCommand,
  GetInstanceProfileCommand,
  IAMClient,
  ListInstanceProfilesCommand,
  RemoveRoleFromInstanceProfileCommand,
} from '@aws-sdk/client-iam';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { GetParametersCommand, SSMClient } from '@aws-sdk/client-ssm';
import { accessSenders } from './access-operations.ts';
import type { AwsOperation, RawAwsCall } from './call.ts';
import { marketSenders } from './market-operations.ts';
import type { AwsPlace, ClientSettings } from './place.ts';
import { zonalShiftSenders } from './zonal-shift-operation.ts';

/** A fleet of many instances takes some seconds; a silence of half a minute is a lost connection. */
const PATIENCE_MS = 30_000;
const CONNECTING_MS = 5_000;

type Send = (input: unknown) => Promise<unknown>;

/**
 * AWS itself behind the seam: each operation as one SDK command, over clients that live as long
 * as the sandbox. Credentials come from the SDK's own chain.
 */
export function sdkCall(place: AwsPlace): RawAwsCall {
  const { patienceMs = PATIENCE_MS, ...where } = place;
  const requestHandler = { connectionTimeout: CONNECTING_MS, socketTimeout: patienceMs };
  const operations: Readonly<Record<string, Send>> = sendersOf({ ...where, requestHandler });
  return async (name, input) => {
    const send = operations[name];
    if (send === undefined) throw new Error(`expected an AWS operation of the list, found ${name}`);
    return await send(input);
  };
}

function sendersOf(place: ClientSettings): Readonly<Record<AwsOperation, Send>> {
  const ec2 = new EC2Client(place);
  const iam = new IAMClient(place);
  const sqs = new SQSClient(place);
  const ssm = new SSMClient(place);
  return {
    ...marketSenders(place, ec2),
    ...accessSenders(place),
    ...zonalShiftSenders(place, ec2.config.credentials),
    AddRoleToInstanceProfile: (input) =>
      iam.send(new AddRoleToInstanceProfileCommand(typed(input))),
    CreateFleet: (input) => ec2.send(new CreateFleetCommand(typed(input))),
    CreateInstanceProfile: (input) => iam.send(new CreateInstanceProfileCommand(typed(input))),
    CreateLaunchTemplate: (input) => ec2.send(new CreateLaunchTemplateCommand(typed(input))),
    CreateTags: (input) => ec2.send(new CreateTagsCommand(typed(input))),
    DescribeImages: (input) => ec2.send(new DescribeImagesCommand(typed(input))),
    DescribeInstances: (input) => ec2.send(new DescribeInstancesCommand(typed(input))),
    DescribeSecurityGroups: (input) => ec2.send(new DescribeSecurityGroupsCommand(typed(input))),
    DescribeSubnets: (input) => ec2.send(new DescribeSubnetsCommand(typed(input))),
    GetInstanceProfile: (input) => iam.send(new GetInstanceProfileCommand(typed(input))),
    GetParameters: (input) => ssm.send(new GetParametersCommand(typed(input))),
    DescribeCapacityReservations: (input) =>
      ec2.send(new DescribeCapacityReservationsCommand(typed(input))),
    DescribeSecurityGroupVpcAssociations: (input) =>
      ec2.send(new DescribeSecurityGroupVpcAssociationsCommand(typed(input))),
    DescribePlacementGroups: (input) => ec2.send(new DescribePlacementGroupsCommand(typed(input))),
    DescribeLaunchTemplates: (input) => ec2.send(new DescribeLaunchTemplatesCommand(typed(input))),
    DeleteLaunchTemplate: (input) => ec2.send(new DeleteLaunchTemplateCommand(typed(input))),
    ListInstanceProfiles: (input) => iam.send(new ListInstanceProfilesCommand(typed(input))),
    RemoveRoleFromInstanceProfile: (input) =>
      iam.send(new RemoveRoleFromInstanceProfileCommand(typed(input))),
    DeleteInstanceProfile: (input) => iam.send(new DeleteInstanceProfileCommand(typed(input))),
    SendMessage: (input) => sqs.send(new SendMessageCommand(typed(input))),
    TerminateInstances: (input) => ec2.send(new TerminateInstancesCommand(typed(input))),
  };
}

/** The input as its command takes it: `typedCall` let nothing else pass. */
const typed = <Input>(input: unknown): Input => input as Input;
