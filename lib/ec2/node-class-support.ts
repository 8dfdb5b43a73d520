import type { NodeClass } from '#lib/model/node-class.ts';

/** Fields that change what is launched, and that Joinery does not act upon yet. */
const FIELDS_NOT_SUPPORTED = [
  'capacityReservationSelectorTerms',
  'connectionTracking',
  'cpuOptions',
  'ipPrefixCount',
  'networkInterfaces',
  'placementGroupSelector',
];

/**
 * What a NodeClass asks for that Joinery would have to ignore, as the end of a sentence, or
 * undefined where it can be followed to the letter. Launching without it would be pretending.
 */
export function notSupported(nodeClass: NodeClass): string | undefined {
  const field = FIELDS_NOT_SUPPORTED.find((name) => nodeClass.wire[name] !== undefined);
  return field === undefined ? undefined : `sets spec.${field}, which is not supported`;
}
