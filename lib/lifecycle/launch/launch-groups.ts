import { byName, compareText } from '#lib/constraints/order.ts';
import { betweenLaunches } from '#lib/lifecycle/pace.ts';
import { grouped, type Surroundings } from '#lib/lifecycle/surroundings.ts';
import { shortDigest } from '#lib/model/digest.ts';
import type { Instance } from '#lib/model/instance.ts';
import {
  LAUNCH_ATTEMPT,
  LAUNCH_GROUP,
  NODEPOOL,
  TERMINATION_FINALIZER,
} from '#lib/model/labels.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { EpochMs } from '#lib/model/time.ts';
import { foundNoCapacity, foundNoCapacityAt, launchedAt, launchFailedAt } from './launched.ts';

/**
 * NodeClaims that are launched by one CreateFleet call. Whether that call was ever sent is not
 * written anywhere; it follows from four rules, which hold whatever crashes in between:
 *
 * 1. A launch is sent only for a group all of whose members exist, none of them launched, failed
 *    or being deleted. So an incomplete group was never launched, unless a member has left it.
 * 2. A member leaves (its finalizer goes) only when no other member could still have an instance
 *    coming: see mayLeave. So a group of which a member has left holds nobody to be launched.
 * 3. A group that may have been launched is not touched before its instances were given time to
 *    be seen; those that are seen go to its members, sorted.
 * 4. Every call for one group and attempt carries the same client token, so EC2 answers a
 *    repeated one with the same instances.
 */
export interface LaunchGroup {
  readonly name: string;
  /** How many NodeClaims the group was made with. */
  readonly size: number;
  /** Those of them that exist, sorted by name. */
  readonly members: readonly NodeClaim[];
  /** Living instances tagged with the group that no NodeClaim holds, sorted by id. */
  readonly strays: readonly Instance[];
}

/** All members are there and none was launched: one call launches them. */
export interface LaunchDecision {
  readonly kind: 'launch';
  readonly claims: readonly NodeClaim[];
  readonly attempt: number;
}

/** What else there is to be done about a group. */
export type OtherDecision =
  | { readonly kind: 'nothing' }
  | {
      readonly kind: 'adopt';
      readonly pairs: readonly { readonly claim: NodeClaim; readonly instance: Instance }[];
    }
  | { readonly kind: 'regroup'; readonly groups: readonly (readonly NodeClaim[])[] }
  /** EC2 had nothing for these, and it is certain that none of them has an instance. */
  | {
      readonly kind: 'noCapacity';
      readonly claims: readonly NodeClaim[];
      readonly attempt: number;
    }
  | { readonly kind: 'wait'; readonly forMs?: number };

/** What is to be done about a group next. */
export type GroupDecision = LaunchDecision | OtherDecision;

/**
 * After how long an instance that exists is certain to be listed, and a call that was sent is
 * certain to have arrived. EC2 promises no figure; listings are seconds behind in practice.
 */
export const SIGHTING_MS = 60_000;

const NO_LIFE: ReadonlySet<Instance['state']> = new Set(['shutting-down', 'terminated']);

/** The group and size that a NodeClaim's annotation names; undefined where it names none. */
export function groupNameOf({ meta }: NodeClaim): { name: string; size: number } | undefined {
  const match = /^([^/]+)\/([1-9]\d{0,4})$/.exec(meta.annotations[LAUNCH_GROUP] ?? '');
  const [, name, size] = match ?? [];
  return name === undefined ? undefined : { name, size: Number(size) };
}

/** The annotation's value: what groupNameOf reads. */
const annotationOf = (name: string, size: number): string => `${name}/${size}`;

/** All launch groups that have a member without an instance, sorted by name. O(claims + instances). */
export function launchGroupsOf(around: Surroundings): readonly LaunchGroup[] {
  const byAnnotation = grouped(around.claims, (claim) => {
    const group = groupNameOf(claim);
    return group && annotationOf(group.name, group.size);
  });
  const strays = grouped(straysOf(around), ({ tags }) => tags[LAUNCH_GROUP]);
  return [...byAnnotation.values()]
    .filter((members) => members.some(isUnlaunched))
    .flatMap((members) => {
      const [first] = members;
      const group = first && groupNameOf(first);
      return group ? [{ ...group, members, strays: strays.get(group.name) ?? [] }] : [];
    })
    .sort((a, b) => compareText(a.name, b.name) || a.size - b.size);
}

const straysOf = ({ instances, holders }: Surroundings): readonly Instance[] =>
  [...(instances?.values() ?? [])]
    .filter(({ id, state }) => !NO_LIFE.has(state) && !holders.has(id))
    .sort((a, b) => compareText(a.id, b.id));

/** Whether no instance is known to belong to a NodeClaim. */
const isUnlaunched = ({ status }: NodeClaim): boolean => status.providerId === undefined;

const isDeleting = ({ meta }: NodeClaim): boolean => meta.deletedAt !== undefined;

/** What is to be done about `group` next, from what can be seen of it. */
export function decideGroup(group: LaunchGroup, around: Surroundings): GroupDecision {
  const unlaunched = group.members.filter(isUnlaunched);
  if (group.strays.length > 0) return adoption(unlaunched, group.strays);

  const living = unlaunched.filter((claim) => !isDeleting(claim));
  const waiting = living.filter((claim) => !foundNoCapacity(claim));
  if (waiting.length === 0) return withoutCapacity(living);
  const isComplete = group.members.length >= group.size;
  const isUntouched = waiting.length === group.members.length;
  if (isUntouched && !isComplete) return regroupUnlessHidden(waiting, around);
  if (isUntouched) return launchOrSplit(waiting, around.now);
  return mayHaveInstances(group, around)
    ? { kind: 'wait' }
    : { kind: 'regroup', groups: alike(waiting) };
}

