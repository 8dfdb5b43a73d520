/**
 * How fast and how cheap planning is, as Markdown: Karpenter's benchmark ladder, plain pods, whole
 * processes and the cost families, beside what Karpenter v1.14 took for the same. Prints figures;
 * judges nothing, and is no test.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { costFamilies } from './clusters.ts';
import { KARPENTER_FAMILY_MILLIS, KARPENTER_FIGURES } from './karpenter-figures.ts';
import type { Measured } from './measure.ts';
import { plainCluster } from './plain-cluster.ts';

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const row = (...cells: readonly (string | number)[]): void => print(`| ${cells.join(' | ')} |`);

function table(heading: string, columns: readonly string[]): void {
  print(`\n${heading}\n`);
  row(...columns);
  row(...columns.map((_, at) => (at === 0 ? '---' : '--:')));
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const geometricMean = (values: readonly number[]): number =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);

/** Fresh processes for each figure, and solves in each of them. */
const PROCESSES = 3;
const SOLVES = 5;

function measureIn(kind: string, size: number): Measured {
  const args = ['test/bench/measure.ts', kind, `${size}`, `${SOLVES}`];
  const child = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1e8 });
  if (child.status !== 0) throw new Error(`expected figures of ${kind}, found: ${child.stderr}`);
  return JSON.parse(child.stdout);
}

interface Figures {
  readonly last: Measured;
  readonly firstThread: number;
  readonly firstProcess: number;
  readonly warmThread: number;
}

function measure(kind: string, size: number): Figures {
  const all = Array.from({ length: PROCESSES }, () => measureIn(kind, size));
  const [last] = all;
  if (!last) throw new Error('expected at least one process');
  return {
    last,
    firstThread: median(all.map(({ threadMillis }) => threadMillis[0] ?? 0)),
    firstProcess: median(all.map(({ processMillis }) => processMillis[0] ?? 0)),
    warmThread: median(all.map(({ threadMillis }) => median(threadMillis.slice(1)))),
  };
}

const millis = (value: number): string => `${Math.round(value)} ms`;
const usd = (value: number): string => `$${value < 100 ? value.toFixed(2) : Math.round(value)}`;
const share = (value: number): string => value.toFixed(3);

function ladder(): void {
  table('**The ladder of Karpenter’s benchmark**: processor time of the solve alone', [
    'pods',
    'nodes',
    '$/h',
    'first solve (with compiler and collector)',
    'later solves',
    'Karpenter v1.14: nodes, $/h, processor time',
    'times as fast',
  ]);
  const steps = [
    ['diverse', 100],
    ['diverse', 1_000],
    ['diverse', 5_000],
    ['diverse', 20_000],
    ['preferring', 4_000],
  ] as const;
  for (const [kind, size] of steps) {
    const { last, firstThread, firstProcess, warmThread } = measure(kind, size);
    const karpenter = KARPENTER_FIGURES.get(`${kind} ${size}`);
    const [least = 0, most = 0] = karpenter?.cpuSeconds ?? [];
    const faster = (seconds: number): number => Math.round((seconds * 1000) / firstThread);
    row(
      `${size} ${kind}`,
      last.nodes,
      usd(last.usdPerHour),
      `${millis(firstThread)} (${millis(firstProcess)})`,
      millis(warmThread),
      `${karpenter?.nodes}, ${usd(karpenter?.usdPerHour ?? 0)}, ${least}–${most} s`,
      `${faster(least)}–${faster(most)}`,
    );
  }
}

