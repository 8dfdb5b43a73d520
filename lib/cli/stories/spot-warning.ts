import { counted } from './counted.ts';
import { isGoing, readyPods } from './stage-sights.ts';
import type { Stage, Story } from './story.ts';

const MINUTE_MS = 60_000;
const PODS = 3;
/** Source: EC2 User Guide, Spot Instance interruption notices. */
const NOTICE_MS = 120_000;

/** Story 25: EC2 takes a spot instance back. */
export const spotWarning: Story = {
  number: 25,
  name: 'spot-warning',
  title: 'EC2 takes a spot instance back: its pods have another node before the two minutes end.',
  region: 'us-east-1',
  manifests: '25-spot-warning.yaml',
  play: async (stage) => {
    await stage.setUp();
    stage.deploy();
    await stage.untilRunning('web', PODS, 5 * MINUTE_MS);
    stage.markPeak();
    const before = stage.nodes();
    const [warned] = before;
    if (warned === undefined) return;
    const pool = `${warned.instanceType} in ${warned.zone}`;

    const warnedAt = stage.now();
    stage.announcer?.takeBack([warned.name]);
    const isMarked = await stage.until(() => isGoing(stage, warned.name), NOTICE_MS);
    stage.check(
      'its NodeClaim is deleted within seconds',
      isMarked && stage.now() - warnedAt < 10_000,
      `after ${seconds(stage.now() - warnedAt)}`,
    );
    const isMoved = await stage.until(
      () => allRun(stage) && stage.nodes().every(({ name }) => name !== warned.name),
      NOTICE_MS,
    );
    stage.check(
      'its pods run elsewhere, and it is gone, before EC2 ends it',
      isMoved && stage.now() - warnedAt < NOTICE_MS,
      `after ${seconds(stage.now() - warnedAt)}, ${counted(readyPods(stage), 'pod')} ready`,
    );
    const same = (nodes: typeof before) =>
      nodes.filter(({ instanceType, zone }) => `${instanceType} in ${zone}` === pool).length;
    stage.check(
      'what EC2 takes back is not bought again at once',
      same(stage.nodes()) < same(before),
      `${pool}: ${same(before)} before, ${same(stage.nodes())} now`,
    );
    stage.checkOneInstancePerNodeClaim();
  },
};

const allRun = (stage: Stage): boolean => readyPods(stage) === PODS;

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(0)} s`;
