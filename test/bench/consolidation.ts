/**
 * How cheap consolidation makes clusters, and how many pods it moves for that, beside what Karpenter
 * v1.14 made of the same clusters and beside what nobody can better; and how long one pass takes.
 * Prints Markdown; judges nothing.
 */

import { spawnSync } from 'node:child_process';
import { type Followed, followed, usdOf } from '#test/build/followed.ts';
import {
  type RecordedConsolidation,
  recordedConsolidations,
} from '#test/build/recorded-consolidations.ts';
import { type Attainable, attainableFrom } from './attainable/attainable.ts';

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const row = (...cells: readonly (string | number)[]): void => print(`| ${cells.join(' | ')} |`);
function table(heading: string, columns: readonly string[]): void {
  print(`\n${heading}\n`);
  row(...columns);
  row(...columns.map((_, at) => (at === 0 ? '---' : '--:')));
}

const geometricMean = (values: readonly number[]): number =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);

const withShare = (
  { snapshot, ...rest }: RecordedConsolidation,
  consolidationMoveShare: number,
): RecordedConsolidation => ({
  ...rest,
  snapshot: { ...snapshot, settings: { ...snapshot.settings, consolidationMoveShare } },
});

/** The share of a mean pod's fair price that a move must save. */
const SHARES = [0, 0.1, 0.25, 0.5, 0.75, 0.9, 1, 2, 4];
const DEFAULT_SHARE = 0.5;
/** No end may be dearer than that, as a share of Karpenter's. */
const DEAREST = 1.02;

interface Compared {
  readonly each: RecordedConsolidation;
  readonly attainable: Attainable;
  readonly end: Followed;
}

const recorded = recordedConsolidations().map((each) => ({
  each,
  attainable: attainableFrom(each.snapshot),
}));
const endsAt = (share: number): readonly Compared[] =>
  recorded.map(({ each, attainable }) => ({
    each,
    attainable,
    end: followed(withShare(each, share).snapshot),
  }));
const ends = new Map(SHARES.map((share) => [share, endsAt(share)]));
const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
const fewestOf = ({ each, attainable }: Pick<Compared, 'each' | 'attainable'>): number =>
  attainable.fewestMoves(each.karpenter.usdPerHour * DEAREST);
const leastOf = ({ each, attainable }: Pick<Compared, 'each' | 'attainable'>): number =>
  attainable.leastUsdPerHour / each.karpenter.usdPerHour;

table(`Each cluster, to a fixed point, at the default share of ${DEFAULT_SHARE}`, [
  'cluster',
  '$/h before',
  "Karpenter's end",
  'moves',
  'ours',
  'moves',
  '$/h, ours to theirs',
  'cheapest lawful end, to theirs',
  `fewest lawful moves up to ${DEAREST}`,
]);
for (const compared of ends.get(DEFAULT_SHARE) ?? []) {
  const { each, end } = compared;
  const { usdPerHour, podsMoved } = each.karpenter;
  row(
    each.name,
    usdOf(each.snapshot).toFixed(2),
    usdPerHour.toFixed(2),
    podsMoved,
    end.usdPerHour.toFixed(2),
    end.podsMoved,
    (end.usdPerHour / usdPerHour).toFixed(3),
    leastOf(compared).toFixed(3),
    fewestOf(compared),
  );
}

const theirMoves = sumOf(recorded.map(({ each }) => each.karpenter.podsMoved));
/** Of one or more moves; where Karpenter moves nothing, nobody else does. */
const moveRatios = (movesOf: (at: number) => number): readonly number[] =>
  recorded.map(({ each }, at) =>
    each.karpenter.podsMoved === 0 ? 1 : movesOf(at) / each.karpenter.podsMoved,
  );
const fewest = recorded.map(fewestOf);
print('');
print(
  `Nobody who keeps to consent ends below ${geometricMean(recorded.map(leastOf)).toFixed(3)} of Karpenter's price ` +
    `(geometric mean), or moves fewer than ${sumOf(fewest)} of ${theirMoves} pods (${(sumOf(fewest) / theirMoves).toFixed(2)}; ` +
    `geometric mean of clusters ${geometricMean(moveRatios((at) => fewest[at] ?? 0)).toFixed(2)}) with each end up to ${DEAREST}.`,
);

table('What a move has to save, as a share of what a mean pod costs at fair prices', [
  'share',
  '$/h, ours to theirs (geometric mean)',
  'dearest',
  'moves',
  "of Karpenter's",
  'geometric mean of clusters',
  'fewest lawful moves to these ends',
]);
for (const [share, list] of ends) {
  const ratios = list.map(({ each, end }) => end.usdPerHour / each.karpenter.usdPerHour);
  const ours = sumOf(list.map(({ end }) => end.podsMoved));
  const lawful = list.map(({ attainable, end }) => attainable.fewestMoves(end.usdPerHour));
  row(
    share,
    geometricMean(ratios).toFixed(3),
    Math.max(...ratios).toFixed(3),
    ours,
    (ours / theirMoves).toFixed(2),
    geometricMean(moveRatios((at) => list[at]?.end.podsMoved ?? 0)).toFixed(2),
    sumOf(lawful),
  );
}

/** A process of its own, so that only this pass counts for its memory. */
function timed(nodes: number, pods: number): void {
  const args = ['test/bench/consolidation-pass.ts', `${nodes}`, `${pods}`];
  const child = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (child.status !== 0) throw new Error(`expected a pass, found: ${child.stderr}`);
  row(`${nodes} / ${pods}`, ...child.stdout.trim().split(' '));
}

table('One pass', ['nodes / pods', 'processor seconds', 'MB at most', 'commands', 'saves $/h']);
timed(1_000, 20_000);
timed(5_000, 100_000);
