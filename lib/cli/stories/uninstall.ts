import type { Stage, Story } from './story.ts';

const MINUTE_MS = 60_000;
const PODS = 6;
const KINDS = ['NodePool', 'NodeClaim', 'EC2NodeClass', 'Node'] as const;

/** Story 42: away with it, and the cluster is as it was before. */
export const uninstall: Story = {
  number: 42,
  name: 'uninstall',
  title:
    'Joinery is taken out: it drains its own nodes first, and nothing hangs or is left behind.',
  region: 'us-east-1',
  manifests: '42-uninstall.yaml',
  play: async (stage) => {
    await stage.setUp();
    stage.deploy();
    await stage.untilRunning('web', PODS, 5 * MINUTE_MS);
    stage.markPeak();
    const before = stage.nodes().length;

    const asked = stage.now();
    const { status, said = [] } = (await stage.uninstall?.({ drain: true })) ?? {};
    const minutes = (stage.now() - asked) / MINUTE_MS;
    stage.check(
      'joinery uninstall --drain ends by itself',
      status === 0 && before > 0,
      `after ${minutes.toFixed(1)} minutes, from ${before} nodes: ${said.at(-1)?.split('.')[0]}`,
    );
    const left = KINDS.flatMap((kind) => stage.objects(kind)).map(({ metadata }) => metadata.name);
    stage.check(
      'no finalizer holds anything',
      left.length === 0,
      left.join(', ') || 'nothing left',
    );
    stage.checkNothingLeft();
    checkPodsWait(stage);
  },
};

/** Pods are the user's: they wait for whoever gives nodes next. */
function checkPodsWait(stage: Stage): void {
  const pods = stage.pods('web').length;
  stage.check('the pods are still asked for', pods === PODS, `${pods} of ${PODS}`);
}
