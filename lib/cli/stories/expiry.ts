import { counted } from './counted.ts';
import type { Stage, Story } from './story.ts';

const MINUTE_MS = 60_000;
const [EXPIRES_AFTER, GRACE] = [20 * MINUTE_MS, 10 * MINUTE_MS];

/** Story 20: nodes end when they are old, gracefully first, then without asking; some never do. */
export const expiry: Story = {
  number: 20,
  name: 'expiry',
  title:
    'Nodes expire: pods move, one that must not be disturbed stays until the grace ends; Never is never.',
  region: 'us-east-1',
  manifests: '20-expiry.yaml',
  play: async (stage) => {
    await stage.setUp();
    stage.deploy();
    const begunAt = stage.now();
    await stage.untilAllRun(5 * MINUTE_MS);
    stage.markPeak();
    const before = namesIn(stage, 'short');
    const steady = namesIn(stage, 'steady');
    const guarded = stage.pods('guarded')[0];

    const isReplaced = () =>
      stage.pods('web').every(({ ready, node }) => ready && !before.includes(node?.name ?? ''));
    await stage.until(isReplaced, EXPIRES_AFTER + 5 * MINUTE_MS);
    const age = stage.now() - begunAt;
    stage.check(
      'at expireAfter pods that may be disturbed move to new nodes',
      isReplaced() && age >= EXPIRES_AFTER,
      `after ${minutes(age)}`,
    );
    const still = stage.pods('guarded').find(({ name }) => name === guarded?.name);
    stage.check(
      'a pod with do-not-disrupt stays, and its node with it',
      still?.ready === true && before.includes(still.node?.name ?? ''),
      `on ${still?.node?.name ?? 'nothing'}`,
    );

    const isOver = () => namesIn(stage, 'short').every((name) => !before.includes(name));
    await stage.until(isOver, GRACE + 5 * MINUTE_MS);
    const end = stage.now() - begunAt;
    stage.check(
      'when terminationGracePeriod ends the node goes without asking',
      isOver() && end >= EXPIRES_AFTER + GRACE,
      `after ${minutes(end)}`,
    );
    await stage.untilRunning('guarded', 1, 5 * MINUTE_MS);
    stage.check(
      'a node that never expires is the same',
      steady.length > 0 && namesIn(stage, 'steady').join() === steady.join(),
      counted(namesIn(stage, 'steady').length, 'node'),
    );
    stage.checkOneInstancePerNodeClaim();
  },
};

const namesIn = (stage: Stage, pool: string): readonly string[] =>
  stage
    .nodes()
    .filter(({ nodePool }) => nodePool === pool)
    .map(({ name }) => name);

const minutes = (ms: number): string => `${(ms / MINUTE_MS).toFixed(1)} minutes`;
