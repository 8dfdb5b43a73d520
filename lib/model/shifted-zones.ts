import type { Snapshot } from './snapshot.ts';

/**
 * The names of the zones that traffic is shifted away from, as the NodeClasses' subnets know them:
 * what EC2 says of such a zone may be wrong, and what runs there is left alone.
 *
 * Source: karpenter AWS provider v1.14, providers/zonalshift.
 */
export function shiftedZoneNames({
  shiftedZones = [],
  nodeClasses,
}: Pick<Snapshot, 'shiftedZones' | 'nodeClasses'>): ReadonlySet<string> {
  if (shiftedZones.length === 0) return new Set();
  const subnets = nodeClasses.flatMap(({ status }) => status.subnets);
  return new Set(
    subnets.filter(({ zoneId }) => shiftedZones.includes(zoneId)).map(({ zone }) => zone),
  );
}
