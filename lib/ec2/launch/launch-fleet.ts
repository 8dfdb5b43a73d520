import { shortDigest } from '#lib/model/digest.ts';
import { LAUNCH_GROUP, MIN_VALUES_RELAXED, PRICE_OVERLAY_APPLIED } from '#lib/model/labels.ts';
import type { Json, Launch, LaunchTemplate } from '#lib/model/launch.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import { claimRef } from '#lib/model/object-ref.ts';
import type { ReservationKind } from './launch-filters.ts';
import type { TemplateBasis } from './launch-template.ts';
import { instanceTags, tagSpecification } from './tags.ts';

/** One launch template and the types and zones that are to be tried with it. */
export interface FleetConfig {
  readonly template: LaunchTemplate;
  readonly overrides: readonly Json[];
}

/** EC2 takes 64 characters. Source: EC2 API, CreateFleet, ClientToken. */
const TOKEN_LENGTH = 40;

type Fields = Readonly<Record<string, Json>>;

/**
 * The CreateFleet call by which `claims`, sorted by name, get an instance each. The group's name
 * goes onto the instances; templates and all other tags are the same for every such call.
 *
 * Source: karpenter AWS provider v1.14, providers/instance/instance.go, CreateFleetInputBuilder.
 */
export function fleetOf(
  claims: readonly NodeClaim[],
  basis: TemplateBasis,
  configs: readonly FleetConfig[],
  { attempt, kind }: { readonly attempt: number; readonly kind: ReservationKind },
): Omit<Launch, 'addresses' | 'dispensable'> {
  const group = groupOf(basis.claim);
  const uids = claims.map(({ meta }) => meta.uid);
  const market = marketOf(basis, kind);
  return {
    group,
    claims: claims.map(claimRef),
    clientToken: shortDigest(JSON.stringify([group, uids, attempt]), TOKEN_LENGTH),
    capacityType: basis.capacityType,
    launchTemplates: configs.map(({ template }) => template),
    request: {
      Type: 'instant',
      ...contextOf(basis),
      LaunchTemplateConfigs: configs.map(({ template, overrides }) => ({
        LaunchTemplateSpecification: { LaunchTemplateName: template.name, Version: '$Latest' },
        Overrides: overrides,
      })),
      ...market.options,
      TargetCapacitySpecification: {
        TotalTargetCapacity: claims.length,
        DefaultTargetCapacityType: market.targetType,
      },
      TagSpecifications: [
        tagSpecification('instance', { ...basis.tags, ...instanceTags(group, claims) }),
        tagSpecification('volume', basis.tags),
        tagSpecification('fleet', basis.tags),
      ],
    },
  };
}

/** How the fleet is to choose, and what it buys; where prices were overlaid, our order counts. */
function marketOf(
  { capacityType, claim }: TemplateBasis,
  kind: ReservationKind,
): { readonly targetType: string; readonly options: Fields } {
  const isOverlaid = claim.meta.annotations[PRICE_OVERLAY_APPLIED] !== undefined;
  if (capacityType === 'spot') {
    const strategy = isOverlaid ? 'capacity-optimized-prioritized' : 'price-capacity-optimized';
    return { targetType: 'spot', options: { SpotOptions: { AllocationStrategy: strategy } } };
  }
  if (capacityType === 'reserved' && kind === 'capacity-block') {
    return { targetType: 'capacity-block', options: {} };
  }
  if (capacityType === 'reserved' && kind === 'interruptible') {
    const options = { ReservationTypes: ['interruptible-capacity-reservation'] };
    return { targetType: 'reserved-capacity', options: { ReservedCapacityOptions: options } };
  }
  const strategy = isOverlaid ? 'prioritized' : 'lowest-price';
  return {
    targetType: 'on-demand',
    options: { OnDemandOptions: { AllocationStrategy: strategy } },
  };
}

/** The group's name, without the size that its annotation also tells. */
const groupOf = ({ meta }: NodeClaim): string =>
  (meta.annotations[LAUNCH_GROUP] ?? meta.uid).split('/')[0] ?? meta.uid;

/** A context that promises a number of choices is not passed on where minValues were relaxed. */
function contextOf({ claim, nodeClass }: TemplateBasis): Fields {
  const { context } = nodeClass.spec;
  const isRelaxed = claim.meta.annotations[MIN_VALUES_RELAXED] === 'true';
  return context === undefined || isRelaxed ? {} : { Context: context };
}
