import { dirname, join } from 'node:path';
import { compareText } from '#lib/constraints/order.ts';
import { type Requirement, requirementOf } from '#lib/constraints/requirement.ts';
import {
  intersectRequirements,
  type Requirements,
  requirementsOf,
  requirementsOfLabels,
  specsOfRequirements,
} from '#lib/constraints/requirements.ts';
import { allocatableOf } from '#lib/ec2/kubelet/overhead.ts';
import { decodeRequirement } from '#lib/kube/decode/decode-scheduling.ts';
import {
  DecodeError,
  list,
  listOf,
  optional,
  required,
  unexpected,
  type Wire,
  wire,
  withDefault,
} from '#lib/kube/decode/field.ts';
import { amounts, flag, integer, name, oneOf, text, textMap } from '#lib/kube/decode/scalar.ts';
import type { InstanceType, KubeletReserves, Offering } from '#lib/model/instance-type.ts';
import { CAPACITY_TYPE, INSTANCE_TYPE, RESERVATION_ID, ZONE, ZONE_ID } from '#lib/model/labels.ts';
import type { OfferedTypes } from './file-catalog.ts';
import { fileSentence, textOfFile } from './json-file.ts';

/** Why a catalog file cannot be used: what, where, and what to do. */
export interface BadCatalog {
  readonly problem: string;
}

/**
 * The catalog in a JSON file, gzipped or not. Offerings get the labels that follow from them, and
 * types those that follow from their name and offerings, where the file leaves them out. A file that
 * holds nothing but a relative path is a link, and is followed once.
 */
export async function readCatalogFile(path: string): Promise<OfferedTypes | BadCatalog> {
  try {
    const content = await textOfFile(path);
    const link = LINK.test(content) ? join(dirname(path), content.trim()) : undefined;
    const linked = link === undefined ? content : await textOfFile(link);
    if (linked.trim() === '') return { problem: `${path}: the catalog file is empty` };
    return decodeCatalog(JSON.parse(linked));
  } catch (error) {
    return { problem: `${path}: ${fileSentence(error, 'catalog', 'the plan format, catalog')}` };
  }
}

/** A symbolic link that Git checked out as a file, where it may not make links. */
const LINK = /^\.{1,2}\/[\w./-]{1,200}\.json(\.gz)?\n?$/;

/** A catalog from its JSON. Throws a DecodeError that names the field. */
export function decodeCatalog(value: unknown): OfferedTypes {
  const fields = wire(value);
  const instanceTypes = required(fields, 'instanceTypes', listOf(typeDecoder()));
  const sorted = [...instanceTypes].sort((a, b) => compareText(a.name, b.name));
  const twice = sorted.find((type, at) => type.name === sorted[at + 1]?.name);
  if (twice) {
    throw new DecodeError('instanceTypes', `${twice.name} is listed twice; keep one of them`);
  }
  return {
    region: required(fields, 'region', name),
    pricedAt: withDefault(fields, 'pricedAt', 'unknown', text),
    spotPricesAreEstimates: withDefault(fields, 'spotPricesAreEstimates', false, flag),
    instanceTypes: sorted,
  };
}

/** Decodes the types of one catalog: thousands of offerings share a few dozen sets of labels. */
function typeDecoder(): (value: unknown) => InstanceType {
  const decodeOffering = offeringDecoder();
  return (value) => decodeInstanceType(wire(value), decodeOffering);
}

function decodeInstanceType(
  fields: Wire,
  decodeOffering: (value: unknown) => Offering,
): InstanceType {
  const typeName = required(fields, 'name', name);
  const capacity = required(fields, 'capacity', amounts);
  const overhead = withDefault(fields, 'overhead', {}, amounts);
  const reserves = optional(fields, 'reserves', decodeReserves);
  const offerings = required(fields, 'offerings', listOf(decodeOffering));
  return {
    name: typeName,
    requirements: withDerivedLabels(
      requirementsOf(list(fields, 'requirements', decodeRequirement)),
      typeName,
      offerings,
    ),
    capacity,
    overhead,
    allocatable: allocatableOf(capacity, overhead),
    ...(reserves && { reserves }),
    offerings: [...offerings].sort(
      (a, b) =>
        a.usdPerHour - b.usdPerHour ||
        compareText(a.zone, b.zone) ||
        compareText(a.capacityType, b.capacityType) ||
        compareText(a.reservationId ?? '', b.reservationId ?? ''),
    ),
  };
}

function decodeReserves(value: unknown): KubeletReserves {
  const fields = wire(value);
  return {
    kubeReserved: withDefault(fields, 'kubeReserved', {}, textMap),
    systemReserved: withDefault(fields, 'systemReserved', {}, textMap),
  };
}

function withDerivedLabels(
  known: Requirements,
  typeName: string,
  offerings: readonly Offering[],
): Requirements {
  const derived: readonly Requirement[] = [
    requirementOf({ key: INSTANCE_TYPE, operator: 'In', values: [typeName] }),
    requirementOf({ key: ZONE, operator: 'In', values: offerings.map(({ zone }) => zone) }),
    requirementOf({
      key: CAPACITY_TYPE,
      operator: 'In',
      values: offerings.map(({ capacityType }) => capacityType),
    }),
  ];
  const missing = derived.filter(({ key }) => !known.has(key));
  return new Map([...known, ...missing.map((each) => [each.key, each] as const)]);
}

function offeringDecoder(): (value: unknown) => Offering {
  const known = new Map<string, Requirements>();
  return (value) => {
    const offering = decodeOffering(wire(value));
    const text = JSON.stringify(specsOfRequirements(offering.requirements));
    const requirements = known.get(text) ?? offering.requirements;
    known.set(text, requirements);
    return { ...offering, requirements };
  };
}

function decodeOffering(fields: Wire): Offering {
  const capacityType = required(fields, 'capacityType', oneOf('on-demand', 'spot', 'reserved'));
  const zone = required(fields, 'zone', name);
  const zoneId = withDefault(fields, 'zoneId', '', text);
  const reservationId = optional(fields, 'reservationId', name);
  const reservationCapacity = optional(fields, 'reservationCapacity', integer);
  return {
    zone,
    zoneId,
    capacityType,
    usdPerHour: required(fields, 'usdPerHour', price),
    available: withDefault(fields, 'available', true, flag),
    requirements: offeringLabels(fields, { zone, zoneId, capacityType, reservationId }),
    ...(reservationId !== undefined && { reservationId }),
    ...(reservationCapacity !== undefined && { reservationCapacity }),
  };
}

function offeringLabels(
  fields: Wire,
  own: {
    readonly zone: string;
    readonly zoneId: string;
    readonly capacityType: string;
    readonly reservationId: string | undefined;
  },
): Requirements {
  const labels = {
    [ZONE]: own.zone,
    [CAPACITY_TYPE]: own.capacityType,
    ...(own.zoneId !== '' && { [ZONE_ID]: own.zoneId }),
    ...(own.reservationId !== undefined && { [RESERVATION_ID]: own.reservationId }),
  };
  const more = requirementsOf(list(fields, 'requirements', decodeRequirement));
  return intersectRequirements(requirementsOfLabels(labels), more);
}

function price(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) {
    throw unexpected(value, 'a price in USD per hour, such as 0.096');
  }
  return value;
}
