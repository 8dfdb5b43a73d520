import type {
  CreateFleetCommandInput,
  CreateFleetCommandOutput,
  CreateLaunchTemplateCommandInput,
  CreateLaunchTemplateCommandOutput,
  CreateTagsCommandInput,
  CreateTagsCommandOutput,
  DeleteLaunchTemplateCommandInput,
  DeleteLaunchTemplateCommandOutput,
  DescribeCapacityReservationsCommandInput,
  DescribeCapacityReservationsCommandOutput,
  DescribeImagesCommandInput,
  DescribeImagesCommandOutput,
  DescribeInstanceStatusCommandInput,
  DescribeInstanceStatusCommandOutput,
  DescribeInstancesCommandInput,
  DescribeInstancesCommandOutput,
  DescribeLaunchTemplatesCommandInput,
  DescribeLaunchTemplatesCommandOutput,
  DescribePlacementGroupsCommandInput,
  DescribePlacementGroupsCommandOutput,
  DescribeSecurityGroupsCommandInput,
  DescribeSecurityGroupsCommandOutput,
  DescribeSecurityGroupVpcAssociationsCommandInput,
  DescribeSecurityGroupVpcAssociationsCommandOutput,
  DescribeSubnetsCommandInput,
  DescribeSubnetsCommandOutput,
  TerminateInstancesCommandInput,
  TerminateInstancesCommandOutput,
} from '@aws-sdk/client-ec2';
import type {
  AddRoleToInstanceProfileCommandInput,
  AddRoleToInstanceProfileCommandOutput,
  CreateInstanceProfileCommandInput,
  CreateInstanceProfileCommandOutput,
  DeleteInstanceProfileCommandInput,
  DeleteInstanceProfileCommandOutput,
  GetInstanceProfileCommandInput,
  GetInstanceProfileCommandOutput,
  ListInstanceProfilesCommandInput,
  ListInstanceProfilesCommandOutput,
  RemoveRoleFromInstanceProfileCommandInput,
  RemoveRoleFromInstanceProfileCommandOutput,
} from '@aws-sdk/client-iam';
import type { SendMessageCommandInput, SendMessageCommandOutput } from '@aws-sdk/client-sqs';
import type { GetParametersCommandInput, GetParametersCommandOutput } from '@aws-sdk/client-ssm';
import { lacksPermission } from '#lib/aws/errors.ts';
import { PERMISSIONS } from '#lib/aws/permissions.ts';
import type { AccessOperations } from './access-operations.ts';
import type { EventBusOperations } from './event-bus-operation.ts';
import type { MarketOperations } from './market-operations.ts';
import type { ZonalShiftOperations } from './zonal-shift-operation.ts';

interface Operation<Input, Output> {
  readonly input: Input;
  readonly output: Output;
}

/** Each AWS operation that Joinery uses, with the SDK's own types of what goes in and comes out. */
export interface AwsOperations
  extends MarketOperations,
    AccessOperations,
    EventBusOperations,
    ZonalShiftOperations {
  readonly CreateFleet: Operation<CreateFleetCommandInput, CreateFleetCommandOutput>;
  readonly CreateLaunchTemplate: Operation<
    CreateLaunchTemplateCommandInput,
    CreateLaunchTemplateCommandOutput
  >;
  readonly CreateTags: Operation<CreateTagsCommandInput, CreateTagsCommandOutput>;
  readonly DescribeImages: Operation<DescribeImagesCommandInput, DescribeImagesCommandOutput>;
  readonly DescribeInstances: Operation<
    DescribeInstancesCommandInput,
    DescribeInstancesCommandOutput
  >;
  readonly DescribeInstanceStatus: Operation<
    DescribeInstanceStatusCommandInput,
    DescribeInstanceStatusCommandOutput
  >;
  readonly DescribeSecurityGroups: Operation<
    DescribeSecurityGroupsCommandInput,
    DescribeSecurityGroupsCommandOutput
  >;
  readonly DescribeSubnets: Operation<DescribeSubnetsCommandInput, DescribeSubnetsCommandOutput>;
  readonly TerminateInstances: Operation<
    TerminateInstancesCommandInput,
    TerminateInstancesCommandOutput
  >;
  readonly AddRoleToInstanceProfile: Operation<
    AddRoleToInstanceProfileCommandInput,
    AddRoleToInstanceProfileCommandOutput
  >;
  readonly CreateInstanceProfile: Operation<
    CreateInstanceProfileCommandInput,
    CreateInstanceProfileCommandOutput
  >;
  readonly GetInstanceProfile: Operation<
    GetInstanceProfileCommandInput,
    GetInstanceProfileCommandOutput
  >;
  readonly DescribeCapacityReservations: Operation<
    DescribeCapacityReservationsCommandInput,
    DescribeCapacityReservationsCommandOutput
  >;
  readonly DescribeSecurityGroupVpcAssociations: Operation<
    DescribeSecurityGroupVpcAssociationsCommandInput,
    DescribeSecurityGroupVpcAssociationsCommandOutput
  >;
  readonly DescribePlacementGroups: Operation<
    DescribePlacementGroupsCommandInput,
    DescribePlacementGroupsCommandOutput
  >;
  readonly DescribeLaunchTemplates: Operation<
    DescribeLaunchTemplatesCommandInput,
    DescribeLaunchTemplatesCommandOutput
  >;
  readonly DeleteLaunchTemplate: Operation<
    DeleteLaunchTemplateCommandInput,
    DeleteLaunchTemplateCommandOutput
  >;
  readonly ListInstanceProfiles: Operation<
    ListInstanceProfilesCommandInput,
    ListInstanceProfilesCommandOutput
  >;
  readonly RemoveRoleFromInstanceProfile: Operation<
    RemoveRoleFromInstanceProfileCommandInput,
    RemoveRoleFromInstanceProfileCommandOutput
  >;
  readonly DeleteInstanceProfile: Operation<
    DeleteInstanceProfileCommandInput,
    DeleteInstanceProfileCommandOutput
  >;
  readonly SendMessage: Operation<SendMessageCommandInput, SendMessageCommandOutput>;
  readonly GetParameters: Operation<GetParametersCommandInput, GetParametersCommandOutput>;
}

/** The name of an AWS operation that Joinery uses. */
export type AwsOperation = keyof AwsOperations;

/** The second of the two seams, untyped: what the SDK and the embedded world both can do. */
export type RawAwsCall = (name: string, input: unknown) => Promise<unknown>;

/** The second of the two seams: all that Joinery says to AWS passes through here. */
export type AwsCall = <Name extends AwsOperation>(
  name: Name,
  input: AwsOperations[Name]['input'],
) => Promise<AwsOperations[Name]['output']>;

const NEEDED: Readonly<Record<AwsOperation, readonly string[]>> = PERMISSIONS;

/**
 * The typed call over an untyped one. Where a permission is wanting, the error says as well which ones
 * the operation needs, for whoever reads it far from here. The cast is the seam itself: the SDK
 * answers with these types, and whatever stands in for it promises the same shapes.
 */
export const typedCall =
  (raw: RawAwsCall): AwsCall =>
  async (name, input) => {
    try {
      return (await raw(name, input)) as AwsOperations[typeof name]['output'];
    } catch (error) {
      if (error instanceof Error && lacksPermission(error)) {
        error.message += ` (${name} needs ${NEEDED[name].join(', ')})`;
      }
      throw error;
    }
  };
