import { counted } from './counted.ts';
import { readyPods } from './stage-sights.ts';
import type { Stage, Story } from './story.ts';

const MINUTE_MS = 60_000;
const PODS = 3;
/** Until a silent kubelet is noticed (40 s), tolerated (30 minutes) and its node is gone. */
const REPAIR_MS = 35 * MINUTE_MS;

/** Story 23: machines that end, and kubelets that fall silent. */
export const selfHealing: Story = {
  number: 23,
  name: 'self-healing',
  title:
    'An instance is terminated by hand, a kubelet stops answering: pods get nodes, what is left goes.',
  region: 'us-east-1',
  manifests: '23-self-healing.yaml',
  settings: { featureGates: ['NodeRepair'] },
  play: async (stage) => {
    await stage.setUp();
    stage.deploy();
    await stage.untilRunning('web', PODS, 5 * MINUTE_MS);
    stage.markPeak();

    const ended = firstNode(stage);
    stage.harm?.endInstance(ended);
    const isHealed = await stage.until(() => isGone(stage, ended) && allRun(stage), 5 * MINUTE_MS);
    stage.check(
      'an instance that somebody terminates takes its NodeClaim with it, its pods get a new node',
      isHealed,
      `${readyPods(stage)} of ${counted(PODS, 'pod')}, ${counted(stage.nodeClaims().length, 'NodeClaim')}`,
    );
    stage.checkOneInstancePerNodeClaim();

    const silent = firstNode(stage);
    stage.harm?.silenceKubelet(silent);
    await stage.pass(10 * MINUTE_MS);
    stage.check(
      'pods of a silent node get another one after five minutes, the node itself is given time',
      allRun(stage) && !isGone(stage, silent),
      `${readyPods(stage)} of ${counted(PODS, 'pod')}, ${counted(stage.nodes().length, 'node')}`,
    );
    const isRepaired = await stage.until(() => isGone(stage, silent), REPAIR_MS);
    stage.check(
      'it is repaired when AWS’s policy tolerates it no longer',
      isRepaired && allRun(stage),
      `${counted(stage.nodes().length, 'node')}, ${readyPods(stage)} of ${counted(PODS, 'pod')}`,
    );
    stage.checkOneInstancePerNodeClaim();
  },
};

const firstNode = (stage: Stage): string =>
  stage.nodes().find(({ pods }) => pods.length > 0)?.name ?? '';

const isGone = (stage: Stage, name: string): boolean =>
  !stage.objects('Node').some(({ metadata }) => metadata.name === name) &&
  !stage.nodeClaims().some(({ status }) => Object(status).nodeName === name);

const allRun = (stage: Stage): boolean => readyPods(stage) === PODS;
