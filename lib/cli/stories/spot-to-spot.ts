import { watch } from './disruption-sights.ts';
import type { Story } from './story.ts';

const MINUTE_MS = 60_000;

/** Story 17: spot nodes are not chased from one cheap pool to the next. */
export const spotToSpot: Story = {
  number: 17,
  name: 'spot-to-spot',
  title: 'A spot pool shrinks: spot is never replaced by spot unasked, and nothing moves twice.',
  region: 'us-east-1',
  manifests: '17-spot-to-spot.yaml',
  play: async (stage) => {
    await stage.setUp();
    stage.deploy();
    stage.scale('web', 6);
    stage.scale('padding', 8);
    await stage.untilAllRun(4 * MINUTE_MS);
    stage.markPeak();
    const made = stage.nodeClaims().length;
    const known = new Set(stage.nodeClaims().map(({ metadata }) => metadata.name));
    stage.scale('padding', 0);
    const pods = new Map<string, number>();
    let replaced = 0;
    await watch(
      stage,
      () => false,
      25 * MINUTE_MS,
      () => {
        for (const { name } of stage.pods('web')) pods.set(name, 1);
        replaced = stage.nodeClaims().filter(({ metadata }) => !known.has(metadata.name)).length;
      },
    );
    const left = stage.nodes();
    stage.check(
      'nodes that are not needed go',
      left.length < made,
      `${made} before, ${left.length} after`,
    );
    stage.check('no spot node is bought in place of another', replaced === 0, `${replaced} new`);
    stage.check('no pod moves more than once', pods.size <= 12, `${pods.size} pods were seen of 6`);
    await stage.untilRunning('web', 6, MINUTE_MS);
    stage.checkOneInstancePerNodeClaim();
  },
};
