import type { NodeClass } from '#lib/model/node-class.ts';
import { amiFamilyOf } from './ami-family.ts';

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
  const family = amiFamilyOf(nodeClass).name;
  if (family !== 'AL2023') return `asks for images of family ${family}; only AL2023 is supported`;
  const field = FIELDS_NOT_SUPPORTED.find((name) => nodeClass.wire[name] !== undefined);
  return field === undefined ? undefined : `sets spec.${field}, which is not supported`;
}
