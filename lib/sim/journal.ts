import type { Instant } from './clock.ts';

/** Something that happened in the embedded world and that a person may want to read. */
export interface Entry {
  readonly at: Instant;
  /** Which part of the world tells it. */
  readonly source:
    | 'user'
    | 'kubernetes'
    | 'scheduler'
    | 'controller'
    | 'kubelet'
    | 'webhook'
    | 'eventbridge'
    | 'sqs'
    | 'lambda'
    | 'ec2'
    | 'fault'
    | 'joinery';
  readonly text: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** Collects what happens, in order, and tells it on as it happens. */
export interface Journal {
  readonly entries: readonly Entry[];
  readonly note: (entry: Entry) => void;
}

/** A journal; `listen` hears each entry as it is written. */
export function createJournal(listen: (entry: Entry) => void = () => undefined): Journal {
  const entries: Entry[] = [];
  return {
    entries,
    note: (entry) => {
      entries.push(entry);
      listen(entry);
    },
  };
}
