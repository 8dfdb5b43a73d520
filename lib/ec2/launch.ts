import { byName } from '#lib/constraints/order.ts';
import { isRejection, type Rejection, reject } from '#lib/constraints/rejection.ts';
import { has } from '#lib/constraints/requirement.ts';
import { type Requirements, requirementsOf } from '#lib/constraints/requirements.ts';
import { maxResources } from '#lib/constraints/resources.ts';
import type { Catalog } from '#lib/model/catalog.ts';
import { shortDigest } from '#lib/model/digest.ts';
import { INSTANCE_TENANCY, LAUNCH_GROUP, MIN_VALUES_RELAXED, NODEPOOL } from '#lib/model/labels.ts';
import type { Json, Launch, LaunchTemplate } from '#lib/model/launch.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { NodeClass, ResolvedSubnet } from '#lib/model/node-class.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import { claimRef } from '#lib/model/object-ref.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import { type ImageChoice, imageChoice } from './image-choice.ts';
import { type Candidate, type Candidates, launchCandidates } from './launch-candidates.ts';
import { launchTemplateOf, type TemplateBasis } from './launch-template.ts';
import { notSupported } from './node-class-support.ts';
import { instanceTags, launchTags, restrictedTag, tagSpecification } from './tags.ts';

/** What a launch depends on besides its claims. */
export interface LaunchContext {
  readonly catalog: Catalog;
  readonly settings: ClusterSettings;
  /** How many launches of the group came to nothing: each attempt is a call of its own. */
  readonly attempt: number;
}

/** EC2 takes 64 characters. Source: EC2 API, CreateFleet, ClientToken. */
const TOKEN_LENGTH = 40;

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

  const requirements = requirementsOf(first.spec.requirements);
  const requests = sorted.map(({ spec }) => spec.requests).reduce(maxResources);
  const candidates = launchCandidates(
    context.catalog.byNodeClass.get(nodeClass.meta.name) ?? [],
    requirements,
    requests,
    context.settings.minValuesPolicy,
  );
  if (isRejection(candidates)) return candidates;

  const pool = nodePool?.meta.name ?? first.meta.labels[NODEPOOL] ?? '';
  const basis: TemplateBasis = {
    claim: first,
    nodeClass,
    capacityType: candidates.capacityType,
    tenancy: tenancyOf(requirements),
    requests,
    tags: launchTags(nodeClass, pool, context.settings),
    settings: context.settings,
  };
  const configs = configsOf(basis, candidates);
  if (isRejection(configs)) return configs;
  return launchWith(sorted, basis, configs, context.attempt);
}

/** What about a NodeClass cannot be launched with, whatever the claim. */
function refusal(nodeClass: NodeClass): Rejection | undefined {
  const { spec, status, meta } = nodeClass;
  const refuse = (because: string) => reject('nodeClass', `EC2NodeClass ${meta.name} ${because}`);
  const tag = restrictedTag(spec.tags);
  if (tag !== undefined) return refuse(`sets the tag ${tag}, which is Joinery's to set`);
  const lacking = notSupported(nodeClass);
  if (lacking !== undefined) return reject('unsupported', `EC2NodeClass ${meta.name} ${lacking}`);
  if (status.amis.length === 0) return refuse('has no image in its status');
  if (status.securityGroups.length === 0) return refuse('has no security group in its status');
  return undefined;
}

/** One launch template and the types and zones that are to be tried with it. */
interface FleetConfig {
  readonly template: LaunchTemplate;
  readonly overrides: readonly Json[];
}

