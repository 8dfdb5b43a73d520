import type { EpochMs } from '#lib/model/time.ts';

/** An instant as a Lease or an Event writes it: microseconds, always all six digits. */
export const microTime = (instant: EpochMs): string =>
  new Date(instant).toISOString().replace(/Z$/, '000Z');
