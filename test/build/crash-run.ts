import { manifestsOf } from '#lib/cli/stories/command.ts';
import { inflate } from '#lib/cli/stories/inflate.ts';
import { setStage } from '#lib/cli/stories/stage.ts';
import type { Crash } from '#lib/sim/faults.ts';
import { createFaultPlan } from '#lib/sim/faults.ts';

/** What story 1 came to, for the comparison of a run with a crash to one without. */
export interface CrashRun {
  readonly struck: readonly string[];
  readonly calls: number;
  readonly failedChecks: readonly string[];
  /** Type and pool of each node at the peak, sorted. */
  readonly nodes: readonly string[];
  /** Instances that were ever launched. */
  readonly instances: number;
}

/** Plays story 1, the process dying at one call where a crash is given. */
export async function playInflate(crash?: Crash, seed = 1): Promise<CrashRun> {
  const faults = createFaultPlan(crash ? [crash] : []);
  const stage = setStage({
    seed,
    region: inflate.region,
    manifests: manifestsOf(inflate),
    faults,
  });
  await inflate.play(stage);
  return {
    struck: faults.struck(),
    calls: faults.calls().length,
    failedChecks: stage.checks
      .filter(({ ok }) => !ok)
      .map(({ name, found }) => `${name} (${found})`),
    nodes: stage
      .peak()
      .map(({ instanceType, nodePool }) => `${instanceType} of ${nodePool}`)
      .sort(),
    instances: stage.world.aws.machines().length,
  };
}
