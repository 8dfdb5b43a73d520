import { compareText } from '#lib/constraints/order.ts';
import { has, operatorOf, type Requirement } from '#lib/constraints/requirement.ts';
import { type Requirements, specsOfRequirements } from '#lib/constraints/requirements.ts';
import { formatResources } from '#lib/constraints/resources.ts';
import { shortDigest } from '#lib/model/digest.ts';
import {
  CAPACITY_OVERLAY_APPLIED,
  FOR_PODS,
  isRestrictedLabel,
  MIN_VALUES_RELAXED,
  NODECLASS,
  NODEPOOL,
  NODEPOOL_HASH,
  NODEPOOL_HASH_VERSION,
  PRICE_OVERLAY_APPLIED,
  WELL_KNOWN,
} from '#lib/model/labels.ts';
import type { NewNodeClaim, NodeClaimSpec } from '#lib/model/node-claim.ts';
import { NODEPOOL_HASH_VERSION_VALUE, nodePoolHash } from '#lib/model/node-pool-hash.ts';
import type { PlannedNodeClaim } from '#lib/model/plan.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import type { SealedClaim } from '#lib/solver/opening/seal.ts';
import type { Source, SourceType } from '#lib/solver/sources.ts';
import { podDigest } from './pods-to-place.ts';

/** A node to be, under its name. */
export interface NamedClaim {
  readonly name: string;
  readonly sealed: SealedClaim;
}

const NAME_LENGTH = 5;

/**
 * `claims` under names made from their NodePool and pods: the same plan gives the same names, and
 * no name is one of `taken`.
 */
export function nameClaims(
  claims: readonly SealedClaim[],
  taken: ReadonlySet<string>,
): readonly NamedClaim[] {
  const used = new Set(taken);
  return claims.map((sealed) => {
    const uids = sealed.pods.map(({ meta }) => meta.uid).sort(compareText);
    const seed = [sealed.source.name, ...uids].join(' ');
    let name = '';
    for (let salt = 0; name === '' || used.has(name); salt++) {
      const salted = salt === 0 ? seed : `${seed} ${salt}`;
      name = `${sealed.source.name}-${shortDigest(salted, NAME_LENGTH)}`;
    }
    used.add(name);
    return { name, sealed };
  });
}

/**
 * Everything that the object of a NodeClaim will say, but for its launch group.
 *
 * Source: karpenter v1.14, provisioning/scheduling/nodeclaimtemplate.go, ToNodeClaim. There a
 * label is made up for every custom key that a pod wants absent or different, too; its absence
 * serves as well.
 */
export function newNodeClaim({ name, sealed }: NamedClaim): NewNodeClaim {
  const { nodePool } = sealed.source;
  const { template } = nodePool;
  return {
    name,
    labels: {
      ...template.labels,
      ...customLabels(sealed.requirements, sealed.source.requirements),
      [NODEPOOL]: nodePool.meta.name,
      [NODECLASS]: template.nodeClassRef.name,
    },
    annotations: {
      ...template.annotations,
      [NODEPOOL_HASH]: nodePoolHash(nodePool),
      [NODEPOOL_HASH_VERSION]: NODEPOOL_HASH_VERSION_VALUE,
      // A static NodePool's nodes are for no pods in particular.
      ...(nodePool.replicas === undefined && {
        [MIN_VALUES_RELAXED]: String(sealed.hasLoweredMinimums),
        [FOR_PODS]: sealed.pods.map(({ meta }) => podDigest(meta.uid)).join(' '),
      }),
      ...overlayMarks(sealed),
    },
    owner: { kind: 'NodePool', name: nodePool.meta.name, uid: nodePool.meta.uid },
    spec: specOf(sealed),
  };
}

/**
 * That some listed type is not what EC2 says it is.
 *
 * Source: karpenter v1.14, provisioning/scheduling/nodeclaimtemplate.go, ToNodeClaim.
 */
function overlayMarks({ source, instanceTypes }: SealedClaim): Readonly<Record<string, string>> {
  const { priced, sized } = overlaidIn(source);
  return {
    ...(instanceTypes.some((name) => priced.has(name)) && { [PRICE_OVERLAY_APPLIED]: 'true' }),
    ...(instanceTypes.some((name) => sized.has(name)) && { [CAPACITY_OVERLAY_APPLIED]: 'true' }),
  };
}

/** Names of types of which NodeOverlays changed a price, or the capacity. */
interface OverlaidTypes {
  readonly priced: ReadonlySet<string>;
  readonly sized: ReadonlySet<string>;
}

// Asked for each of many claims of one NodePool; it follows from the Source alone.
const overlaidTypes = new WeakMap<Source, OverlaidTypes>();

function overlaidIn(source: Source): OverlaidTypes {
  const known = overlaidTypes.get(source);
  if (known) return known;
  const named = (types: readonly SourceType[]) => new Set(types.map(({ type }) => type.name));
  const found = {
    priced: named(
      source.types.filter(({ offerings }) => offerings.some((each) => each.hasOverlaidPrice)),
    ),
    sized: named(source.types.filter(({ type }) => type.hasOverlaidCapacity)),
  };
  overlaidTypes.set(source, found);
  return found;
}

function specOf({ source, requirements, requests }: SealedClaim): NodeClaimSpec {
  const { template } = source.nodePool;
  return {
    taints: template.taints,
    startupTaints: template.startupTaints,
    requirements: specsOfRequirements(requirements),
    requests,
    nodeClassRef: template.nodeClassRef,
    expireAfter: template.expireAfter,
    ...(template.terminationGraceMs !== undefined && {
      terminationGraceMs: template.terminationGraceMs,
    }),
  };
}

/** A value for each key of the pool's own that nobody but the pool can settle. */
function customLabels(
  requirements: Requirements,
  ofPool: Requirements,
): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  for (const [key, requirement] of requirements) {
    if (WELL_KNOWN.has(key) || key === NODECLASS || isRestrictedLabel(key) || !ofPool.has(key)) {
      continue;
    }
    const value = someValue(requirement);
    if (value !== undefined) labels[key] = value;
  }
  return labels;
}

/** The first listed value, or the smallest number that is allowed; nothing where none may be. */
function someValue(requirement: Requirement): string | undefined {
  switch (operatorOf(requirement)) {
    case 'In':
      return [...requirement.values].sort(compareText)[0];
    case 'DoesNotExist':
      return undefined;
    default: {
      let value = requirement.gte ?? 0n;
      const { lte } = requirement;
      if (lte !== undefined && lte < value) value = lte;
      while (!has(requirement, `${value}`) && requirement.values.has(`${value}`)) value += 1n;
      return `${value}`;
    }
  }
}

/** Every name that a new NodeClaim may not have. */
export const namesIn = ({ nodes }: Snapshot): ReadonlySet<string> =>
  new Set(nodes.flatMap(({ name, claim }) => (claim ? [name, claim.meta.name] : [name])));

/** The node to be as the plan tells it. */
export function plannedNodeClaim({ name, sealed }: NamedClaim): PlannedNodeClaim {
  const { instanceType, offering } = sealed.cheapest;
  return {
    name,
    nodePool: sealed.source.name,
    instanceTypes: sealed.instanceTypes,
    requirements: specsOfRequirements(sealed.requirements),
    requests: formatResources(sealed.requests),
    pods: sealed.pods.map(podName),
    cheapest: { instanceType, zone: offering.zone, capacityType: offering.capacityType },
    usdPerHour: offering.usdPerHour,
  };
}

/** A pod as plans name it. */
export const podName = ({ meta }: Pod): string => `${meta.namespace}/${meta.name}`;
