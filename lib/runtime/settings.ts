import type { ClusterSettings } from '#lib/model/settings.ts';

/** What a function is told by its environment, checked once, at the start of a sandbox. */
export interface Settings {
  readonly cluster: ClusterSettings;
  /** The queue that wakes provision. */
  readonly hintQueueUrl: string;
  /** Who holds the Lease while this sandbox acts; unique per sandbox. */
  readonly identity: string;
}
