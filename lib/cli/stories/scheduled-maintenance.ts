import { counted } from './counted.ts';
import { isThere, readyPods } from './stage-sights.ts';
import type { Story } from './story.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const PODS = 3;

/** Story 27: AWS will work on a machine. */
export const scheduledMaintenance: Story = {
  number: 27,
  name: 'scheduled-maintenance',
  title: 'AWS announces work on machines: drained before it starts, left alone where cancelled.',
  region: 'us-east-1',
  manifests: '27-scheduled-maintenance.yaml',
  play: async (stage) => {
    await stage.setUp();
    stage.deploy();
    await stage.untilRunning('web', PODS, 5 * MINUTE_MS);
    stage.markPeak();
    const [worked, cancelled] = stage.nodes();
    if (worked === undefined || cancelled === undefined) return;

    const startsAt = stage.now() + 5 * HOUR_MS;
    stage.announcer?.scheduleWork(worked.name, 5 * HOUR_MS, 'upcoming');
    stage.announcer?.scheduleWork(cancelled.name, 5 * HOUR_MS, 'upcoming');
    await stage.pass(30 * MINUTE_MS);
    stage.announcer?.scheduleWork(cancelled.name, 5 * HOUR_MS, 'closed');
    await stage.pass(30 * MINUTE_MS);
    stage.check(
      'far work changes nothing yet',
      isThere(stage, worked.name) && isThere(stage, cancelled.name),
      counted(stage.nodes().length, 'node'),
    );
    const isGone = await stage.until(() => !isThere(stage, worked.name), 5 * HOUR_MS);
    const goneAt = stage.now();
    await stage.until(() => readyPods(stage) === PODS, 5 * MINUTE_MS);
    stage.check(
      'the node is drained and replaced before the work starts',
      isGone && goneAt < startsAt && readyPods(stage) === PODS,
      `${((startsAt - goneAt) / MINUTE_MS).toFixed(0)} minutes before, ${readyPods(stage)} of ${counted(PODS, 'pod')} ready`,
    );
    await stage.pass(2 * HOUR_MS);
    stage.check(
      'a node whose work was cancelled stays',
      isThere(stage, cancelled.name),
      isThere(stage, cancelled.name) ? 'there' : 'gone',
    );
    stage.checkOneInstancePerNodeClaim();
  },
};
