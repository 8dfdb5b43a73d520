import { byName } from '#lib/constraints/order.ts';
import { isRejection, type Rejection, reject } from '#lib/constraints/rejection.ts';
import { requirementsOf } from '#lib/constraints/requirements.ts';
import { maxResources } from '#lib/constraints/resources.ts';
import { type ImageChoice, imageChoice } from '#lib/ec2/images/image-choice.ts';
import { type Catalog, typesForClaim } from '#lib/model/catalog.ts';
import type { Offering } from '#lib/model/instance-type.ts';
import { NODEPOOL } from '#lib/model/labels.ts';
import type { Json, Launch } from '#lib/model/launch.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { NodeClass, ResolvedSubnet } from '#lib/model/node-class.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import { dispensableTemplates } from './dispensable-templates.ts';
import { launchCandidates } from './launch-candidates.ts';
import { type Candidate, kindOfReservation, type Reservations } from './launch-filters.ts';
import { type FleetConfig, fleetOf } from './launch-fleet.ts';
import { type Addresses, addressesFor, subnetsByZone } from './launch-subnets.ts';
import { launchTemplateOf, type TemplateBasis } from './launch-template.ts';
import { launchTags, tagsProblem } from './tags.ts';

/** What a launch depends on besides its claims. */
export interface LaunchContext {
  readonly catalog: Catalog;
  readonly settings: ClusterSettings;
  /** How many launches of the group came to nothing: each attempt is a call of its own. */
  readonly attempt: number;
  /** What other launches of this look may take of the subnets; nothing where absent. */
  readonly promised?: Addresses;
}

/**
 * The CreateFleet call that gives each of these claims an instance, or why there is none to make.
 * The claims must ask for the same: what the first one says counts for all, and each instance can
 * hold what any of them requests. Whether the NodeClass is ready is the caller's to know.
 *
 * The same claims and attempt always give the same client token, whatever else changed.
 *
 * Source: karpenter AWS provider v1.14, providers/instance/instance.go, Create.
 */
export function launchOf(
  claims: readonly NodeClaim[],
  nodePool: NodePool | undefined,
  nodeClass: NodeClass,
  context: LaunchContext,
): Launch | Rejection {
  const sorted = [...claims].sort(byName);
  const [first] = sorted;
  if (first === undefined) throw new Error('launchOf: expected at least one NodeClaim, found none');
  const problem = refusal(nodeClass);
  if (problem !== undefined) return problem;

  const { catalog, settings, attempt, promised = {} } = context;
  const requirements = requirementsOf(first.spec.requirements);
  const requests = sorted.map(({ spec }) => spec.requests).reduce(maxResources);
  const reservations = reservationsOf(nodeClass);
  const candidates = launchCandidates(typesForClaim(catalog, first), {
    requirements,
    requests,
    reservations,
    minValuesPolicy: settings.minValuesPolicy,
  });
  if (isRejection(candidates)) return candidates;

  const { capacityType, list } = candidates;
  const pool = nodePool?.meta.name ?? first.meta.labels[NODEPOOL] ?? '';
  const tags = launchTags(nodeClass, pool, settings);
  const basis = { claim: first, nodeClass, capacityType, requirements, requests, tags, settings };
  const subnets = subnetsByZone(nodeClass.status.subnets, promised);
  const configs = configsOf(basis, list, { subnets, reservations });
  if (isRejection(configs)) return configs;
  return {
    ...fleetOf(sorted, basis, configs, { attempt, kind: kindOf(list, reservations) }),
    ...(nodeClass.status.placementGroup && { placementGroup: nodeClass.status.placementGroup.id }),
    addresses: addressesFor(sorted.length, list, subnets),
    dispensable: dispensableTemplates(configs, basis),
  };
}

const reservationsOf = ({ status }: NodeClass): Reservations =>
  new Map(status.capacityReservations.map((each) => [each.id, each]));

/** All reservations of one launch are of one kind. */
const kindOf = ([first]: readonly Candidate[], reservations: Reservations) =>
  kindOfReservation(reservations.get(first?.offerings[0]?.reservationId ?? ''));

/** What about a NodeClass cannot be launched with, whatever the claim. */
function refusal(nodeClass: NodeClass): Rejection | undefined {
  const { spec, status, meta } = nodeClass;
  const refuse = (because: string) => reject('nodeClass', `EC2NodeClass ${meta.name} ${because}`);
  const wrongTag = tagsProblem(spec.tags);
  if (wrongTag !== undefined) return refuse(`cannot be launched with: ${wrongTag}`);
  if (status.amis.length === 0) return refuse('has no image in its status');
  if (status.subnets.length === 0) return refuse('has no subnet in its status');
  if (status.securityGroups.length === 0) return refuse('has no security group in its status');
  if (spec.placementGroupSelector !== undefined && status.placementGroup === undefined) {
    return refuse('selects a placement group that was not found');
  }
  return undefined;
}

/** What a NodeClass resolved to that a type is launched into. */
interface Places {
  readonly subnets: ReadonlyMap<string, ResolvedSubnet>;
  readonly reservations: Reservations;
}

function configsOf(
  basis: TemplateBasis,
  candidates: readonly Candidate[],
  places: Places,
): readonly FleetConfig[] | Rejection {
  const choose = imageChoice(basis.nodeClass.status.amis);
  const configs = new Map<string, FleetConfig & { overrides: Json[] }>();
  for (const candidate of candidates.flatMap(byReservation)) {
    const entry = entryOf(basis, candidate, choose, places);
    if (isRejection(entry)) return entry;
    if (entry === undefined) continue;
    const config = configs.get(entry.template.name) ?? { template: entry.template, overrides: [] };
    config.overrides.push(...entry.overrides);
    configs.set(entry.template.name, config);
  }
  if (configs.size > 0) return [...configs.values()];
  return reject(
    'instanceTypes',
    'no image or no subnet for any instance type that can be bought now',
  );
}

/** A template names one reservation, so the offerings of each come apart. */
const byReservation = ({ type, offerings }: Candidate): readonly Candidate[] =>
  [...Map.groupBy(offerings, ({ reservationId }) => reservationId).values()].map((together) => ({
    type,
    offerings: together,
  }));

/** A type as EC2 is asked for it, one override a zone; undefined where nothing boots on it. */
function entryOf(
  basis: TemplateBasis,
  { type, offerings }: Candidate,
  choose: ImageChoice,
  { subnets, reservations }: Places,
): FleetConfig | Rejection | undefined {
  const image = choose(type);
  if (image === undefined) return undefined;
  const overrides = oncePerZone(offerings).flatMap(({ zone, usdPerHour }): readonly Json[] => {
    const subnet = subnets.get(zone);
    if (subnet === undefined) return [];
    return [
      {
        InstanceType: type.name,
        SubnetId: subnet.id,
        ImageId: image.id,
        AvailabilityZone: zone,
        Priority: usdPerHour,
      },
    ];
  });
  if (overrides.length === 0) return undefined;
  const reservation = reservations.get(offerings[0]?.reservationId ?? '');
  const template = launchTemplateOf(basis, type, image, reservation);
  return isRejection(template) ? template : { template, overrides };
}

/** EC2 takes a type and zone once: the offerings of several partitions are one to it. */
const oncePerZone = (offerings: readonly Offering[]): readonly Offering[] =>
  offerings.filter(({ zone }, at) => offerings.findIndex((other) => other.zone === zone) === at);
