import { counted } from './counted.ts';
import { isGoing, readyPods } from './stage-sights.ts';
import type { Story } from './story.ts';

const MINUTE_MS = 60_000;
const PODS = 3;
const AT_ONCE_MS = 10_000;

/** Story 28: an instance ends without a warning. */
export const stateChange: Story = {
  number: 28,
  name: 'state-change',
  title: 'An instance shuts down: its NodeClaim goes at once, its pods get another node.',
  region: 'us-east-1',
  manifests: '28-state-change.yaml',
  play: async (stage) => {
    await stage.setUp();
    stage.deploy();
    await stage.untilRunning('web', PODS, 5 * MINUTE_MS);
    stage.markPeak();
    const [ended] = stage.nodes();
    if (ended === undefined) return;

    const endedAt = stage.now();
    stage.harm?.endInstance(ended.name);
    const isNoticed = await stage.until(() => isGoing(stage, ended.name), MINUTE_MS);
    stage.check(
      'its NodeClaim goes at once',
      isNoticed && stage.now() - endedAt < AT_ONCE_MS,
      `after ${((stage.now() - endedAt) / 1_000).toFixed(0)} s`,
    );
    const isHealed = await stage.until(
      () => stage.nodes().every(({ name }) => name !== ended.name) && readyPods(stage) === PODS,
      3 * MINUTE_MS,
    );
    stage.check(
      'its pods get another node',
      isHealed,
      `${readyPods(stage)} of ${counted(PODS, 'pod')} after ${((stage.now() - endedAt) / 1_000).toFixed(0)} s`,
    );
    stage.checkOneInstancePerNodeClaim();
  },
};
