/**
 * How fast and how large planning is: a ladder of plain pods through `place`, then the whole
 * `joinery plan` process. Prints figures; judges nothing, and is no test.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { snapshotOfFiles } from '#lib/cli/snapshot-of-files.ts';
import { place } from '#lib/decide/place.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { plainCluster } from './plain-cluster.ts';

const LADDER = [100, 1_000, 5_000, 10_000, 20_000];
const RUNS = 5;

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

function snapshotOf(pods: number): Snapshot {
  const documents = plainCluster(pods).map((object) => ({ file: 'bench', document: 1, object }));
  const made = snapshotOfFiles(documents);
  if ('problems' in made) throw new Error(JSON.stringify(made.problems[0]));
  return made.snapshot;
}

function measurePlacing(): void {
  print(`place: median of ${RUNS} runs, all types of us-east-1`);
  for (const pods of LADDER) {
    const snapshot = snapshotOf(pods);
    const millis: number[] = [];
    let nodes = 0;
    let above = 0;
    for (let run = 0; run < RUNS; run++) {
      const start = performance.now();
      const { claims, usdPerHour, lowerBoundUsdPerHour } = place(snapshot);
      millis.push(performance.now() - start);
      nodes = claims.length;
      above = (usdPerHour / lowerBoundUsdPerHour - 1) * 100;
    }
    const taken = median(millis);
    print(
      `  ${String(pods).padStart(6)} pods  ${taken.toFixed(0).padStart(6)} ms  ${Math.round(
        (pods / taken) * 1000,
      )
        .toString()
        .padStart(8)} pods/s  ${nodes} nodes, at most ${above.toFixed(1)} % above the cheapest`,
    );
  }
}

/** The child tells its own peak on its way out, since nobody outside is told by Node. */
const TELL_PEAK =
  'data:text/javascript,process.on("exit",()=>process.stderr.write("peak "+process.resourceUsage().maxRSS))';

/** How package.json starts the command, flags of Node and all, without `node` itself. */
const COMMAND: readonly string[] = JSON.parse(readFileSync('package.json', 'utf8'))
  .scripts.joinery.split(' ')
  .slice(1);

function measureProcess(pods: number, folder: string): void {
  const file = join(folder, `${pods}.json`);
  writeFileSync(
    file,
    JSON.stringify({ kind: 'List', apiVersion: 'v1', items: plainCluster(pods) }),
  );
  const args = ['--import', TELL_PEAK, ...COMMAND, 'plan', 'provision', '-f', file, '-o', 'json'];
  const millis: number[] = [];
  let peak = 0;
  for (let run = 0; run < RUNS; run++) {
    const start = performance.now();
    const { status, stderr } = spawnSync(process.execPath, args, {
      encoding: 'utf8',
      maxBuffer: 1_000_000_000,
    });
    millis.push(performance.now() - start);
    if (status !== 0) throw new Error(`expected a plan, found exit status ${status}: ${stderr}`);
    peak = Math.max(peak, Number(/peak (\d+)/.exec(stderr)?.[1] ?? 0) / 1024);
  }
  print(
    `  ${String(pods).padStart(6)} pods  ${median(millis).toFixed(0).padStart(6)} ms  peak ${peak.toFixed(0)} MB`,
  );
}

measurePlacing();
print(`joinery plan: whole process, median of ${RUNS} runs`);
const folder = mkdtempSync(join(tmpdir(), 'joinery-bench-'));
try {
  measureProcess(1_000, folder);
  measureProcess(20_000, folder);
} finally {
  rmSync(folder, { recursive: true });
}
