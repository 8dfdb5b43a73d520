/**
 * A day in the life of a cluster, as Markdown: what consolidation is worth when workloads breathe,
 * roll out and come in batches while spot prices wander. The functions' own decisions are played
 * forward a minute at a time over a plain model of kube-scheduler and EC2, not in the embedded
 * world, which would take hours; Karpenter is a model written from its rules, once with a scheduler
 * like its own and once with Joinery's solver, for consolidation and for pods that wait; each once
 * as it is and once with the hour's rest for moved pods that Joinery keeps.
 * Arguments: pods on average, hours, seeds, move shares by comma (the default where left out or "-"),
 * capacity ("on-demand" or "spot"; both where left out).
 */
import type { Solver } from './karpenter-model.ts';
import { type Consolidator, type DayFigures, playDay } from './play-day.ts';

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const row = (...cells: readonly string[]): void => print(`| ${cells.join(' | ')} |`);

const [pods = '150', hours = '24', seeds = '1', shares = '-', capacity] = process.argv.slice(2);

const isMeant =
  Number(pods) > 0 &&
  Number(hours) > 2 &&
  Number.isInteger(Number(seeds)) &&
  Number(seeds) > 0 &&
  shares.split(',').every((share) => share === '-' || Number(share) >= 0) &&
  [undefined, 'on-demand', 'spot'].includes(capacity);
if (!isMeant) {
  process.stderr.write(
    'usage: bench:day [pods] [hours, more than 2] [seeds] [move shares, as 0.5,0.3 or -] [on-demand or spot]\n',
  );
  process.exit(2);
}

/** Who consolidates; how much a move must save. */
interface Player {
  readonly name: string;
  readonly consolidator: Consolidator;
  readonly moveShare?: number;
  readonly solver?: Solver;
  readonly rests?: true;
}

const PLAYERS: readonly Player[] = [
  { name: 'nobody', consolidator: 'nobody' },
  { name: 'Karpenter', consolidator: 'Karpenter' },
  { name: "Karpenter, Joinery's solver", consolidator: 'Karpenter', solver: 'Joinery' },
  { name: "Karpenter, Joinery's rest", consolidator: 'Karpenter', rests: true },
  {
    name: "Karpenter, Joinery's solver and rest",
    consolidator: 'Karpenter',
    solver: 'Joinery',
    rests: true,
  },
  ...shares.split(',').map((share): Player => {
    const isDefault = share === '-';
    return isDefault
      ? { name: 'Joinery', consolidator: 'Joinery' }
      : { name: `Joinery, share ${share}`, consolidator: 'Joinery', moveShare: Number(share) };
  }),
];
const MARKETS = [
  ['on-demand', ['on-demand']],
  ['spot and on-demand', ['on-demand', 'spot']],
] as const;

print(
  `${pods} pods on average over ${hours} hours, the first two not counted; mean of ${seeds} ${seeds === '1' ? 'seed' : 'seeds'}.\n`,
);
row(
  'capacity',
  'consolidation',
  '$/h',
  'above the bound',
  'pods moved per h',
  'moved where no room was, per h',
  'moved twice within an hour',
  'nodes removed per h',
  'seconds pending per pod and day',
  'nodes',
);
row('---', '---', ...Array.from({ length: 8 }, () => '--:'));
for (const [market, capacityTypes] of MARKETS) {
  if (capacity !== undefined && !market.startsWith(capacity)) continue;
  for (const { name, ...player } of PLAYERS) {
    const days = Array.from({ length: Number(seeds) }, (_, at) =>
      playDay({
        pods: Number(pods),
        minutes: Number(hours) * 60,
        seed: at + 1,
        capacityTypes,
        ...player,
      }),
    );
    const mean = (of: (day: DayFigures) => number): number =>
      days.reduce((sum, day) => sum + of(day), 0) / days.length;
    const above = 100 * (mean(({ usd }) => usd) / mean(({ lowerBoundUsd }) => lowerBoundUsd) - 1);
    row(
      market,
      name,
      mean(({ usd, hours: lasted }) => usd / lasted).toFixed(3),
      `${above.toFixed(1)} %`,
      mean(({ podsMoved, hours: lasted }) => podsMoved / lasted).toFixed(1),
      mean(({ movedWithoutRoom, hours: lasted }) => movedWithoutRoom / lasted).toFixed(1),
      mean(({ movedAgain }) => movedAgain).toFixed(0),
      mean(({ nodesRemoved, hours: lasted }) => nodesRemoved / lasted).toFixed(1),
      mean(
        ({ podSecondsPending, meanPods, hours: lasted }) =>
          (podSecondsPending / meanPods / lasted) * 24,
      ).toFixed(0),
      mean(({ meanNodes }) => meanNodes).toFixed(1),
    );
  }
}
