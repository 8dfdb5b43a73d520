import { parseAmount } from '#lib/constraints/quantity.ts';
import { isRejection, type Rejection } from '#lib/constraints/rejection.ts';
import type { Resources } from '#lib/constraints/resources.ts';
import { shortDigest } from '#lib/model/digest.ts';
import type { InstanceType } from '#lib/model/instance-type.ts';
import type { Json, LaunchTemplate } from '#lib/model/launch.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { BlockDeviceMapping, NodeClass, ResolvedAmi } from '#lib/model/node-class.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import { amiFamilyOf } from './ami-family.ts';
import { base64Of } from './base64.ts';
import { type Tags, tagSpecification } from './tags.ts';
import { userDataOf } from './user-data.ts';

/** What all launch templates of one launch have in common. */
export interface TemplateBasis {
  /** Any of the claims: they differ in nothing that an instance is told. */
  readonly claim: NodeClaim;
  readonly nodeClass: NodeClass;
  readonly capacityType: 'on-demand' | 'spot';
  readonly tenancy: 'default' | 'dedicated';
  /** What each instance must be able to hold. */
  readonly requests: Resources;
  readonly tags: Tags;
  readonly settings: ClusterSettings;
}

const GIB = 1024 ** 3;
const EFA = 'vpc.amazonaws.com/efa';
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
): LaunchTemplate | Rejection {
  const { claim, nodeClass, capacityType, settings, tags } = basis;
  const maxPods = type.capacity.pods ?? 0;
  const { reserves } = type;
  const userData = userDataOf({
    claim,
    nodeClass,
    capacityType,
    maxPods,
    settings,
    ...(reserves && { reserves }),
  });
  if (isRejection(userData)) return userData;
  const data: Json = {
    ImageId: image.id,
    UserData: base64Of(userData),
    ...profileOf(nodeClass),
    BlockDeviceMappings: disksOf(nodeClass),
    NetworkInterfaces: interfacesOf(basis, type),
    MetadataOptions: metadataOf(nodeClass, settings.region),
    Monitoring: { Enabled: nodeClass.spec.detailedMonitoring ?? false },
    EnclaveOptions: { Enabled: (basis.requests[NITRO_SANDBOX] ?? 0) > 0 },
    Placement: { Tenancy: basis.tenancy },
    // An open reservation is somebody's purchase: it is used when it is asked for.
    CapacityReservationSpecification: { CapacityReservationPreference: 'none' },
    TagSpecifications: [
      tagSpecification('network-interface', tags),
      ...(capacityType === 'spot' ? [tagSpecification('spot-instances-request', tags)] : []),
    ],
  };
  return { name: `joinery.dev/${shortDigest(JSON.stringify([data, tags]), 20)}`, data, tags };
}

const profileOf = ({ status }: NodeClass): { readonly [key: string]: Json } =>
  status.instanceProfile === undefined
    ? {}
    : { IamInstanceProfile: { Name: status.instanceProfile } };

function disksOf(nodeClass: NodeClass): readonly Json[] {
  const written = nodeClass.spec.blockDeviceMappings;
  const disks = written.length > 0 ? written : amiFamilyOf(nodeClass).defaultDisks;
  return disks.map(({ deviceName, ebs }) => ({
    ...(deviceName === undefined ? {} : { DeviceName: deviceName }),
    ...(ebs === undefined ? {} : { Ebs: ebsOf(ebs) }),
  }));
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

/** One interface, or as many EFA interfaces as the type has where the claim asks for any. */
function interfacesOf({ nodeClass, requests }: TemplateBasis, type: InstanceType): readonly Json[] {
  const isPublic = nodeClass.spec.associatePublicIPAddress;
  const common = {
    Groups: nodeClass.status.securityGroups.map(({ id }) => id),
    ...(isPublic === undefined ? {} : { AssociatePublicIpAddress: isPublic }),
  };
  const efaCount = (requests[EFA] ?? 0) > 0 ? (type.capacity[EFA] ?? 0) : 0;
  if (efaCount === 0) return [{ DeviceIndex: 0, ...common }];
  return Array.from({ length: efaCount }, (_, card) => ({
    NetworkCardIndex: card,
    DeviceIndex: card === 0 ? 0 : 1,
    InterfaceType: 'efa',
    ...common,
  }));
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
