/** What nobody can better on a recorded cluster, found by HiGHS. */
import type { Snapshot } from '#lib/model/snapshot.ts';
import { bestValueOf } from '#test/build/lp-library.ts';
import { lawfulClusterOf } from './lawful-cluster.ts';
import { programOf } from './program.ts';

/** Bounds that hold for whoever keeps to consent. */
export interface Attainable {
  /** All nodes together cost no less, whatever is moved. */
  readonly leastUsdPerHour: number;
  /** So many pods move at least where the end may cost so much; Infinity where it cannot. */
  readonly fewestMoves: (atMostUsdPerHour: number) => number;
}

/** Prices are rounded in recordings. */
const CENT_OF_A_CENT = 1e-4;

/** Sets the bounds up. Each question is an integer program: seconds at worst. */
export function attainableFrom(snapshot: Snapshot): Attainable {
  const cluster = lawfulClusterOf(snapshot);
  const now = cluster.usdPerHour;
  if (cluster.nodes.length === 0) {
    return {
      leastUsdPerHour: now,
      fewestMoves: (atMost) => (now <= atMost + CENT_OF_A_CENT ? 0 : Number.POSITIVE_INFINITY),
    };
  }
  const program = programOf(cluster);
  return {
    leastUsdPerHour: now + bestValueOf(program.text(program.usd)),
    fewestMoves: (atMost) =>
      Math.round(
        bestValueOf(
          program.text(program.moves, `${program.usd} <= ${atMost - now + CENT_OF_A_CENT}`),
        ),
      ),
  };
}
