import type { AwsCall } from '#lib/aws/calls/call.ts';
import { reservationsTaken } from '#lib/ec2/offerings/reservations-taken.ts';
import { readBufferTargets } from '#lib/kube/buffer-targets.ts';
import {
  type DecodedObjects,
  type DecodeResult,
  gatedKinds,
  SNAPSHOT_KINDS,
  SPREAD_KINDS,
} from '#lib/kube/decode/decode.ts';
import { isGone } from '#lib/kube/errors.ts';
import { readSoldOut } from '#lib/kube/sold-out.ts';
import type { KubeTransport } from '#lib/kube/transport.ts';
import { RESERVATION_ID } from '#lib/model/labels.ts';
import type { ResolvedSubnet } from '#lib/model/node-class.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import type { EpochMs } from '#lib/model/time.ts';
import { assemble } from './assemble.ts';
import { catalogFor } from './catalog-cache.ts';
import { readInstanceStatus, type StatusQuestion } from './instance-status.ts';
import { readAccount } from './instances.ts';
import { readMarket } from './market.ts';
import { askAboutNodeClasses } from './node-classes.ts';
import { readShiftedZones } from './shifted-zones.ts';
import { readKinds } from './warm-objects.ts';

/** What looking takes. */
export interface ObservePorts {
  readonly kube: KubeTransport;
  readonly aws: AwsCall;
  readonly now: () => EpochMs;
  readonly settings: { readonly cluster: ClusterSettings };
}

/** What a look is for. */
export interface ObserveOptions {
  /** Ask AWS about every NodeClass, not only about those whose present generation is unresolved. */
  readonly resolveAllNodeClasses?: boolean;
  /** List the cluster's instances even where no NodeClaim raises the question. */
  readonly listInstances?: boolean;
  /** Find out what EC2's own checks say of instances, where the settings want that. */
  readonly instanceStatus?: StatusQuestion;
  /** Tell how old what is known of EC2's types and prices is, and what nodes told of memory. */
  readonly marketUpkeep?: boolean;
}

/**
 * Reads the cluster, and of AWS what its objects show to be needed, into one Snapshot. `takenAt`
 * is the instant before the first read. Throws KubeFailure where a list cannot be read; what AWS
 * does not answer about a NodeClass stands in its facts, and about instances in `leftOut`.
 */
export async function observe(
  ports: ObservePorts,
  options: ObserveOptions = {},
): Promise<Snapshot> {
  const takenAt = ports.now();
  const { cluster } = ports.settings;
  const [read, sold, market, shifted] = await Promise.all([
    readObjects(ports.kube, cluster),
    readSoldOut(ports.kube, takenAt),
    readMarket(ports.kube, cluster.region, { now: takenAt, anew: options.marketUpkeep === true }),
    readShiftedZones(ports.aws, cluster, takenAt),
  ]);
  const objects = withFullSubnets(read.objects, sold.fullSubnets);
  const [listed, asked, buffers, ailing] = await Promise.all([
    readAccount(ports.aws, objects, {
      takenAt,
      clusterName: cluster.clusterName,
      listInstances: options.listInstances === true || asksAboutReserved(options, objects),
    }),
    askAboutNodeClasses(ports, objects, {
      takenAt,
      all: options.resolveAllNodeClasses === true,
      types: market.table.types,
    }),
    readBufferTargets(ports.kube, objects.capacityBuffers),
    options.instanceStatus !== undefined && cluster.asksInstanceStatus === true
      ? readInstanceStatus(ports.aws, objects.nodeClaims, {
          question: options.instanceStatus,
          now: takenAt,
        })
      : { leftOut: [] },
  ]);
  const { kubernetesVersion } = asked;
  return assemble(objects, {
    takenAt,
    settings: {
      ...cluster,
      ...(kubernetesVersion !== undefined && { kubernetesVersion }),
    },
    catalog: catalogFor({
      market,
      settings: cluster,
      nodeClasses: objects.nodeClasses,
      soldOut: sold.soldOut,
      shiftedZones: shifted.zoneIds,
      reservationsTaken: reservationsTaken(objects.nodeClaims, objects.nodeClasses),
      now: takenAt,
    }),
    soldOut: sold.soldOut,
    leftOut: [
      ...read.leftOut,
      ...sold.leftOut,
      ...listed.leftOut,
      ...buffers.leftOut,
      ...market.leftOut,
      ...shifted.leftOut,
      ...ailing.leftOut,
      ...asked.leftOut,
    ],
    shiftedZones: shifted.zoneIds,
    ...(options.marketUpkeep === true && { market }),
    bufferTargets: buffers.targets,
    nodeClassFacts: asked.facts,
    nodeClassRemains: asked.remains,
    ...('status' in ailing && ailing.status && { instanceStatus: ailing.status }),
    ...(listed.instances !== undefined && { instances: listed.instances }),
    ...(listed.launchTemplates !== undefined && { launchTemplates: listed.launchTemplates }),
  });
}

/** Whether nodes were bought from a reservation, and somebody looks after those. */
const asksAboutReserved = (
  { marketUpkeep }: ObserveOptions,
  { nodeClaims }: DecodeResult['objects'],
): boolean =>
  marketUpkeep === true && nodeClaims.some(({ meta }) => meta.labels[RESERVATION_ID] !== undefined);

/** Subnets that a launch found full have no free address, whatever was counted before. */
function withFullSubnets(objects: DecodedObjects, full: readonly string[]): DecodedObjects {
  if (full.length === 0) return objects;
  const counted = (subnet: ResolvedSubnet): ResolvedSubnet =>
    full.includes(subnet.id) ? { ...subnet, freeAddresses: 0 } : subnet;
  const nodeClasses = objects.nodeClasses.map((each) => ({
    ...each,
    status: { ...each.status, subnets: each.status.subnets.map(counted) },
  }));
  return { ...objects, nodeClasses };
}

const readObjects = (
  kube: KubeTransport,
  { featureGates = [], defaultSpread }: ClusterSettings,
): Promise<DecodeResult> =>
  readKinds(kube, [
    ...SNAPSHOT_KINDS.map((kind) => ({ kind, ifMissing: refuse })),
    ...(defaultSpread ? SPREAD_KINDS.map((kind) => ({ kind, ifMissing: refuse })) : []),
    ...gatedKinds(featureGates).map((kind) => ({ kind, ifMissing: acceptUnknown })),
  ]);

function refuse(error: unknown): never {
  throw error;
}

/** A cluster in which the CRD of a kind is not installed has no object of it. */
function acceptUnknown(error: unknown): void {
  if (!isGone(error)) throw error;
}
