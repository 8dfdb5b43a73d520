import type { Account, Image, Subnet, Template } from './account.ts';
import { type BoughtAhead, boughtAhead, type FleetMarket } from './bought-ahead.ts';
import { awsError, invalidValue, missingParameter, unsupported } from './error.ts';
import { templateNamed, userDataOf } from './launch-templates.ts';
import type { Pool } from './market.ts';
import {
  type Fields,
  optionalInteger,
  optionalText,
  optionalTexts,
  structure,
  structures,
  type Tags,
  tagsFor,
  text,
} from './request.ts';

/** One way in which a fleet may be filled, in the request's words and resolved. */
export interface FleetOption {
  /** Echoed in the answer. */
  readonly asked: Fields;
  readonly template: Template;
  readonly priority: number;
  /** What it buys, or why EC2 would refuse to launch it. */
  readonly offer: FleetOffer | { readonly code: string; readonly message: string };
}

/** What one option of a fleet buys. */
export interface FleetOffer extends BoughtAhead {
  readonly pool: Pool;
  readonly subnet: Subnet;
  readonly imageId: string;
  readonly userData: string;
  readonly rootVolumeGib: number;
  readonly securityGroupIds: readonly string[];
  readonly profileArn: string | undefined;
}

/** A CreateFleet request, understood. */
export interface FleetRequest {
  readonly market: FleetMarket;
  readonly capacityType: 'on-demand' | 'spot';
  readonly strategy: string;
  readonly total: number;
  readonly options: readonly FleetOption[];
  readonly instanceTags: Tags;
  readonly clientToken: string | undefined;
}

const STRATEGIES = {
  'on-demand': ['lowest-price', 'prioritized'],
  spot: [
    'lowest-price',
    'price-capacity-optimized',
    'capacity-optimized',
    'capacity-optimized-prioritized',
  ],
} as const;

/**
 * Reads a CreateFleet request of type `instant`, or throws what EC2 would answer to the whole of
 * it. What is wrong with one override alone is kept with that override: EC2 says it only when it
 * tries to launch it. Limits: 50 configurations, 10,000 instances.
 *
 * Source: EC2 API, CreateFleet; EC2 User Guide, EC2 Fleet quotas.
 */
export function readFleetRequest(account: Account, input: Fields): FleetRequest {
  if (text(input, 'Type') !== 'instant') throw unsupported('fleets that are not of type instant');
  const capacity = structure(input, 'TargetCapacitySpecification');
  const total = optionalInteger(capacity, 'TotalTargetCapacity', [0, 10_000]);
  if (total === undefined) throw missingParameter('TotalTargetCapacity');
  const market = marketOf(capacity);
  const capacityType = market === 'spot' ? 'spot' : 'on-demand';
  const configs = structures(input, 'LaunchTemplateConfigs');
  if (configs.length === 0) throw missingParameter('LaunchTemplateConfigs');
  if (configs.length > 50)
    throw invalidValue('LaunchTemplateConfigs', configs.length, 'At most 50.');
  const clientToken = optionalText(input, 'ClientToken');
  if (clientToken !== undefined && !/^[\x21-\x7e]{1,64}$/.test(clientToken)) {
    throw invalidValue('ClientToken', clientToken, 'At most 64 ASCII characters.');
  }
  return {
    market,
    capacityType,
    total,
    clientToken,
    strategy: strategyOf(input, market),
    options: configs.flatMap((config) => optionsOf(account, config, market)),
    instanceTags: tagsFor(input, 'instance'),
  };
}

const MARKETS: readonly FleetMarket[] = [
  'on-demand',
  'spot',
  'capacity-block',
  'reserved-capacity',
];

function marketOf(capacity: Fields): FleetMarket {
  const type = optionalText(capacity, 'DefaultTargetCapacityType') ?? 'on-demand';
  const market = MARKETS.find((known) => known === type);
  if (market === undefined) throw unsupported(`DefaultTargetCapacityType ${type}`);
  const mixed = ['OnDemandTargetCapacity', 'SpotTargetCapacity'].filter((name) => capacity[name]);
  if (mixed.some((name) => !name.startsWith(market === 'spot' ? 'Spot' : 'OnDemand')))
    throw unsupported('fleets that mix on-demand and spot');
  return market;
}

/** What is paid for is not chosen by price: its fleets have no strategy. */
function strategyOf(input: Fields, market: FleetMarket): string {
  if (market === 'capacity-block' || market === 'reserved-capacity') return 'lowest-price';
  const capacityType = market;
  const options = structure(input, capacityType === 'spot' ? 'SpotOptions' : 'OnDemandOptions');
  const unusual = Object.keys(options).find((name) => name !== 'AllocationStrategy');
  if (unusual !== undefined) throw unsupported(`${unusual} of a fleet`);
  const strategy = optionalText(options, 'AllocationStrategy') ?? 'lowest-price';
  if (STRATEGIES[capacityType].some((known) => known === strategy)) return strategy;
  throw unsupported(`the allocation strategy ${strategy} for ${capacityType}`);
}

