/**
 * How cheap consolidation makes clusters, and how many pods it moves for that, beside what Karpenter
 * v1.14 made of the same clusters; and how long one pass takes. Prints Markdown; judges nothing.
 */

import { spawnSync } from 'node:child_process';
import { followed, usdOf } from '#test/build/followed.ts';
import {
  type RecordedConsolidation,
  recordedConsolidations,
} from '#test/build/recorded-consolidations.ts';

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

/** The share of a mean pod's fair price that a move must save; the first is the default. */
const SHARES = [0.1, 0, 0.5, 1, 2, 4];

const recorded = recordedConsolidations();
const ends = new Map(
  SHARES.map((share) => [
    share,
    recorded.map((each) => ({ each, end: followed(withShare(each, share).snapshot) })),
  ]),
);

table('Each cluster, to a fixed point', [
  'cluster',
  '$/h before',
  "Karpenter's end",
  'moves',
  'ours',
  'moves',
  '$/h, ours to theirs',
]);
for (const { each, end } of ends.get(0.1) ?? []) {
  const { usdPerHour, podsMoved } = each.karpenter;
  const before = usdOf(each.snapshot).toFixed(2);
  const ratio = (end.usdPerHour / usdPerHour).toFixed(3);
  row(
    each.name,
    before,
    usdPerHour.toFixed(2),
    podsMoved,
    end.usdPerHour.toFixed(2),
    end.podsMoved,
    ratio,
  );
}

table('What a move has to save, as a share of what a mean pod costs at fair prices', [
  'share',
  '$/h, ours to theirs (geometric mean)',
  'dearest',
  'moves',
  "Karpenter's",
  'ours to theirs',
]);
for (const [share, list] of [...ends].sort(([a], [b]) => a - b)) {
  const ratios = list.map(({ each, end }) => end.usdPerHour / each.karpenter.usdPerHour);
  const ours = list.reduce((sum, { end }) => sum + end.podsMoved, 0);
  const theirs = list.reduce((sum, { each }) => sum + each.karpenter.podsMoved, 0);
  row(
    share,
    geometricMean(ratios).toFixed(3),
    Math.max(...ratios).toFixed(3),
    ours,
    theirs,
    (ours / theirs).toFixed(2),
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
