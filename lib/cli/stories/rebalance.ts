import { counted } from './counted.ts';
import { isThere, readyPods } from './stage-sights.ts';
import type { Story } from './story.ts';

const MINUTE_MS = 60_000;
const PODS = 3;

/** Story 26: EC2 recommends to replace a spot instance. */
export const rebalance: Story = {
  number: 26,
  name: 'rebalance',
  title: 'A rebalance recommendation is told and, where the NodePool wants that, heeded.',
  region: 'us-east-1',
  manifests: '26-rebalance.yaml',
  play: async (stage) => {
    await stage.setUp();
    stage.deploy();
    await stage.untilRunning('web', PODS, 5 * MINUTE_MS);
    stage.markPeak();
    const [first] = stage.nodes();
    if (first === undefined) return;

    stage.announcer?.recommendRebalance(first.name);
    await stage.pass(5 * MINUTE_MS);
    stage.check(
      'by default the node stays',
      isThere(stage, first.name),
      counted(stage.nodes().length, 'node'),
    );

    stage.apply({
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name: 'default', annotations: { 'joinery.dev/rebalance': 'replace' } },
    });
    let fewest = readyPods(stage);
    stage.announcer?.recommendRebalance(first.name);
    const isReplaced = await stage.until(() => {
      if (!isThere(stage, first.name)) return true;
      if (stage.nodes().length <= PODS) fewest = Math.min(fewest, readyPods(stage));
      return false;
    }, 15 * MINUTE_MS);
    const allBack = await stage.until(() => readyPods(stage) === PODS, 2 * MINUTE_MS);
    stage.check(
      'where the NodePool says replace, it is replaced, the new node first',
      isReplaced && allBack && fewest === PODS,
      `${isThere(stage, first.name) ? 'still there' : 'gone'}, ${fewest} of ${counted(PODS, 'pod')} ready before the new node was there`,
    );
    stage.checkOneInstancePerNodeClaim();
  },
};
