/**
 * Writes infra/COST.md: what Joinery itself costs a month, from published prices and hours that are
 * played in the embedded world. `npm run cost`.
 */
import { writeFile } from 'node:fs/promises';
import { DEFAULTS } from '#infra/stack/props.ts';
import { manifestsOf } from '#lib/cli/stories/command.ts';
import { inflate } from '#lib/cli/stories/inflate.ts';
import { setStage } from '#lib/cli/stories/stage.ts';
import type { Entry } from '#lib/sim/journal.ts';
import type { FunctionName } from '#lib/sim/stack.ts';
import { type Hour, type Line, monthOf, totalOf } from './month.ts';

const NAMES = ['provision', 'consolidate', 'drift', 'interrupt', 'admit'] as const;
const HOUR_MS = 3_600_000;
/**
 * Beside waiting for answers, which is what the embedded world knows of. An idle hour of that world
 * takes a few ms of processor time for each invocation, world included: this allows for cold code,
 * TLS and the JSON of a real API server.
 */
const PROCESSOR_SECONDS: Readonly<Record<FunctionName, number>> = {
  provision: 0.15,
  consolidate: 0.15,
  drift: 0.3,
  interrupt: 0.3,
  admit: 0.01,
};
/** START, END and REPORT, and one line of figures. */
const LOG_BYTES_BESIDE = 900;
const ALARMS = 16;

/** Figures of a quiet cluster: four gauges, and three of each of the functions that are woken. */
const QUIET_SERIES = 4 + 3 * 3;
/** And where everything happens: counts, every reason why nodes are disrupted, `interrupt`. */
const EVERY_SERIES = QUIET_SERIES + 4 + 1 + 14 + 3;

async function playHour(isBusy: boolean): Promise<Hour> {
  const stage = setStage({ seed: 1, region: inflate.region, manifests: manifestsOf(inflate) });
  await stage.setUp();
  stage.deploy();
  stage.scale('inflate', 3);
  await stage.pass(HOUR_MS / 4);
  const before = stage.world.journal.entries.length;
  const startedAt = process.cpuUsage().user;
  for (let part = 0; part < 12; part += 1) {
    if (isBusy) stage.scale('inflate', part % 2 === 0 ? 40 : 3);
    await stage.pass(HOUR_MS / 12);
  }
  const milliseconds = (process.cpuUsage().user - startedAt) / 1_000;
  process.stderr.write(`${milliseconds.toFixed(0)} ms of processor time for the hour\n`);
  return counted(stage.world.journal.entries.slice(before), isBusy);
}

function counted(entries: readonly Entry[], isBusy: boolean): Hour {
  const runs = entries.filter(({ source, fields }) => source === 'lambda' && fields?.durationMs);
  const of = (name: FunctionName) => runs.filter(({ fields }) => fields?.functionName === name);
  const each = (count: (name: FunctionName) => number) =>
    Object.fromEntries(NAMES.map((name) => [name, count(name)])) as Record<FunctionName, number>;
  const invocations = each((name) => of(name).length);
  const waited = (name: FunctionName): number =>
    of(name).reduce((sum, { fields }) => sum + Number(fields?.durationMs) / 1_000, 0);
  const lines = entries.filter(({ source }) => source === 'joinery');
  return {
    invocations,
    seconds: each((name) => waited(name) + invocations[name] * PROCESSOR_SECONDS[name]),
    hints: of('provision').filter(({ fields }) => !/schedule/.test(String(fields?.cause))).length,
    webhookCalls: invocations.admit,
    logBytes:
      lines.reduce((sum, { fields }) => sum + JSON.stringify(fields ?? {}).length, 0) +
      runs.length * LOG_BYTES_BESIDE,
    series: isBusy ? EVERY_SERIES : QUIET_SERIES,
  };
}

const gigabytes = Object.fromEntries(
  NAMES.map((name) => [name, DEFAULTS.memoryMegabytes[name] / 1_024]),
) as Record<FunctionName, number>;
const standing = { gigabytes, alarms: ALARMS, dashboards: 1 };
const [quietHour, busyHour] = [await playHour(false), await playHour(true)];
const quiet = monthOf(quietHour, standing);
const busy = monthOf(busyHour, standing);

const usd = (amount: number): string => `$${amount.toFixed(2)}`;
const row = (line: Line, index: number): string =>
  `| ${line.what} | ${line.amount.toLocaleString('en-US', { maximumFractionDigits: 2 })} | ${usd(line.usd)} | ${usd(busy[index]?.usd ?? 0)} |`;
const runsOf = ({ invocations }: Hour): string =>
  NAMES.map((name) => `${name} ${invocations[name]}`).join(', ');

const text = `# What Joinery costs

Made by \`npm run cost\` from published prices (us-east-1, test/bench/cost/prices.ts) and from hours that are played in the
embedded world: an idle one (a few nodes, nothing happens: ${runsOf(quietHour)} invocations) and a busy one (37 pods come or
go every five minutes: ${runsOf(busyHour)}). Nodes, of course, come on top.

| a month | idle: how many | idle | every hour busy |
|---|--:|--:|--:|
${quiet.map(row).join('\n')}
| **together, without any free tier** | | **${usd(totalOf(quiet, 'usd'))}** | **${usd(totalOf(busy, 'usd'))}** |
| together, beyond what every account has free for good | | ${usd(totalOf(quiet, 'usdBeyondFree'))} | ${usd(totalOf(busy, 'usdBeyondFree'))} |

Billed time is what each invocation waits for the API server and EC2 in the embedded world, and processor time of
${PROCESSOR_SECONDS.provision} s (drift ${PROCESSOR_SECONDS.drift} s) on top, which a small cluster needs; large ones need more: \`npm run bench:cluster\`.
Series of figures that were not told in an hour cost nothing in it: ${QUIET_SERIES} are told when all is quiet, ${EVERY_SERIES} at most.

What is yours to choose, and not counted:

- **A VPC.** Functions outside of it need neither a NAT gateway (about $33 a month and zone) nor interface endpoints (about
  $7.30 a month, endpoint and zone; EC2, EKS, SQS, SSM, STS and IAM's are wanted). Only a cluster whose endpoint is private asks for it.
- **The door.** A function URL costs nothing beside the function; the HTTP API costs $1 for a million calls. Without a door nothing is paid.
- **Schedules.** \`ConsolidateSchedule=rate(5 minutes)\` saves most of what consolidate costs; windows save more.
- **Memory.** 1,769 MB are one core. Less of it makes waiting cheaper and deciding slower.

A storm costs little by design: the HTTP API lets 50 calls a second through (4.3 million a day: $4.32, and about $1.20 for \`admit\`), all
calls that a sandbox of \`admit\` gets within a second become one hint, the queue feeds two invocations of provision at most, and the
Lease lets one of them act: so provision cannot cost more than two sandboxes that run without a pause, ${usd(2 * 24 * 3_600 * gigabytes.provision * 0.0000133334)} a day.
`;
await writeFile('infra/COST.md', text);
process.stdout.write(text);
