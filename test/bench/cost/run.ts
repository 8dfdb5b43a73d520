/**
 * Writes infra/COST.md: what Joinery itself costs a month. `npm run cost` plays the hours anew;
 * `npm run cost -- --measure 3 100` also measures the bundles at clusters of so many nodes, on
 * a quiet machine and for some minutes.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import type { Recorded } from './billing.ts';
import { playHour } from './hours.ts';
import { measure } from './measure.ts';
import { costMarkdown } from './report.ts';

const RECORD = 'test/bench/cost/recorded.json';

async function measuredAnew(sizes: readonly number[]): Promise<Omit<Recorded, 'hours'>> {
  return {
    measuredOn: new Date().toISOString().slice(0, 10),
    machine: cpus()[0]?.model ?? 'an unknown processor',
    measured: await measure(sizes),
  };
}

const [flag, ...sizes] = process.argv.slice(2);
const known: Recorded = JSON.parse(await readFile(RECORD, 'utf8'));
const record: Recorded = {
  ...known,
  ...(flag === '--measure' && (await measuredAnew(sizes.map(Number)))),
  hours: { idle: await playHour('idle'), busy: await playHour('busy') },
};
await writeFile(RECORD, `${JSON.stringify(record, undefined, 2)}\n`);
await writeFile('infra/COST.md', costMarkdown(record));
process.stdout.write(costMarkdown(record));
