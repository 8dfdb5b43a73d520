import { parseAmount } from '#lib/constraints/quantity.ts';
import { isRejection, type Rejection } from '#lib/constraints/rejection.ts';
import type { Requirements } from '#lib/constraints/requirements.ts';
import type { Resources } from '#lib/constraints/resources.ts';
import { amiFamilyOf } from '#lib/ec2/images/ami-family.ts';
import { base64Of } from '#lib/ec2/user-data/base64.ts';
import { userDataOf } from '#lib/ec2/user-data/user-data.ts';
import { shortDigest } from '#lib/model/digest.ts';
import type { CapacityType, InstanceType } from '#lib/model/instance-type.ts';
import type { Json, LaunchTemplate } from '#lib/model/launch.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type {
  BlockDeviceMapping,
  NodeClass,
  ResolvedAmi,
  ResolvedCapacityReservation,
} from '#lib/model/node-class.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import { kindOfReservation, type ReservationKind } from './launch-filters.ts';
import { interfacesOf } from './launch-interfaces.ts';
import { placementOf } from './launch-placement.ts';
import { type Tags, tagSpecification } from './tags.ts';

/** What all launch templates of one launch have in common. */
export interface TemplateBasis {
  /** Any of the claims: they differ in nothing that an instance is told. */
  readonly claim: NodeClaim;
  readonly nodeClass: NodeClass;
  readonly capacityType: CapacityType;
  /** The claim's. */
  readonly requirements: Requirements;
  /** What each instance must be able to hold. */
  readonly requests: Resources;
  readonly tags: Tags;
  readonly settings: ClusterSettings;
}

const GIB = 1024 ** 3;
const NITRO_SANDBOX = 'eks.amazonaws.com/nitro-sandbox';
/** Regions whose metadata service has no IPv6. Source: karpenter AWS provider v1.14. */
const NO_METADATA_IPV6 = /^us-iso/;

/**
 * The launch template by which a type becomes the node that a claim asks for, named by the hash
 * of all it holds. Types that differ in nothing that the instance is told get the same one.
 *
 * Source: karpenter AWS provider v1.14, providers/launchtemplate; EC2 API, CreateLaunchTemplate.
 */
export function launchTemplateOf(
  basis: TemplateBasis,
  type: InstanceType,
  image: ResolvedAmi,
  reservation?: ResolvedCapacityReservation,
): LaunchTemplate | Rejection {
  const { claim, nodeClass, capacityType, settings, tags, requests } = basis;
  const userData = userDataOf({
    claim,
    nodeClass,
    capacityType,
    maxPods: type.capacity.pods ?? 0,
    ...(type.reserves === undefined ? {} : { reserves: type.reserves }),
    settings,
  });
  if (isRejection(userData)) return userData;
  const data: Json = {
    ImageId: image.id,
    UserData: base64Of(userData),
    ...profileOf(nodeClass),
    ...disksOf(nodeClass),
    ...cpuOf(nodeClass),
    NetworkInterfaces: interfacesOf(nodeClass, settings, requests, type.capacity),
    MetadataOptions: metadataOf(nodeClass, settings.region),
    Monitoring: { Enabled: nodeClass.spec.detailedMonitoring ?? false },
    EnclaveOptions: { Enabled: (requests[NITRO_SANDBOX] ?? 0) > 0 },
    Placement: placementOf(nodeClass, basis.requirements),
    ...reservationOf(reservation),
    TagSpecifications: [
      tagSpecification('network-interface', tags),
      ...(capacityType === 'spot' ? [tagSpecification('spot-instances-request', tags)] : []),
    ],
  };
  return { name: `joinery.dev/${shortDigest(JSON.stringify([data, tags]), 20)}`, data, tags };
}

type Fields = Readonly<Record<string, Json>>;

const profileOf = ({ status }: NodeClass): Fields =>
  status.instanceProfile === undefined
    ? {}
    : { IamInstanceProfile: { Name: status.instanceProfile } };

function cpuOf({ spec }: NodeClass): Fields {
  const { nestedVirtualization } = spec.cpuOptions ?? {};
  return nestedVirtualization === undefined
    ? {}
    : { CpuOptions: { NestedVirtualization: nestedVirtualization } };
}

/** The reservation to use and no other; an open one is somebody's purchase unless asked for. */
function reservationOf(reservation: ResolvedCapacityReservation | undefined): Fields {
  if (reservation === undefined) {
    return { CapacityReservationSpecification: { CapacityReservationPreference: 'none' } };
  }
  const market = MARKETS[kindOfReservation(reservation)];
  return {
    CapacityReservationSpecification: {
      CapacityReservationPreference: 'capacity-reservations-only',
      CapacityReservationTarget: { CapacityReservationId: reservation.id },
    },
    ...(market === undefined ? {} : { InstanceMarketOptions: { MarketType: market } }),
  };
}

/** Source: EC2 API, InstanceMarketOptionsRequest, MarketType. */
const MARKETS: Readonly<Record<ReservationKind, string | undefined>> = {
  default: undefined,
  'capacity-block': 'capacity-block',
  interruptible: 'interruptible-capacity-reservation',
};

/** An image whose disks nobody describes keeps its own. */
function disksOf(nodeClass: NodeClass): Fields {
  const written = nodeClass.spec.blockDeviceMappings;
  const disks = written.length > 0 ? written : amiFamilyOf(nodeClass).defaultDisks;
  if (disks.length === 0) return {};
  return {
    BlockDeviceMappings: disks.map(({ deviceName, ebs }) => ({
      ...(deviceName === undefined ? {} : { DeviceName: deviceName }),
      ...(ebs === undefined ? {} : { Ebs: ebsOf(ebs) }),
    })),
  };
}

/** What is absent or 0 is left to EC2 and the image. Sizes are whole GiB, rounded up. */
function ebsOf(ebs: NonNullable<BlockDeviceMapping['ebs']>): Json {
  const bytes = parseAmount('ephemeral-storage', ebs.volumeSize ?? '') ?? 0;
  const settings: Readonly<Record<string, Json | undefined>> = {
    DeleteOnTermination: ebs.deleteOnTermination,
    Encrypted: ebs.encrypted,
    Iops: ebs.iops || undefined,
    KmsKeyId: ebs.kmsKeyID,
    SnapshotId: ebs.snapshotID,
    Throughput: ebs.throughput || undefined,
    VolumeInitializationRate: ebs.volumeInitializationRate || undefined,
    VolumeSize: bytes > 0 ? Math.ceil(bytes / GIB) : undefined,
    VolumeType: ebs.volumeType,
  };
  const given: Record<string, Json> = {};
  for (const [name, value] of Object.entries(settings)) {
    if (value !== undefined) given[name] = value;
  }
  return given;
}

function metadataOf({ spec }: NodeClass, region: string): Json {
  const options = spec.metadataOptions;
  return {
    HttpEndpoint: options.httpEndpoint,
    ...(NO_METADATA_IPV6.test(region) ? {} : { HttpProtocolIpv6: options.httpProtocolIPv6 }),
    HttpPutResponseHopLimit: options.httpPutResponseHopLimit,
    HttpTokens: options.httpTokens,
    InstanceMetadataTags: 'disabled',
  };
}