function optionsOf(account: Account, config: Fields, market: FleetMarket): readonly FleetOption[] {
  const specification = structure(config, 'LaunchTemplateSpecification');
  const version = text(specification, 'Version');
  const template = templateNamed(account, specification);
  if (!['$Latest', '$Default', '1'].includes(version)) {
    throw awsError(
      'InvalidLaunchTemplateId.VersionNotFound',
      `Could not find the specified version ${version} for the launch template with ID ${template.id}.`,
    );
  }
  const overrides = structures(config, 'Overrides');
  return (overrides.length > 0 ? overrides : [{}]).map((override) => ({
    template,
    asked: {
      LaunchTemplateSpecification: {
        LaunchTemplateId: template.id,
        LaunchTemplateName: template.name,
        Version: '1',
      },
      Overrides: override,
    },
    priority: typeof override.Priority === 'number' ? override.Priority : Number.POSITIVE_INFINITY,
    offer: offerOf(account, template, override, market),
  }));
}

type Refusal = { readonly code: string; readonly message: string };
const refusal = (code: string, message: string): Refusal => ({ code, message });

function offerOf(
  account: Account,
  template: Template,
  override: Fields,
  market: FleetMarket,
): FleetOffer | Refusal {
  const { data } = template;
  const typeName = optionalText(override, 'InstanceType') ?? optionalText(data, 'InstanceType');
  const type = typeName === undefined ? undefined : account.types.get(typeName);
  if (type === undefined) {
    return refusal('InvalidFleetConfiguration', `The instance type '${typeName}' is not known.`);
  }
  const subnet = subnetOf(account, override, data);
  if ('code' in subnet) return subnet;
  const image = imageOf(account, override, data);
  if ('code' in image) return image;
  if (image.architecture !== type.architecture) {
    return refusal(
      'InvalidParameterValue',
      `The architecture '${type.architecture}' of the specified instance type does not match the architecture '${image.architecture}' of the specified AMI.`,
    );
  }
  const pool: Pool = {
    capacityType: market === 'spot' ? 'spot' : 'on-demand',
    type,
    zone: subnet.zone,
  };
  const ahead = boughtAhead(account, data, pool, market);
  if ('code' in ahead) return ahead;
  const groups = groupsOf(account, data);
  if ('code' in groups) return groups;
  const profile = profileOf(account, data);
  if ('code' in profile) return profile;
  return {
    ...ahead,
    pool,
    subnet,
    imageId: image.id,
    userData: userDataOf(data),
    rootVolumeGib: rootVolumeGib(data),
    securityGroupIds: groups.ids,
    profileArn: profile.arn,
  };
}

function subnetOf(account: Account, override: Fields, data: Fields): Subnet | Refusal {
  const [network = {}] = structures(data, 'NetworkInterfaces');
  const id = optionalText(override, 'SubnetId') ?? optionalText(network, 'SubnetId');
  const zone = optionalText(override, 'AvailabilityZone');
  if (id === undefined) {
    return refusal('MissingInput', 'No subnets found for the default VPC: name a subnet.');
  }
  const subnet = account.subnets.find((candidate) => candidate.id === id);
  if (subnet === undefined) {
    return refusal('InvalidSubnetID.NotFound', `The subnet ID '${id}' does not exist`);
  }
  if (zone === undefined || zone === subnet.zone) return subnet;
  return refusal(
    'InvalidParameterValue',
    `The subnet ${id} is in ${subnet.zone}, and the override names ${zone}.`,
  );
}

function imageOf(account: Account, override: Fields, data: Fields): Image | Refusal {
  const id = optionalText(override, 'ImageId') ?? optionalText(data, 'ImageId');
  if (id === undefined) return refusal('MissingParameter', 'The request must contain ImageId');
  return (
    account.images.find((candidate) => candidate.id === id) ??
    refusal('InvalidAMIID.NotFound', `The image id '[${id}]' does not exist`)
  );
}

/** Source: EKS-optimized AL2023 images: root device /dev/xvda, 20 GiB. */
const ROOT_DEVICE = '/dev/xvda';
const ROOT_GIB = 20;

function rootVolumeGib(data: Fields): number {
  const root = structures(data, 'BlockDeviceMappings').find(
    ({ DeviceName }) => DeviceName === ROOT_DEVICE,
  );
  const size = root && structure(root, 'Ebs').VolumeSize;
  return typeof size === 'number' ? size : ROOT_GIB;
}

function groupsOf(account: Account, data: Fields): { readonly ids: readonly string[] } | Refusal {
  const [network = {}] = structures(data, 'NetworkInterfaces');
  const ids = optionalTexts(network, 'Groups') ?? optionalTexts(data, 'SecurityGroupIds') ?? [];
  const missing = ids.find((id) => !account.securityGroups.some((group) => group.id === id));
  if (missing === undefined) return { ids };
  return refusal('InvalidGroup.NotFound', `The security group '${missing}' does not exist`);
}

function profileOf(account: Account, data: Fields): { readonly arn: string | undefined } | Refusal {
  const asked = structure(data, 'IamInstanceProfile');
  const name = optionalText(asked, 'Name') ?? optionalText(asked, 'Arn')?.split('/').at(-1);
  if (name === undefined) return { arn: undefined };
  const profile = account.profiles.get(name);
  if (profile === undefined || profile.usableAt > account.clock.now()) {
    return refusal(
      'InvalidParameterValue',
      `Value (${name}) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name`,
    );
  }
  return { arn: `arn:aws:iam::${account.id}:instance-profile${profile.path}${profile.name}` };
}
