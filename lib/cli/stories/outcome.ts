import type { Io } from '../io.ts';
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
export function printResult(result: StoryResult, io: Io): void {
  io.out('');
  io.out('At its peak');
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
    `  ${result.nodes.length} node${result.nodes.length === 1 ? '' : 's'}, ${result.pods} pods, $${result.usdPerHour.toFixed(4)}/h (${result.pricesAre})`,
  );
  if (result.allRunningAfterSeconds !== undefined) {
    io.out(
      `  all pods running after ${result.allRunningAfterSeconds.toFixed(1)} s; ${result.virtualSeconds.toFixed(0)} s played`,
    );
  }
  const calls = Object.entries(result.calls);
  const total = calls.reduce((sum, [, times]) => sum + times, 0);
  const most = [...calls].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, 8);
  io.out(
    `  ${total} API calls: ${most.map(([name, times]) => `${name} ${times}`).join(', ')}${calls.length > most.length ? ', …' : ''}`,
  );
  io.out('');
  for (const { name, ok, found } of result.checks) {
    io.out(`${ok ? 'ok    ' : 'FAILED'} ${name} (${found})`);
  }
}

/** So many nodes are listed one by one; more are counted by kind. */
const LISTED = 12;

function printTable(rows: readonly (readonly string[])[], io: Io): void {
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
