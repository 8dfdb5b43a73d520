import type { HostPort } from '#lib/constraints/host-ports.ts';
import { compareText } from '#lib/constraints/order.ts';
import { isRejection, type Rejection, reject } from '#lib/constraints/rejection.ts';
import type { RequirementSpec } from '#lib/constraints/requirement.ts';
import {
  agrees,
  intersectRequirements,
  NO_REQUIREMENTS,
  type Requirements,
  requirementsOf,
  requirementsOfLabels,
} from '#lib/constraints/requirements.ts';
import { type Resources, subtractResources } from '#lib/constraints/resources.ts';
import type { Taint } from '#lib/constraints/taints.ts';
import { typesFor } from '#lib/model/catalog.ts';
import { conditionOf, isTrue } from '#lib/model/conditions.ts';
import type { InstanceType, Offering } from '#lib/model/instance-type.ts';
import { AWS_GROUP, INSTANCE_TYPE, NODECLASS, NODEPOOL } from '#lib/model/labels.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { usdLimitProblem } from '#lib/model/usd-limit.ts';
import { type Amounts, type Axes, amountsOf } from './amounts.ts';
import { type ConditionsOfSale, conditionsOfSale } from './conditions-of-sale.ts';
import { daemonLoad, daemonsOfTemplate } from './daemons.ts';
import { isContradiction, presentIn } from './pods/ask.ts';
import { describeMissingTypes } from './refusals/mismatch.ts';
import type { AttachmentLimits } from './volumes/attachments.ts';

/** An instance type as one NodePool would launch it. */
export interface SourceType {
  readonly type: InstanceType;
  /** The type's labels, its name among them. */
  readonly requirements: Requirements;
  readonly daemonRequests: Resources;
  readonly daemonPorts: readonly HostPort[];
  /** What is left for pods when the daemons run. */
  readonly room: Resources;
  readonly roomAmounts: Amounts;
  /** How many volumes its nodes may have attached; absent where none is known. */
  readonly attachmentLimits?: AttachmentLimits;
  /** Those that can be had now and that the pool allows, cheapest first, labels complete. */
  readonly offerings: readonly Offering[];
}

/** A NodePool that can give nodes to pods, with the types that its template leaves. */
export interface Source {
  readonly nodePool: NodePool;
  readonly name: string;
  /** The template's, its labels and the pool's own labels included. */
  readonly requirements: Requirements;
  /** The keys that the template demands to be there. */
  readonly present: Requirements;
  readonly taints: readonly Taint[];
  /** By name. Types without an available offering are kept: they explain refusals. */
  readonly types: readonly SourceType[];
  readonly hasMinValues: boolean;
}

/** A NodePool that can give no node, and why. */
export interface NoSource {
  readonly nodePool: NodePool;
  readonly rejection: Rejection;
}

/** What the NodePools can give, each list heaviest pool first, then by name from z to a. */
export interface Sources {
  readonly sources: readonly Source[];
  readonly others: readonly NoSource[];
}

/**
 * Which NodePools can give nodes, and of which types.
 *
 * Source: karpenter v1.14, provisioning/provisioner.go, NewScheduler; utils/nodepool,
 * OrderByWeight.
 */
export function sourcesOf(snapshot: Snapshot, axes: Axes): Sources {
  const sources: Source[] = [];
  const others: NoSource[] = [];
  for (const nodePool of [...snapshot.nodePools].sort(heaviestFirst)) {
    const source = whyNoSource(nodePool, snapshot) ?? sourceOf(nodePool, snapshot, axes);
    if (isRejection(source)) others.push({ nodePool, rejection: source });
    else sources.push(source);
  }
  return { sources, others };
}

const heaviestFirst = (a: NodePool, b: NodePool): number =>
  b.weight - a.weight || compareText(b.meta.name, a.meta.name);

function whyNoSource(nodePool: NodePool, snapshot: Snapshot): Rejection | undefined {
  return nodePool.replicas === undefined
    ? whyNoNodes(nodePool, snapshot)
    : reject('eligibility', 'it has a fixed number of replicas and makes no nodes for pods');
}

/** Why a NodePool can make no node at all, for pods or not; undefined where it can. */
export function whyNoNodes(nodePool: NodePool, { catalog }: Snapshot): Rejection | undefined {
  const { group, kind, name } = nodePool.template.nodeClassRef;
  if (nodePool.meta.deletedAt !== undefined) return reject('eligibility', 'it is being deleted');
  if (group !== AWS_GROUP || kind !== 'EC2NodeClass') {
    return reject('nodeClass', `its node class ${kind}.${group} is not one that Joinery manages`);
  }
  const badLimit = usdLimitProblem(nodePool.meta);
  if (badLimit !== undefined) return reject('eligibility', badLimit);
  if (!isTrue(nodePool.status.conditions, 'Ready')) {
    return reject('eligibility', `it is not ready${whyNotReady(nodePool)}`);
  }
  if (typesFor(catalog, nodePool).length === 0) {
    return reject('nodeClass', `no instance type is known for its EC2NodeClass ${name}`);
  }
  return undefined;
}

