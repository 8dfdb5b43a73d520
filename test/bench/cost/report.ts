import {
  busyHour,
  COLD_STARTS_PER_HOUR,
  GIGABYTES,
  idleHour,
  measuredAt,
  type Recorded,
  runsOf,
  SLOWER,
} from './billing.ts';
import type { Measured } from './measure.ts';
import { type Line, monthOf, type Standing, totalOf } from './month.ts';
import { PRICES } from './prices.ts';

/** The alarms and dashboards that the template makes; a test counts them there. */
export const STANDING: Standing = { gigabytes: GIGABYTES, alarms: 16, dashboards: 1 };

/** The bill of a month in which every hour is a quiet one, at a cluster of as many nodes or more. */
export const idleMonth = (recorded: Recorded, nodes = 0): readonly Line[] =>
  monthOf(idleHour(recorded, nodes), STANDING);

/** infra/COST.md, from what was recorded. */
export function costMarkdown(recorded: Recorded): string {
  const quiet = idleMonth(recorded);
  const busy = monthOf(busyHour(recorded), STANDING);
  const row = (line: Line, index: number): string =>
    `| ${line.what} | ${line.amount.toLocaleString('en-US', { maximumFractionDigits: 2 })} | ${usd(line.usd)} | ${usd(busy[index]?.usd ?? 0)} |`;
  return `# What Joinery costs

Made by \`npm run cost\` from published prices (us-east-1, test/bench/cost/prices.ts), from hours that are played in the
embedded world, and from what the real bundles take. Of the hours one is idle (a few nodes, nothing happens: ${runsOf(recorded.hours.idle)}
invocations) and one busy (37 pods come or go every five minutes: ${runsOf(recorded.hours.busy)}). Nodes, of course, come on top.

| a month | idle: how many | idle | every hour busy |
|---|--:|--:|--:|
${quiet.map(row).join('\n')}
| **together, without any free tier** | | **${usd(totalOf(quiet, 'usd'))}** | **${usd(totalOf(busy, 'usd'))}** |
| together, beyond what every account has free for good | | ${usd(totalOf(quiet, 'usdBeyondFree'))} | ${usd(totalOf(busy, 'usdBeyondFree'))} |

## What the bundles take

${method(recorded)}

| function | cluster at rest | initializes | first invocation | each that follows | peak memory | has |
|---|--:|--:|--:|--:|--:|--:|
${recorded.measured.map(measuredRow).join('\n')}

An idle month by the size of the cluster: ${sizesOf(recorded)
    .map(
      ({ nodes, pods }) =>
        `${usd(totalOf(idleMonth(recorded, nodes), 'usd'))} at ${nodes} nodes and ${pods} pods`,
    )
    .join(', ')}.

## What is yours to choose, and not counted

- **A VPC.** Functions outside of it need neither a NAT gateway (about $33 a month and zone) nor interface endpoints (about
  $7.30 a month, endpoint and zone; EC2, EKS, SQS, SSM, STS and IAM's are wanted). Only a cluster whose endpoint is private asks for it.
- **The door.** A function URL costs nothing beside the function; the HTTP API costs $1 for a million calls. Without a door nothing is paid.
- **Schedules.** \`ConsolidateSchedule=rate(5 minutes)\` saves most of what consolidate costs; windows save more.
- **Memory.** 1,769 MB are one core. Less of it makes waiting cheaper and deciding slower.
- **What is looked at.** The dashboard, the alarms and the figures are most of an idle bill; an account's first three dashboards, ten
  alarms and ten figures are free.

A storm costs little by design: the HTTP API lets 50 calls a second through (4.3 million a day: $4.32, and about $1.20 for \`admit\`), all
calls that a sandbox of \`admit\` gets within a second become one hint, the queue feeds two invocations of provision at most, and the
Lease lets one of them act: so provision cannot cost more than two sandboxes that run without a pause, ${usd(2 * 24 * 3_600 * GIGABYTES.provision * PRICES.lambdaGigabyteSecond)} a day.
`;
}

function method({ measuredOn, machine }: Recorded): string {
  return `Processor time in ms, measured on ${measuredOn} with Node 24 on one core of ${machine} by \`npm run cost -- --measure 3 100\`: each bundle as
\`npm run build\` makes it, in a process of its own, the cluster behind https and AWS behind http on loopback, answers as long as real
ones, an hour of heartbeats and more, kubelets reporting in between. The bill takes a core of Lambda (1,769 MB, arm64) for ${SLOWER} times slower,
divides by the share of it that a function's memory buys, adds what each invocation waits for the API server (5–15 ms a call) and
for EC2 (80–400 ms) in the embedded world, and ${COLD_STARTS_PER_HOUR} cold starts an hour and function, whose initializing is billed, too. In a busy
hour every invocation counts as a first one. What drift asks anew of EC2 twice an hour (spot prices) is in the mean; types and
price lists, twice a day, are in the waiting. interrupt is handed what is of no interest here, admit a call of the webhook; neither is part of a quiet hour.
The machine was busy with other work, which makes the figures larger, not smaller.`;
}

const measuredRow = (each: Measured): string =>
  `| ${each.function} | ${each.nodes} nodes, ${each.pods.toLocaleString('en-US')} pods | ${each.initCpuMs} | ${each.firstCpuMs} | ${each.laterCpuMs} | ${each.peakMegabytes} MB | ${Math.round(GIGABYTES[each.function] * 1_024)} MB |`;

const sizesOf = (recorded: Recorded): readonly Measured[] =>
  recorded.measured.filter((each) => each.function === measuredAt(recorded, 'provision').function);

const usd = (amount: number): string => `$${amount.toFixed(2)}`;