function scale(): void {
  table('**Many pods**: processor time of the solve alone, memory of the whole process', [
    'pods',
    'nodes',
    'above the bound',
    'first solve (with compiler and collector)',
    'later solves',
    'refused',
    'peak memory',
  ]);
  const steps = [
    ['plain', 1_000],
    ['plain', 20_000],
    ['plain-1200-types', 100_000],
    ['distinct', 10_000],
    ['distinct-too-large', 10_000],
  ] as const;
  for (const [kind, size] of steps) {
    const { last, firstThread, firstProcess, warmThread } = measure(kind, size);
    const above = last.usdPerHour / last.lowerBoundUsdPerHour - 1;
    row(
      `${size} ${kind}`,
      last.nodes,
      `${(above * 100).toFixed(1)} %`,
      `${millis(firstThread)} (${millis(firstProcess)})`,
      millis(warmThread),
      last.refused,
      `${Math.round(last.peakMegabytes)} MB`,
    );
  }
}

function costs(): void {
  table('**Cost of the same pods**: Karpenter v1.14, Joinery, and what nobody can go below', [
    'family',
    'Karpenter $/h',
    'Joinery $/h',
    'of Karpenter’s',
    'of the bound',
    'first solve',
    'Karpenter’s',
  ]);
  const ofKarpenter: number[] = [];
  const ofBound: number[] = [];
  for (const [name, { karpenter }] of costFamilies()) {
    const { last, firstThread } = measure(name, 0);
    ofKarpenter.push(last.usdPerHour / karpenter.usdPerHour);
    if (name.includes('-1000-')) ofBound.push(last.usdPerHour / last.lowerBoundUsdPerHour);
    row(
      name,
      usd(karpenter.usdPerHour),
      usd(last.usdPerHour),
      share(last.usdPerHour / karpenter.usdPerHour),
      share(last.usdPerHour / last.lowerBoundUsdPerHour),
      millis(firstThread),
      millis(KARPENTER_FAMILY_MILLIS.get(name) ?? 0),
    );
  }
  row('geometric mean', '', '', share(geometricMean(ofKarpenter)), '', '', '');
  row('worst', '', '', share(Math.max(...ofKarpenter)), '', '', '');
  row('1,000 pods: geometric mean', '', '', '', share(geometricMean(ofBound)), '', '');
  row('1,000 pods: worst', '', '', '', share(Math.max(...ofBound)), '', '');
}

/** The child tells its own peak on its way out, since nobody outside is told by Node. */
const TELL_PEAK =
  'data:text/javascript,process.on("exit",()=>process.stderr.write("peak "+process.resourceUsage().maxRSS))';

/** How package.json starts the command, flags of Node and all, without `node` itself. */
const COMMAND: readonly string[] = JSON.parse(readFileSync('package.json', 'utf8'))
  .scripts.joinery.split(' ')
  .slice(1);

function wholeProcesses(): void {
  table('**`joinery plan provision` as a whole**: starting, reading, solving, writing JSON', [
    'plain pods',
    'wall clock',
    'peak memory',
  ]);
  const folder = mkdtempSync(join(tmpdir(), 'joinery-bench-'));
  try {
    for (const pods of [1_000, 20_000]) wholeProcess(pods, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function wholeProcess(pods: number, folder: string): void {
  const file = join(folder, `${pods}.json`);
  const items = plainCluster(pods).objects;
  writeFileSync(file, JSON.stringify({ kind: 'List', apiVersion: 'v1', items }));
  const args = ['--import', TELL_PEAK, ...COMMAND, 'plan', 'provision', '-f', file, '-o', 'json'];
  const taken: number[] = [];
  let peak = 0;
  for (let run = 0; run < PROCESSES; run++) {
    const start = performance.now();
    const { status, stderr } = spawnSync(process.execPath, args, {
      encoding: 'utf8',
      maxBuffer: 1e9,
    });
    taken.push(performance.now() - start);
    if (status !== 0) throw new Error(`expected a plan, found exit status ${status}: ${stderr}`);
    peak = Math.max(peak, Number(/peak (\d+)/.exec(stderr)?.[1] ?? 0) / 1024);
  }
  row(pods, millis(median(taken)), `${Math.round(peak)} MB`);
}

print(`Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`);
ladder();
scale();
costs();
wholeProcesses();
