/**
 * Solves one bench cluster in this process and tells what it took, as JSON on standard output.
 * Arguments: the kind of cluster, its size, and how often to solve it.
 */
import { solve } from '#lib/solver/solve.ts';
import { problemOf } from './bench-cluster.ts';
import { clusterOf } from './clusters.ts';

/** What one bench cluster took. Times are of solving alone, reading the objects aside. */
export interface Measured {
  readonly nodes: number;
  readonly refused: number;
  readonly usdPerHour: number;
  readonly lowerBoundUsdPerHour: number;
  /** For each solve, the first in a fresh process: what its own thread took of a processor. */
  readonly threadMillis: readonly number[];
  /** The same with what the compiler and the garbage collector took beside it. */
  readonly processMillis: readonly number[];
  /** The most memory that the process held until the first solve was over, reading included. */
  readonly peakMegabytes: number;
}

const [kind = '', size = '0', runs = '1'] = process.argv.slice(2);
const problem = problemOf(clusterOf(kind, Number(size)));
const threadMillis: number[] = [];
const processMillis: number[] = [];
let peakMegabytes = 0;
let solved = { claims: 0, refused: 0, usdPerHour: 0, lowerBoundUsdPerHour: 0 };
for (let run = 0; run < Number(runs); run++) {
  const before = { thread: process.threadCpuUsage(), process: process.cpuUsage() };
  const { claims, refusals, lowerBoundUsdPerHour } = solve(problem);
  const thread = process.threadCpuUsage(before.thread);
  const whole = process.cpuUsage(before.process);
  threadMillis.push((thread.user + thread.system) / 1000);
  processMillis.push((whole.user + whole.system) / 1000);
  if (run === 0) peakMegabytes = process.resourceUsage().maxRSS / 1024;
  solved = {
    claims: claims.length,
    refused: refusals.reduce((sum, { pods }) => sum + pods.length, 0),
    usdPerHour: claims.reduce((sum, { cheapest }) => sum + cheapest.offering.usdPerHour, 0),
    lowerBoundUsdPerHour,
  };
}
const measured: Measured = {
  nodes: solved.claims,
  refused: solved.refused,
  usdPerHour: solved.usdPerHour,
  lowerBoundUsdPerHour: solved.lowerBoundUsdPerHour,
  threadMillis,
  processMillis,
  peakMegabytes,
};
process.stdout.write(`${JSON.stringify(measured)}\n`);
