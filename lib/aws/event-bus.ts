import type { AwsCall } from '#lib/aws/calls/call.ts';

/** Something that was decided, for whoever listens to an event bus. */
export interface Announcement {
  /** What kind of decision: the rule's detail-type. */
  readonly kind: string;
  readonly detail: Readonly<Record<string, unknown>>;
  /** In ms since 1970. */
  readonly at: number;
}

/** Source: EventBridge API, PutEvents, Entries. */
const MOST_ENTRIES = 10;
const SOURCE = 'joinery';

/** Puts announcements on an event bus, in their order, ten with each call; throws what AWS refuses. */
export async function announce(
  call: AwsCall,
  bus: string,
  announcements: readonly Announcement[],
): Promise<void> {
  for (let from = 0; from < announcements.length; from += MOST_ENTRIES) {
    const batch = announcements.slice(from, from + MOST_ENTRIES);
    const Entries = batch.map(({ kind, detail, at }) => ({
      EventBusName: bus,
      Source: SOURCE,
      DetailType: kind,
      Detail: JSON.stringify(detail),
      Time: at / 1_000,
    }));
    const { FailedEntryCount = 0 } = await call('PutEvents', { Entries });
    if (FailedEntryCount > 0) {
      throw new Error(`${FailedEntryCount} of ${batch.length} entries were not taken by ${bus}`);
    }
  }
}
