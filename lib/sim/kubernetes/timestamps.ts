import type { Instant } from '../clock.ts';

/** An instant as metadata and conditions carry it, in whole seconds: "2026-11-20T12:00:00Z". */
export const toTimestamp = (instant: Instant): string =>
  `${new Date(instant).toISOString().slice(0, 19)}Z`;

/** An instant as Leases and Events carry it: "2026-11-20T12:00:00.250000Z". */
export const toMicroTimestamp = (instant: Instant): string =>
  `${new Date(instant).toISOString().slice(0, -1)}000Z`;