const withoutCapacity = (claims: readonly NodeClaim[]): GroupDecision =>
  claims.length === 0
    ? { kind: 'nothing' }
    : { kind: 'noCapacity', claims, attempt: attemptOf(claims) };

/** A NodeClaim that could not be read may be the member that is missing; then nothing is sure. */
function regroupUnlessHidden(
  waiting: readonly NodeClaim[],
  { snapshot }: Surroundings,
): GroupDecision {
  const isHidden = snapshot.leftOut.some(({ object }) => object.kind === 'NodeClaim');
  return isHidden ? { kind: 'wait' } : { kind: 'regroup', groups: alike(waiting) };
}

/** Instances go to those who still want one first, then to those who must give it back. */
function adoption(unlaunched: readonly NodeClaim[], strays: readonly Instance[]): GroupDecision {
  const wants = (claim: NodeClaim) =>
    Number(isDeleting(claim)) * 2 + Number(foundNoCapacity(claim));
  const takers = [...unlaunched].sort((a, b) => wants(a) - wants(b) || byName(a, b));
  const pairs = takers.flatMap((claim, at) => {
    const instance = strays[at];
    return instance ? [{ claim, instance }] : [];
  });
  return { kind: 'adopt', pairs };
}

function launchOrSplit(claims: readonly NodeClaim[], now: EpochMs): GroupDecision {
  const groups = alike(claims);
  if (groups.length > 1) return { kind: 'regroup', groups };
  // Without the finalizer a NodeClaim could vanish while its instance is being made.
  const isHeld = claims.every(({ meta }) => meta.finalizers.includes(TERMINATION_FINALIZER));
  if (!isHeld) return { kind: 'wait' };
  const forMs = Math.max(...claims.map(mayLaunchFrom)) - now;
  return forMs > 0
    ? { kind: 'wait', forMs }
    : { kind: 'launch', claims, attempt: attemptOf(claims) };
}

/** From when on a NodeClaim may be launched: at once, unless its last launch failed lately. */
function mayLaunchFrom(claim: NodeClaim): EpochMs {
  const { createdAt } = claim.meta;
  const failedAt = launchFailedAt(claim);
  return failedAt === undefined ? createdAt : failedAt + betweenLaunches(failedAt - createdAt);
}

/** How many launches of these NodeClaims came to nothing; the highest count that one of them has. */
const attemptOf = (claims: readonly NodeClaim[]): number =>
  Math.max(
    ...claims.map(({ meta }) => {
      const written = meta.annotations[LAUNCH_ATTEMPT] ?? '';
      return /^\d{1,6}$/.test(written) ? Number(written) : 0;
    }),
  );

/**
 * Only NodeClaims that ask for the same can share a call. Amounts may differ, because every type
 * that a NodeClaim lists holds what it requests; kinds of resources may not, because some (EFA)
 * shape the launch template.
 */
export const alike = (claims: readonly NodeClaim[]): readonly (readonly NodeClaim[])[] => [
  ...grouped(claims, ({ meta, spec }) =>
    JSON.stringify([
      meta.labels[NODEPOOL] ?? '',
      { ...spec, requests: Object.keys(spec.requests).sort(compareText) },
    ]),
  ).values(),
];

/**
 * Whether the call of a group that is no longer whole may have made instances that are not seen
 * yet. It was sent, if at all, before the first of its members was launched, told that there is no
 * capacity, or deleted.
 */
function mayHaveInstances({ members, strays }: LaunchGroup, around: Surroundings): boolean {
  if (around.instances === undefined || strays.length > 0) return true;
  const evidence = members.flatMap((claim) => touchedAt(claim) ?? []);
  return evidence.length === 0 || around.now - Math.min(...evidence) < SIGHTING_MS;
}

/** From when on no launch was sent for the group of this member, on its account. */
function touchedAt(claim: NodeClaim): EpochMs | undefined {
  const instants = [launchedAt(claim), foundNoCapacityAt(claim), claim.meta.deletedAt];
  const evidence = instants.flatMap((at) => at ?? []);
  return evidence.length === 0 ? undefined : Math.min(...evidence);
}

/**
 * Whether a NodeClaim that is being deleted may leave its group: no member is still to be
 * launched, and none that is being deleted may have an instance that nobody has seen.
 */
export function mayLeave(group: LaunchGroup | undefined, around: Surroundings): boolean {
  if (group === undefined) return true;
  if (group.strays.length > 0) return false;
  const unlaunched = group.members.filter(isUnlaunched);
  if (unlaunched.some((claim) => !isDeleting(claim))) return false;
  const wasNeverWhole =
    group.members.length < group.size && unlaunched.length === group.members.length;
  return wasNeverWhole || unlaunched.every(foundNoCapacity) || !mayHaveInstances(group, around);
}

/** The annotations that make `claims` a group of their own, whose next launch is attempt `attempt`. */
export function asNewGroup(
  claims: readonly NodeClaim[],
  attempt = 0,
): Readonly<Record<string, string | null>> {
  const seed = claims.map(({ meta }) => `${meta.uid} ${meta.annotations[LAUNCH_GROUP] ?? ''}`);
  const name = shortDigest([...seed].sort(compareText).join('\n'), 12);
  return {
    [LAUNCH_GROUP]: annotationOf(name, claims.length),
    [LAUNCH_ATTEMPT]: attempt === 0 ? null : String(attempt),
  };
}
