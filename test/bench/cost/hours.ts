import { manifestsOf } from '#lib/cli/stories/command.ts';
import { inflate } from '#lib/cli/stories/inflate.ts';
import { setStage } from '#lib/cli/stories/stage.ts';
import type { Entry } from '#lib/sim/journal.ts';
import type { FunctionName } from '#lib/sim/stack.ts';

/** An hour as it was played: of each function how often it ran, and for how long it waited. */
export interface Hour {
  readonly invocations: Readonly<Record<FunctionName, number>>;
  /** For answers of the API server and of AWS; deciding takes no time in the embedded world. */
  readonly waitedSeconds: Readonly<Record<FunctionName, number>>;
  readonly hints: number;
  readonly webhookCalls: number;
  readonly logBytes: number;
}

export const NAMES = ['provision', 'consolidate', 'drift', 'interrupt', 'admit'] as const;
const HOUR_MS = 3_600_000;
/** START, END and REPORT, and one line of figures. */
const LOG_BYTES_BESIDE = 900;

/** An hour in the embedded world: quiet, or one in which 37 pods come or go every five minutes. */
export async function playHour(kind: 'idle' | 'busy'): Promise<Hour> {
  const stage = setStage({ seed: 1, region: inflate.region, manifests: manifestsOf(inflate) });
  await stage.setUp();
  stage.deploy();
  stage.scale('inflate', 3);
  await stage.pass(HOUR_MS / 4);
  const before = stage.world.journal.entries.length;
  for (let part = 0; part < 12; part += 1) {
    if (kind === 'busy') stage.scale('inflate', part % 2 === 0 ? 40 : 3);
    await stage.pass(HOUR_MS / 12);
  }
  return counted(stage.world.journal.entries.slice(before));
}

function counted(entries: readonly Entry[]): Hour {
  const runs = entries.filter(({ source, fields }) => source === 'lambda' && fields?.durationMs);
  const of = (name: FunctionName) => runs.filter(({ fields }) => fields?.functionName === name);
  const lines = entries.filter(({ source }) => source === 'joinery');
  const waited = (name: FunctionName): number =>
    of(name).reduce((sum, { fields }) => sum + Number(fields?.durationMs) / 1_000, 0);
  return {
    invocations: forEach((name) => of(name).length),
    waitedSeconds: forEach((name) => Math.round(waited(name) * 1_000) / 1_000),
    hints: of('provision').filter(({ fields }) => !/schedule/.test(String(fields?.cause))).length,
    webhookCalls: of('admit').length,
    logBytes:
      lines.reduce((sum, { fields }) => sum + JSON.stringify(fields ?? {}).length, 0) +
      runs.length * LOG_BYTES_BESIDE,
  };
}

/** A figure of each function. */
export const forEach = (count: (name: FunctionName) => number): Record<FunctionName, number> => ({
  provision: count('provision'),
  consolidate: count('consolidate'),
  drift: count('drift'),
  interrupt: count('interrupt'),
  admit: count('admit'),
});
