import type { Account, Operations, Shift } from './account.ts';
import type { ClusterFacts } from './cluster.ts';
import { awsError } from './error.ts';
import { type Fields, text } from './request.ts';

/** Shifts traffic out of a zone until it is told to stop, or for three days, ARC's longest. */
export function shiftAway(
  account: Account,
  order: { readonly zone: string; readonly by?: Shift['by'] },
): { readonly end: () => void } {
  const shift: Shift = {
    zone: order.zone,
    by: order.by ?? 'person',
    endsAt: account.clock.now() + LONGEST_MS,
  };
  account.shifts.add(shift);
  return { end: () => void account.shifts.delete(shift) };
}

/** Source: ARC Developer Guide, Zonal shift: three days at most. */
const LONGEST_MS = 3 * 86_400_000;

/** GetManagedResource of ARC, which manages the account's clusters. */
export const zonalShiftOperations = (
  account: Account,
  clusters: () => readonly ClusterFacts[],
): Operations => ({
  GetManagedResource: (input) => managedResource(account, clusters(), input),
});

function managedResource(
  account: Account,
  clusters: readonly ClusterFacts[],
  input: Fields,
): unknown {
  const arn = text(input, 'resourceIdentifier');
  const cluster = clusters.find(({ name }) => arn.endsWith(`:cluster/${name}`));
  if (cluster === undefined) {
    throw awsError('ResourceNotFoundException', `The resource ${arn} is not managed.`);
  }
  const now = account.clock.now();
  const shifts = [...account.shifts].filter(({ endsAt }) => endsAt > now);
  const by = (whom: Shift['by']) =>
    shifts.filter((shift) => shift.by === whom).map((shift) => described(account, shift));
  return { arn, name: cluster.name, zonalShifts: by('person'), autoshifts: by('AWS') };
}

const described = (account: Account, { zone, endsAt }: Shift): unknown => ({
  appliedStatus: 'APPLIED',
  awayFrom: account.zones.find(({ name }) => name === zone)?.id ?? zone,
  expiryTime: Math.floor(endsAt / 1_000),
});
