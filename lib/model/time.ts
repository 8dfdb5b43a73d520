/** An instant: milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMs = number;

/** A length of time in milliseconds, or Never. */
export type DurationMs = number | 'Never';
