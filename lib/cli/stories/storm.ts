import { counted } from './counted.ts';
import { readyPods } from './stage-sights.ts';
import type { Stage, Story } from './story.ts';

const MINUTE_MS = 60_000;
const NOTICE_MS = 120_000;
/** Over how long the warnings are spread, and into how many lots. */
const STORM_MS = 10_000;
const LOTS = 10;
/** What the PodDisruptionBudget keeps of them. */
const KEPT = 0.8;

/** Story 29: half of all spot nodes are warned of within ten seconds. */
export const storm: Story = {
  number: 29,
  name: 'storm',
  title: 'EC2 takes 250 of 500 spot nodes back within 10 s: few launches, nothing lost.',
  region: 'us-east-1',
  manifests: '29-storm.yaml',
  play: (stage) => playStorm(stage, 500),
};

/** The story with so many pods, each on a node of its own. */
export async function playStorm(stage: Stage, pods: number): Promise<void> {
  await stage.setUp();
  stage.deploy();
  if (pods !== 500) stage.scale('web', pods);
  await stage.untilRunning('web', pods, 15 * MINUTE_MS);
  stage.markPeak();
  const warned = stage
    .nodes()
    .slice(0, pods / 2)
    .map(({ name }) => name);
  const lost = new Set(warned);
  const before = stage.calls().CreateFleet ?? 0;

  const startedAt = stage.now();
  let lowest = pods;
  const watched = (holds: () => boolean) =>
    eachSecond(stage, () => {
      lowest = Math.min(lowest, readyPods(stage));
      return holds();
    });
  for (let lot = 0; lot < LOTS; lot++) {
    stage.announcer?.takeBack(
      warned.slice((lot * warned.length) / LOTS, ((lot + 1) * warned.length) / LOTS),
    );
    await stage.pass(STORM_MS / LOTS);
  }
  const left = (): number =>
    stage.nodes().filter(({ name, pods: held }) => lost.has(name) && held.length > 0).length;
  const isDone = await stage.until(
    watched(() => left() === 0),
    NOTICE_MS - STORM_MS,
  );
  stage.check(
    'every node that was warned of is drained before the first of them ends',
    isDone,
    `after ${((stage.now() - startedAt) / 1_000).toFixed(0)} s, ${counted(left(), 'node')} left`,
  );
  const allBack = await stage.until(
    watched(() => readyPods(stage) === pods),
    5 * MINUTE_MS,
  );
  stage.check(
    'every pod runs again',
    allBack,
    `${readyPods(stage)} of ${pods} after ${((stage.now() - startedAt) / 1_000).toFixed(0)} s`,
  );
  stage.check(
    'their PodDisruptionBudget was kept',
    lowest >= KEPT * pods,
    `never fewer than ${lowest} of ${pods} ready`,
  );
  const launches = (stage.calls().CreateFleet ?? 0) - before;
  stage.check(
    'their nodes are launched together',
    launches <= Math.max(10, pods / 20),
    `${counted(launches, 'CreateFleet call')} for ${counted(warned.length, 'node')}`,
  );
  stage.checkOneInstancePerNodeClaim();
}

/** Asks once a second what is costly to find out of so many nodes. */
function eachSecond(stage: Stage, holds: () => boolean): () => boolean {
  let askedAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (stage.now() - askedAt < 1_000) return false;
    askedAt = stage.now();
    return holds();
  };
}