function configsOf(
  basis: TemplateBasis,
  candidates: Candidates,
): readonly FleetConfig[] | Rejection {
  const { status } = basis.nodeClass;
  const choose = imageChoice(status.amis);
  const subnets = subnetsByZone(status.subnets);
  const configs = new Map<string, { template: LaunchTemplate; overrides: Json[] }>();
  for (const candidate of candidates.list) {
    const entry = entryOf(basis, candidate, choose, subnets);
    if (isRejection(entry)) return entry;
    if (entry === undefined) continue;
    const config = configs.get(entry.template.name) ?? { template: entry.template, overrides: [] };
    config.overrides.push(...entry.overrides);
    configs.set(entry.template.name, config);
  }
  if (configs.size > 0) return [...configs.values()];
  return reject('offerings', 'no image or no subnet for any instance type that can be bought now');
}

/** A type as EC2 is asked for it, one override a zone; undefined where nothing boots on it. */
function entryOf(
  basis: TemplateBasis,
  { type, offerings }: Candidate,
  choose: ImageChoice,
  subnets: ReadonlyMap<string, ResolvedSubnet>,
): FleetConfig | Rejection | undefined {
  const image = choose(type);
  if (image === undefined) return undefined;
  const overrides = offerings.flatMap(({ zone, usdPerHour }): readonly Json[] => {
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
  const template = launchTemplateOf(basis, type, image);
  return isRejection(template) ? template : { template, overrides };
}

/** In each zone the subnet with the most free addresses; of equals the first of the status. */
function subnetsByZone(subnets: readonly ResolvedSubnet[]): ReadonlyMap<string, ResolvedSubnet> {
  const best = new Map<string, ResolvedSubnet>();
  for (const subnet of subnets) {
    const known = best.get(subnet.zone);
    if (known === undefined || (subnet.freeAddresses ?? 0) > (known.freeAddresses ?? 0)) {
      best.set(subnet.zone, subnet);
    }
  }
  return best;
}

function launchWith(
  claims: readonly NodeClaim[],
  basis: TemplateBasis,
  configs: readonly FleetConfig[],
  attempt: number,
): Launch {
  const group = groupOf(basis.claim);
  const tags = { ...basis.tags, ...instanceTags(group, claims) };
  const isSpot = basis.capacityType === 'spot';
  const uids = claims.map(({ meta }) => meta.uid);
  return {
    group,
    claims: claims.map(claimRef),
    clientToken: shortDigest(JSON.stringify([group, uids, attempt]), TOKEN_LENGTH),
    launchTemplates: configs.map(({ template }) => template),
    request: {
      Type: 'instant',
      ...contextOf(basis),
      LaunchTemplateConfigs: configs.map(({ template, overrides }) => ({
        LaunchTemplateSpecification: { LaunchTemplateName: template.name, Version: '$Latest' },
        Overrides: overrides,
      })),
      ...(isSpot
        ? { SpotOptions: { AllocationStrategy: 'price-capacity-optimized' } }
        : { OnDemandOptions: { AllocationStrategy: 'lowest-price' } }),
      TargetCapacitySpecification: {
        TotalTargetCapacity: claims.length,
        DefaultTargetCapacityType: basis.capacityType,
      },
      TagSpecifications: [
        tagSpecification('instance', tags),
        tagSpecification('volume', basis.tags),
        tagSpecification('fleet', basis.tags),
      ],
    },
  };
}

/** The group's name, without the size that its annotation also tells. */
const groupOf = ({ meta }: NodeClaim): string =>
  (meta.annotations[LAUNCH_GROUP] ?? meta.uid).split('/')[0] ?? meta.uid;

/** A context that promises a number of choices is not passed on where minValues were relaxed. */
function contextOf({ claim, nodeClass }: TemplateBasis): { readonly [key: string]: Json } {
  const { context } = nodeClass.spec;
  const isRelaxed = claim.meta.annotations[MIN_VALUES_RELAXED] === 'true';
  return context === undefined || isRelaxed ? {} : { Context: context };
}

function tenancyOf(requirements: Requirements): 'default' | 'dedicated' {
  const asked = requirements.get(INSTANCE_TENANCY);
  return asked === undefined || has(asked, 'default') ? 'default' : 'dedicated';
}
