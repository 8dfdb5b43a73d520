import { DEFAULTS } from '#infra/stack/props.ts';
import type { FunctionName } from '#lib/sim/stack.ts';
import { forEach, type Hour, NAMES } from './hours.ts';
import type { Measured } from './measure.ts';
import type { BilledHour } from './month.ts';

/** What `npm run cost` keeps beside its report. */
export interface Recorded {
  /** YYYY-MM-DD, and on what. */
  readonly measuredOn: string;
  readonly machine: string;
  readonly measured: readonly Measured[];
  readonly hours: { readonly idle: Hour; readonly busy: Hour };
}

/** The memory that buys one core. Source: Lambda Developer Guide, memory and computing power. */
const ONE_CORE_MEGABYTES = 1_769;
/**
 * A core of Lambda's arm64 machines is taken for half as fast as the one that was measured on, and
 * what runs once a minute for a cold cache: so processor time counts this often.
 */
export const SLOWER = 2;
/** How many sandboxes of a function begin in an hour of heartbeats: one lives for two hours or more. */
export const COLD_STARTS_PER_HOUR = 0.5;

/** How many times as long as on one core of Lambda's a function computes with its memory. */
const stretched = (name: FunctionName): number =>
  SLOWER * Math.max(1, ONE_CORE_MEGABYTES / DEFAULTS.memoryMegabytes[name]);

/** The figures of the cluster of some size. */
export const measuredAt = (
  { measured }: Pick<Recorded, 'measured'>,
  name: FunctionName,
  nodes = 0,
): Measured => {
  const [found] = measured.filter((each) => each.function === name && each.nodes >= nodes);
  if (found === undefined) throw new Error(`expected figures of ${name}, found none: --measure`);
  return found;
};

/**
 * A quiet hour: each invocation waits as in the embedded world and computes as was measured; cold
 * starts initialize, which Lambda bills too, and look at everything anew.
 */
export function idleHour(recorded: Recorded, nodes = 0): BilledHour {
  const { idle } = recorded.hours;
  const series = new Set(recorded.measured.flatMap((each) => each.series));
  return {
    ...idle,
    series: series.size,
    billedSeconds: forEach((name) => {
      const runs = idle.invocations[name];
      if (runs === 0) return 0;
      const { laterCpuMs, firstCpuMs, initCpuMs } = measuredAt(recorded, name, nodes);
      const computedMs = runs * laterCpuMs + COLD_STARTS_PER_HOUR * (firstCpuMs + initCpuMs);
      return idle.waitedSeconds[name] + (computedMs * stretched(name)) / 1_000;
    }),
  };
}

/** Counts that only a busy hour tells: four of nodes and pods, one of refusals, fourteen reasons, interrupt's. */
const BUSY_SERIES = 4 + 1 + 14 + 3;

/** A busy hour: every invocation is taken to compute as long as the first of a sandbox does. */
export function busyHour(recorded: Recorded): BilledHour {
  const { busy } = recorded.hours;
  return {
    ...busy,
    series: idleHour(recorded).series + BUSY_SERIES,
    billedSeconds: forEach((name) => {
      const { firstCpuMs } = measuredAt(recorded, name);
      return (
        busy.waitedSeconds[name] + (busy.invocations[name] * firstCpuMs * stretched(name)) / 1_000
      );
    }),
  };
}

/** The memory of each function in GB. */
export const GIGABYTES = forEach((name) => DEFAULTS.memoryMegabytes[name] / 1_024);

/** How the invocations of an hour are told. */
export const runsOf = ({ invocations }: Hour): string =>
  NAMES.map((name) => `${name} ${invocations[name]}`).join(', ');