/** What Ready sums up for a NodePool. Source: karpenter v1.14, apis/v1/nodepool_status.go. */
const READY_SUMS_UP: readonly string[] = ['NodeClassReady', 'ValidationSucceeded'];

/** What is behind it, as far as the conditions tell. */
function whyNotReady({ status, template }: NodePool): string {
  const behind = status.conditions
    .filter((each) => READY_SUMS_UP.includes(each.type) && each.status !== 'True')
    .sort((a, b) => compareText(a.type, b.type))
    .map(({ type, reason, message }) => {
      const about = type === 'NodeClassReady' ? `EC2NodeClass ${template.nodeClassRef.name}: ` : '';
      return `${reason === '' ? type : reason} (${about}${message})`;
    });
  if (behind.length > 0) return `: ${behind.join('; ')}`;
  const message = conditionOf(status.conditions, 'Ready')?.message ?? '';
  return message === '' ? '' : `: ${message}`;
}

/** What a NodePool that can make nodes can give, or why its template leaves nothing. */
export function sourceOf(
  nodePool: NodePool,
  { catalog, daemonSets }: Snapshot,
  axes: Axes,
): Source | Rejection {
  const { template } = nodePool;
  const lines = templateLines(nodePool);
  const requirements = requirementsOf(lines);
  const present = presentIn(lines);
  if (isContradiction(lines)) {
    return reject('instanceTypes', 'its requirements and labels contradict each other');
  }
  const daemons = daemonsOfTemplate(daemonSets, requirements, template.taints);
  const allows = (labels: Requirements) => agrees(labels, requirements) && agrees(labels, present);
  const conditions = conditionsOfSale(allows);
  const launched = (type: InstanceType): SourceType => {
    const labels = labelsOfType(type);
    const load = daemonLoad(daemons, labels);
    const room = subtractResources(type.allocatable, load.requests);
    return {
      type,
      requirements: labels,
      daemonRequests: load.requests,
      daemonPorts: load.hostPorts,
      room,
      roomAmounts: isOverdrawn(room) ? axes.map(() => -1) : amountsOf(room, axes),
      offerings: offeringsOf(type, conditions),
    };
  };
  const types = [...typesFor(catalog, nodePool)].sort((a, b) => compareText(a.name, b.name));
  const allowed = types.filter((type) => allows(labelsOfType(type))).map(launched);
  if (allowed.length === 0) {
    const sold = types.map(launched);
    const missing = describeMissingTypes(sold, NO_REQUIREMENTS, requirements, 'is sold here');
    return reject('instanceTypes', missing);
  }
  return {
    nodePool,
    name: nodePool.meta.name,
    requirements,
    present,
    taints: template.taints,
    types: allowed,
    hasMinValues: [...requirements.values()].some(({ minValues = 0 }) => minValues > 0),
  };
}

/** Whether the daemons alone ask for more than there is. */
const isOverdrawn = (room: Resources): boolean => Object.values(room).some((left) => left < 0);

/** Everything that a node of the pool is known to be before a pod or a type has narrowed it. */
function templateLines({ meta, template }: NodePool): readonly RequirementSpec[] {
  const labels = {
    ...template.labels,
    [NODEPOOL]: meta.name,
    [NODECLASS]: template.nodeClassRef.name,
  };
  const promised = Object.entries(labels).map(
    ([key, value]): RequirementSpec => ({ key, operator: 'In', values: [value] }),
  );
  return [...template.requirements, ...promised];
}

/** The labels of a type; its name is one, whether or not the catalog says so. */
function labelsOfType(type: InstanceType): Requirements {
  if (type.requirements.has(INSTANCE_TYPE)) return type.requirements;
  return intersectRequirements(
    type.requirements,
    requirementsOfLabels({ [INSTANCE_TYPE]: type.name }),
  );
}

/** What can be had now and is allowed by the template, with every label it decides. */
function offeringsOf(type: InstanceType, conditionsIn: ConditionsOfSale): readonly Offering[] {
  return type.offerings
    .filter(isForSale)
    .flatMap((offering) => {
      const { isAllowed, labels } = conditionsIn(offering);
      return isAllowed ? [{ ...offering, requirements: labels }] : [];
    })
    .sort(cheapestFirst);
}

/** Whether an offering can be had now; a reservation that nobody can name or that is used up cannot. */
const isForSale = ({ available, capacityType, ...offering }: Offering): boolean =>
  available &&
  (capacityType !== 'reserved' ||
    (offering.reservationId !== undefined && (offering.reservationCapacity ?? 0) > 0));

/** Orders offerings by price, then zone, capacity type and reservation. */
const cheapestFirst = (a: Offering, b: Offering): number =>
  a.usdPerHour - b.usdPerHour ||
  compareText(a.zone, b.zone) ||
  compareText(a.capacityType, b.capacityType) ||
  compareText(a.reservationId ?? '', b.reservationId ?? '');
