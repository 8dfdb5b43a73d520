import type { Interruption, InterruptionKind } from '#lib/model/interruption.ts';

/** Of several announcements for one instance the first of these counts. */
const GRAVEST = [
  'InstanceTerminated',
  'InstanceStopping',
  'SystemImpaired',
  'InstanceImpaired',
  'SpotInterruption',
  'CapacityReservationInterruption',
  'ScheduledChange',
  'ScheduledEvent',
  'ScheduledChangeOver',
  'RebalanceRecommendation',
] as const satisfies readonly InterruptionKind[];

/** What counts of all that is announced, by instance id; of equals what begins, and was said, first. */
export function gravestOf(
  interruptions: readonly Interruption[],
): ReadonlyMap<string, Interruption> {
  const gravest = new Map<string, Interruption>();
  for (const each of interruptions) {
    const known = gravest.get(each.instanceId);
    if (known === undefined || isGraver(each, known)) gravest.set(each.instanceId, each);
  }
  return gravest;
}

function isGraver(a: Interruption, b: Interruption): boolean {
  if (a.kind !== b.kind) return GRAVEST.indexOf(a.kind) < GRAVEST.indexOf(b.kind);
  const [starts, known] = [a.startsAt ?? 0, b.startsAt ?? 0];
  return starts === known ? a.announcedAt < b.announcedAt : starts < known;
}
