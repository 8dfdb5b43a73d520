import { compareText } from '#lib/constraints/order.ts';
import type { Interruption, InterruptionKind } from '#lib/model/interruption.ts';
import type { EpochMs } from '#lib/model/time.ts';

/** What EC2 says of an instance that it checks, or has work in mind for. */
export interface InstanceHealth {
  readonly instanceId: string;
  /** The checks that fail now. */
  readonly failed: readonly FailedCheck[];
  readonly events: readonly ScheduledEvent[];
}

/** A check that fails: of the machine that carries the instance, or of the instance's own system. */
interface FailedCheck {
  readonly of: 'system' | 'instance';
  /** Absent: EC2 does not say since when, so for long enough. */
  readonly since?: EpochMs;
}

/** Work that EC2 has in mind for an instance; done or called off work is told for a week. */
interface ScheduledEvent {
  readonly description: string;
  /** Absent: at any moment. */
  readonly startsAt?: EpochMs;
}

/**
 * How long a check fails before it counts: a reboot or a hiccup of the network passes by itself.
 *
 * Source: karpenter AWS provider v1.14, providers/instancestatus, UnhealthyThreshold.
 */
const TOLERATED_MS = 120_000;

/**
 * What the health of instances announces at `now`: one interruption for each kind of check that has
 * failed for two minutes, and one for the work that begins first. Work that is done or called off
 * ends what was announced of it, which upstream does not look at; told is the last of it, for a week.
 * Sorted by instance.
 *
 * Source: karpenter AWS provider v1.14, providers/instancestatus; EC2 API, InstanceStatusEvent.
 */
export const announcedBy = (
  health: readonly InstanceHealth[],
  now: EpochMs,
): readonly Interruption[] =>
  health
    .toSorted((a, b) => compareText(a.instanceId, b.instanceId))
    .flatMap(({ instanceId, failed, events }) => {
      const announce = (kind: InterruptionKind, startsAt?: EpochMs): Interruption => ({
        kind,
        instanceId,
        announcedAt: now,
        ...(startsAt !== undefined && { startsAt }),
      });
      const fails = (part: FailedCheck['of']): boolean =>
        failed.some((check) => check.of === part && now - (check.since ?? 0) >= TOLERATED_MS);
      return [
        ...(fails('system') ? [announce('SystemImpaired')] : []),
        ...(fails('instance') ? [announce('InstanceImpaired')] : []),
        ...workIn(events, announce),
      ];
    });

function workIn(
  events: readonly ScheduledEvent[],
  announce: (kind: InterruptionKind, startsAt?: EpochMs) => Interruption,
): readonly Interruption[] {
  if (events.length === 0) return [];
  const ahead = events.filter(({ description }) => !isOver(description));
  if (ahead.length === 0) return [announce('ScheduledChangeOver', lastStart(events))];
  const isAtAnyMoment = ahead.some(({ startsAt }) => startsAt === undefined);
  const first = Math.min(...ahead.flatMap(({ startsAt }) => startsAt ?? []));
  return [isAtAnyMoment ? announce('ScheduledEvent') : announce('ScheduledEvent', first)];
}

const lastStart = (events: readonly ScheduledEvent[]): EpochMs | undefined => {
  const starts = events.flatMap(({ startsAt }) => startsAt ?? []);
  return starts.length === 0 ? undefined : Math.max(...starts);
};

const isOver = (description: string): boolean => /^\[(completed|cancell?ed)\]/i.test(description);
