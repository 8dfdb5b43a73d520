import { type AwsPlace, type ClientSettings, clientSettings, type Sender } from '#lib/aws/place.ts';
import type { AwsOperation, RawAwsCall } from './call.ts';

type Senders = Readonly<Record<string, Sender>>;

/**
 * AWS itself behind the seam: each operation as one SDK command, over clients that live as long
 * as the sandbox. A service's client is loaded when it is first called, for loading them all takes
 * longer than a quiet look. Credentials come from the SDK's own chain.
 */
export function sdkCall(place: AwsPlace): RawAwsCall {
  const settings = clientSettings(place);
  const loaded = new Map<Service, Promise<Senders>>();
  return async (name, input) => {
    const service = SERVICES.get(name);
    if (service === undefined)
      throw new Error(`expected an AWS operation of the list, found ${name}`);
    const loading: Promise<Senders> = loaded.get(service) ?? LOADERS[service](settings);
    loaded.set(service, loading);
    const send = (await loading)[name];
    if (send === undefined) throw new Error(`expected ${service} to send ${name}`);
    return await send(input);
  };
}

const LOADERS = {
  ec2: async (settings) => (await import('./ec2-senders.ts')).ec2Senders(settings),
  eventBus: async (settings) =>
    (await import('./event-bus-operation.ts')).eventBusSenders(settings),
  eks: async (settings) => (await import('./eks-senders.ts')).eksSenders(settings),
  iam: async (settings) => (await import('./iam-senders.ts')).iamSenders(settings),
  pricing: async (settings) => (await import('./pricing-senders.ts')).pricingSenders(settings),
  sqs: async (settings) => (await import('./sqs-senders.ts')).sqsSenders(settings),
  ssm: async (settings) => (await import('./ssm-senders.ts')).ssmSenders(settings),
  zonalShift: async (settings) =>
    (await import('./zonal-shift-operation.ts')).zonalShiftSenders(settings),
} satisfies Readonly<Record<string, (settings: ClientSettings) => Promise<Senders>>>;

type Service = keyof typeof LOADERS;

/** The services whose module sends an operation: one, or the program does not compile. */
type SenderOf<Name extends AwsOperation> = {
  [Each in Service]: Name extends keyof Awaited<ReturnType<(typeof LOADERS)[Each]>> ? Each : never;
}[Service];

/** Who sends each operation. */
const SERVICES: ReadonlyMap<string, Service> = new Map(
  Object.entries({
    AddRoleToInstanceProfile: 'iam',
    CreateAccessEntry: 'eks',
    CreateFleet: 'ec2',
    CreateInstanceProfile: 'iam',
    CreateLaunchTemplate: 'ec2',
    CreateTags: 'ec2',
    DeleteInstanceProfile: 'iam',
    DeleteLaunchTemplate: 'ec2',
    DescribeAccessEntry: 'eks',
    DescribeAvailabilityZones: 'ec2',
    DescribeCapacityReservations: 'ec2',
    DescribeCluster: 'eks',
    DescribeImages: 'ec2',
    DescribeInstanceStatus: 'ec2',
    DescribeInstanceTypeOfferings: 'ec2',
    DescribeInstanceTypes: 'ec2',
    DescribeInstances: 'ec2',
    DescribeLaunchTemplates: 'ec2',
    DescribePlacementGroups: 'ec2',
    DescribeSecurityGroupVpcAssociations: 'ec2',
    DescribeSecurityGroups: 'ec2',
    DescribeSpotPriceHistory: 'ec2',
    DescribeSubnets: 'ec2',
    GetInstanceProfile: 'iam',
    GetManagedResource: 'zonalShift',
    GetParameters: 'ssm',
    GetProducts: 'pricing',
    ListInstanceProfiles: 'iam',
    PutEvents: 'eventBus',
    RemoveRoleFromInstanceProfile: 'iam',
    SendMessage: 'sqs',
    TerminateInstances: 'ec2',
  } satisfies { readonly [Name in AwsOperation]: SenderOf<Name> }),
);
