import { type EpochMs, parseInstant } from '#lib/model/time.ts';

/** The clocks on the walls of one part of the world. */
export interface TimeZone {
  /** What they show at an instant, as if that were UTC. */
  readonly wallAt: (instant: EpochMs) => EpochMs;
  /**
   * When they show `wall`: the first time where they show it twice; where they leap over it, as long
   * after the leap as it is into the gap.
   */
  readonly instantOf: (wall: EpochMs) => EpochMs;
}

const DAY_MS = 86_400_000;

/** The zone of an IANA name such as Europe/Berlin; undefined where the time zone database has none. */
export function timeZoneOf(name: string): TimeZone | undefined {
  const format = formatOf(name);
  if (format === undefined) return undefined;
  const wallAt = (instant: EpochMs): EpochMs => {
    const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, value]));
    const of = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? '';
    const date = `${of('year')}-${of('month')}-${of('day')}`;
    return parseInstant(`${date}T${of('hour')}:${of('minute')}:${of('second')}Z`) ?? instant;
  };
  return {
    wallAt,
    instantOf: (wall) => {
      // Clocks are not changed twice within two days.
      const [before, after] = [wall - DAY_MS, wall + DAY_MS].map((at) => wall - (wallAt(at) - at));
      const tries = [before ?? wall, after ?? wall];
      return tries.find((instant) => wallAt(instant) === wall) ?? before ?? wall;
    },
  };
}

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-CA', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
  } catch {
    return undefined;
  }
}
