import { manifestsOf } from '#lib/cli/stories/command.ts';
import { inflate } from '#lib/cli/stories/inflate.ts';
import { type SetStage, setStage } from '#lib/cli/stories/stage.ts';
import type { CallFate, CallFaults, SeamCall } from '#lib/sim/call-faults.ts';
import { type Violation, watchInvariants } from './invariants.ts';
import { MINUTE } from './objects.ts';

/** What happens to one call of a run, or around it. */
export interface Mishap {
  /** Which call of the functions, from 1 on; every one where absent. */
  readonly at?: number;
  /** That many calls in a row; one where absent. */
  readonly times?: number;
  /** Only where this holds. */
  readonly when?: (call: SeamCall, world: SetStage['world']) => boolean;
  readonly fate?: CallFate;
  /** What somebody does at that moment. */
  readonly meanwhile?: (world: SetStage['world']) => void;
}

/** What a disturbed run came to. */
export interface FaultRun {
  readonly calls: readonly SeamCall[];
  readonly violations: readonly Violation[];
  /** What was still there at the end that should not have been; empty where all is well. */
  readonly left: readonly string[];
  /** Whether all pods ran at the peak, and again after a node was taken away. */
  readonly ran: boolean;
}

const PODS = 5;
/** The longest that a mishap may delay anything: a launch or a drain that has to be begun again. */
const PATIENCE_MS = 40 * MINUTE;

const budget = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'inflate', namespace: 'default' },
  spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'inflate' } } },
};

/**
 * Five pods come, somebody deletes the NodeClaim of one of their nodes, they move within their
 * budget, they go: with mishaps, and with what must never be noted at each step.
 */
export async function playWithMishaps(
  mishaps: readonly Mishap[] = [],
  skewMs?: CallFaults['skewMs'],
): Promise<FaultRun> {
  const calls: SeamCall[] = [];
  let world: SetStage['world'] | undefined;
  const faults: CallFaults = {
    on: (call) => {
      calls.push(call);
      const mishap = mishaps.find(({ at = 1, times = Number.POSITIVE_INFINITY, when }) => {
        const isNow = calls.length >= at && calls.length < at + times;
        return isNow && (when === undefined || (world !== undefined && when(call, world)));
      });
      if (world !== undefined) mishap?.meanwhile?.(world);
      return mishap?.fate ?? 'pass';
    },
    ...(skewMs && { skewMs }),
  };
  const stage = setStage({
    seed: 1,
    region: inflate.region,
    manifests: manifestsOf(inflate),
    faults,
  });
  world = stage.world;
  const invariants = watchInvariants(stage.world);
  await stage.setUp();
  stage.deploy();
  stage.world.apply([budget]);
  stage.scale('inflate', PODS);
  const allRun = () => stage.pods('inflate').filter(({ ready }) => ready).length >= PODS;
  const ranFirst = await stage.world.runUntil(allRun, PATIENCE_MS);
  await stage.pass(MINUTE);
  const [claim] = stage.nodeClaims();
  if (claim !== undefined) stage.remove('NodeClaim', claim.metadata.name);
  const isGone = () =>
    stage.nodeClaims().every(({ metadata }) => metadata.uid !== claim?.metadata.uid) && allRun();
  const ranAgain = await stage.world.runUntil(isGone, PATIENCE_MS);
  stage.scale('inflate', 0);
  await stage.untilNoNodes(PATIENCE_MS);
  await stage.world.runUntil(() => invariants.left().length === 0, PATIENCE_MS);
  return {
    calls,
    violations: invariants.violations(),
    left: invariants.left(),
    ran: ranFirst && ranAgain,
  };
}
