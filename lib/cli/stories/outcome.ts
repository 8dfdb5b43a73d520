import type { Io } from '../io.ts';
import { counted } from './counted.ts';
import type { SetStage } from './stage.ts';
import type { Story } from './story.ts';

/** What a story came to, for a machine. */
export interface StoryResult {
  readonly story: number;
  readonly name: string;
  readonly ok: boolean;
  readonly checks: readonly {
    readonly name: string;
    readonly ok: boolean;
    readonly found: string;
  }[];
  readonly nodes: readonly {
    readonly name: string;
    readonly nodePool: string;
    readonly instanceType: string;
    readonly zone: string;
    readonly capacityType: string;
    readonly usdPerHour: number;
    readonly pods: number;
  }[];
  readonly pods: number;
  readonly usdPerHour: number;
  readonly allRunningAfterSeconds?: number;
  readonly virtualSeconds: number;
  /** Where the prices come from. */
  readonly pricesAre: string;
  /** Calls that the functions made, by name. */
  readonly calls: Readonly<Record<string, number>>;
}

/** What `stage` holds once `story` has been played on it. */
export function resultOf(
  story: Pick<Story, 'number' | 'name'>,
  stage: SetStage,
  startedAt: number,
): StoryResult {
  const nodes = stage.peak();
  const runningAfterMs = stage.allRunningAfterMs();
  return {
    story: story.number,
    name: story.name,
    ok: stage.checks.every(({ ok }) => ok),
    checks: stage.checks,
    nodes: nodes.map(({ labels: _, arch: _arch, pods, ...node }) => ({
      ...node,
      pods: pods.length,
    })),
    pods: nodes.reduce((sum, { pods }) => sum + pods.length, 0),
    usdPerHour: round(nodes.reduce((sum, { usdPerHour }) => sum + usdPerHour, 0)),
    ...(runningAfterMs === undefined ? {} : { allRunningAfterSeconds: runningAfterMs / 1_000 }),
    pricesAre: stage.pricesAre,
    virtualSeconds: (stage.now() - startedAt) / 1_000,
    calls: stage.calls(),
  };
}

const round = (usd: number): number => Math.round(usd * 1e6) / 1e6;

/** Prints the closing table and the checks for a person. */
export function printResult(result: StoryResult, io: Pick<Io, 'out'>): void {
  io.out('');
  io.out(result.nodes.length === 0 ? 'No node stands' : 'At its peak');
  if (result.nodes.length > 0)
    printTable(
      [
        ['node', 'pool', 'type', 'zone', 'bought', 'pods', '$/h'],
        ...result.nodes.map((node) => [
          node.name,
          node.nodePool,
          node.instanceType,
          node.zone,
          node.capacityType,
          String(node.pods),
          node.usdPerHour.toFixed(4),
        ]),
      ],
      io,
    );
  io.out(
    `  ${counted(result.nodes.length, 'node')}, ${counted(result.pods, 'pod')}, $${result.usdPerHour.toFixed(4)}/h (${result.pricesAre})`,
  );
  if (result.allRunningAfterSeconds !== undefined) {
    io.out(
      `  all pods running after ${result.allRunningAfterSeconds.toFixed(1)} s; ${result.virtualSeconds.toFixed(0)} s played`,
    );
  }
  printCalls(result.calls, io);
  io.out('');
  for (const { name, ok, found } of result.checks) {
    io.out(`${ok ? 'ok    ' : 'FAILED'} ${name} (${found})`);
  }
}

/** So many kinds of call to Kubernetes are named; they are many, and much alike. */
const NAMED = 8;

/** AWS's calls are named in one word, Kubernetes' by verb and resource. */
function printCalls(calls: StoryResult['calls'], io: Pick<Io, 'out'>): void {
  const all = Object.entries(calls).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  const isKubernetes = ([name]: readonly [string, number]) => name.includes(' ');
  const parts = [
    { whom: 'AWS', made: all.filter((call) => !isKubernetes(call)), named: all.length },
    { whom: 'Kubernetes', made: all.filter(isKubernetes), named: NAMED },
  ];
  for (const { whom, made, named } of parts) {
    const total = made.reduce((sum, [, times]) => sum + times, 0);
    const most = made.slice(0, named).map(([name, times]) => `${name} ${times}`);
    const more = made.length > named ? `, … (${made.length - named} more kinds)` : '';
    io.out(
      `  ${counted(total, 'call')} to ${whom}${total > 0 ? ': ' : ''}${most.join(', ')}${more}`,
    );
  }
}

/** So many nodes are listed one by one; more are counted by kind. */
const LISTED = 12;

function printTable(rows: readonly (readonly string[])[], io: Pick<Io, 'out'>): void {
  const [head = [], ...body] = rows;
  const shown = [head, ...body.slice(0, LISTED)];
  const widths = head.map((_, column) =>
    Math.max(...shown.map((row) => (row[column] ?? '').length)),
  );
  for (const row of shown) {
    io.out(
      `  ${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}`,
    );
  }
  if (body.length > LISTED) io.out(`  … and ${body.length - LISTED} more`);
}
