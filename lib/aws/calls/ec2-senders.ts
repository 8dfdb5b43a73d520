import {
  CreateFleetCommand,
  CreateLaunchTemplateCommand,
  CreateTagsCommand,
  DeleteLaunchTemplateCommand,
  DescribeAvailabilityZonesCommand,
  DescribeCapacityReservationsCommand,
  DescribeImagesCommand,
  DescribeInstanceStatusCommand,
  DescribeInstancesCommand,
  DescribeInstanceTypeOfferingsCommand,
  DescribeInstanceTypesCommand,
  DescribeLaunchTemplatesCommand,
  DescribePlacementGroupsCommand,
  DescribeSecurityGroupsCommand,
  DescribeSecurityGroupVpcAssociationsCommand,
  DescribeSpotPriceHistoryCommand,
  DescribeSubnetsCommand,
  EC2Client,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import type { ClientSettings, Sender } from '#lib/aws/place.ts';

/** The operations of EC2, each as one SDK command. */
export function ec2Senders(place: ClientSettings) {
  const client = new EC2Client(place);
  return {
    CreateFleet: (input) => client.send(new CreateFleetCommand(typed(input))),
    CreateLaunchTemplate: (input) => client.send(new CreateLaunchTemplateCommand(typed(input))),
    CreateTags: (input) => client.send(new CreateTagsCommand(typed(input))),
    DeleteLaunchTemplate: (input) => client.send(new DeleteLaunchTemplateCommand(typed(input))),
    DescribeAvailabilityZones: (input) =>
      client.send(new DescribeAvailabilityZonesCommand(typed(input))),
    DescribeCapacityReservations: (input) =>
      client.send(new DescribeCapacityReservationsCommand(typed(input))),
    DescribeImages: (input) => client.send(new DescribeImagesCommand(typed(input))),
    DescribeInstanceStatus: (input) => client.send(new DescribeInstanceStatusCommand(typed(input))),
    DescribeInstanceTypeOfferings: (input) =>
      client.send(new DescribeInstanceTypeOfferingsCommand(typed(input))),
    DescribeInstanceTypes: (input) => client.send(new DescribeInstanceTypesCommand(typed(input))),
    DescribeInstances: (input) => client.send(new DescribeInstancesCommand(typed(input))),
    DescribeLaunchTemplates: (input) =>
      client.send(new DescribeLaunchTemplatesCommand(typed(input))),
    DescribePlacementGroups: (input) =>
      client.send(new DescribePlacementGroupsCommand(typed(input))),
    DescribeSecurityGroupVpcAssociations: (input) =>
      client.send(new DescribeSecurityGroupVpcAssociationsCommand(typed(input))),
    DescribeSecurityGroups: (input) => client.send(new DescribeSecurityGroupsCommand(typed(input))),
    DescribeSpotPriceHistory: (input) =>
      client.send(new DescribeSpotPriceHistoryCommand(typed(input))),
    DescribeSubnets: (input) => client.send(new DescribeSubnetsCommand(typed(input))),
    TerminateInstances: (input) => client.send(new TerminateInstancesCommand(typed(input))),
  } satisfies Readonly<Record<string, Sender>>;
}

/** The input as its command takes it: the typed seam let nothing else pass. */
const typed = <Input>(input: unknown): Input => input as Input;
