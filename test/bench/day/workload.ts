import type { Random } from '#lib/sim/random.ts';
import { GIB } from '#test/build/objects.ts';

/** A workload of the day: how large its pods are, and how many of them there shall be. */
export interface Workload {
  readonly name: string;
  readonly requests: { readonly cpu: number; readonly memory: number };
  /** By minute of the day. */
  readonly replicasAt: (minute: number) => number;
  /** Minutes at which all its pods are replaced by new ones, a quarter at a time. */
  readonly rolloutsAt: ReadonlySet<number>;
  /** Whose pods those made at that minute are: a rollout, and each batch, has an owner of its own. */
  readonly ownerAt: (minute: number) => string;
}

const DAY_MINUTES = 1440;
const CPU_MILLIS = [100, 250, 500, 1000, 2000];
const GIB_PER_CPU = [1, 2, 4, 8];
const LARGEST_SHARE = 0.6;
const LEAST_SHARE = 0.2;

/**
 * Deployments that breathe by 20 to 60 % over the day, most of them together with their users, and
 * batch jobs that come every hour; `pods` of deployments on average.
 */
export function workloadsOf(pods: number, random: Random): readonly Workload[] {
  const each = 12;
  const deployments = Array.from({ length: Math.ceil(pods / each) }, (_, at) =>
    deploymentOf(at, each, random),
  );
  return [...deployments, ...Array.from({ length: 6 }, (_, at) => jobOf(at, pods / 40, random))];
}

function deploymentOf(at: number, mean: number, random: Random): Workload {
  const base = Math.max(2, Math.round(mean * (0.4 + 1.2 * random.next())));
  const swing = LEAST_SHARE + (LARGEST_SHARE - LEAST_SHARE) * random.next();
  // Two thirds follow the users' day, the others have hours of their own.
  const phase = random.next() < 0.66 ? 0 : random.next();
  const noise = Array.from({ length: DAY_MINUTES / 30 }, () => 0.95 + 0.1 * random.next());
  const name = `app-${at}`;
  const rolloutsAt = new Set(random.next() < 0.5 ? [random.between(60, DAY_MINUTES - 60)] : []);
  return {
    name,
    requests: sizeOf(random),
    replicasAt: (minute) => {
      const turn = 2 * Math.PI * (minute / DAY_MINUTES + phase);
      const ofNow = noise[Math.floor((minute % DAY_MINUTES) / 30)] ?? 1;
      return Math.max(1, Math.round(base * (1 - swing * Math.cos(turn)) * ofNow));
    },
    rolloutsAt,
    ownerAt: (minute) => `${name}-${[...rolloutsAt].filter((each) => each <= minute).length}`,
  };
}

/** Runs for 20 to 40 minutes, from some minute of every hour. */
function jobOf(at: number, pods: number, random: Random): Workload {
  const begins = random.between(0, 19);
  const lasts = random.between(20, 40);
  const count = Math.max(1, Math.round(pods * (0.5 + random.next())));
  const name = `job-${at}`;
  return {
    name,
    requests: sizeOf(random),
    replicasAt: (minute) => {
      const within = minute % 60;
      return within >= begins && within < begins + lasts ? count : 0;
    },
    rolloutsAt: new Set(),
    ownerAt: (minute) => `${name}-${Math.floor(minute / 60)}`,
  };
}

function sizeOf(random: Random): Workload['requests'] {
  const cpu = CPU_MILLIS[random.between(0, CPU_MILLIS.length - 1)] ?? 100;
  const gib = GIB_PER_CPU[random.between(0, GIB_PER_CPU.length - 1)] ?? 2;
  return { cpu, memory: Math.round((cpu / 1000) * gib * GIB) };
}
