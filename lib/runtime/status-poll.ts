import type { HeldLease } from '#lib/kube/lease.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import type { EpochMs } from '#lib/model/time.ts';
import type { StatusQuestion } from '#lib/observe/instance-status.ts';
import type { ObserveOptions } from '#lib/observe/observe.ts';

type Told = Pick<HeldLease, 'statusAskedAt'>;

/**
 * How a look finds out what EC2's own checks say of instances: the first under the Lease in each
 * minute of the clock asks, whichever sandbox takes it; all others go by what theirs was told. So
 * EC2 is asked once a minute at most, however many looks there are.
 */
export function statusQuestion({ statusAskedAt }: Told, now: EpochMs): StatusQuestion {
  const isAsked = statusAskedAt !== undefined && minuteOf(statusAskedAt) === minuteOf(now);
  return isAsked ? 'recall' : 'ask';
}

const minuteOf = (at: EpochMs): number => Math.floor(at / 60_000);

/** The story with that question, if it is one that asks. */
export const withStatus = <
  Story extends { readonly observe?: ObserveOptions; readonly asksInstanceStatus?: true },
>(
  story: Story,
  instanceStatus: StatusQuestion,
): Story =>
  story.asksInstanceStatus ? { ...story, observe: { ...story.observe, instanceStatus } } : story;

/** What the Lease is to tell of it once these looks were taken; never an older date than it tells. */
export function statusAskedIn(
  rounds: readonly { readonly snapshot: Pick<Snapshot, 'instanceStatus'> }[],
  { statusAskedAt: known = 0 }: Told,
): Told {
  const askedAt = rounds[0]?.snapshot.instanceStatus?.askedAt ?? 0;
  return askedAt > known ? { statusAskedAt: askedAt } : {};
}
