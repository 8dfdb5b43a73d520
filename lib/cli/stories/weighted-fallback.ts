import { counted } from './counted.ts';
import type { Story } from './story.ts';

const PRODUCTION_LIMIT = 500;
const RAISED_LIMIT = 640;

/** Story 7: a pool fills up, the next one takes the rest, and raising the limit is noticed. */
export const weightedFallback: Story = {
  number: 7,
  name: 'weighted-fallback',
  title:
    'The preferred pool is full: pods fall back to the next; the limit is raised, and noticed.',
  region: 'us-east-1',
  manifests: '07-weighted-fallback.yaml',
  play: async (stage) => {
    await stage.setUp();
    stage.deploy();
    await stage.untilRunning('shop', 150, 300_000);
    const cpus = (pool: string) => Number(stage.nodePoolResources(pool).cpu ?? 0);
    const inPool = (pool: string) =>
      stage.nodes().filter(({ nodePool }) => nodePool === pool).length;
    stage.check(
      'production is used first',
      inPool('production') > 0,
      counted(inPool('production'), 'node'),
    );
    stage.check(
      'its limit of 500 cpu holds',
      cpus('production') <= PRODUCTION_LIMIT,
      `${cpus('production')} cpu`,
    );
    stage.check(
      'the rest went to fallback',
      inPool('fallback') > 0,
      `${counted(inPool('fallback'), 'node')}, ${cpus('fallback')} cpu`,
    );

    stage.scale('shop', 180);
    await stage.pass(60_000);
    const waiting = stage.pods('shop').filter(({ ready }) => !ready);
    const events = stage.eventsAbout(
      waiting.map(({ name }) => name),
      'FailedScheduling',
    );
    const limitNamed = events.filter(
      (note) => note.includes('production') && note.includes('limit'),
    );
    stage.check(
      'pods that no pool has room for are told which limit was met',
      waiting.length > 0 && limitNamed.length > 0,
      limitNamed[0] ?? `${waiting.length} waiting, no such event`,
    );

    stage.limit('production', { cpu: String(RAISED_LIMIT) });
    await stage.untilRunning('shop', 180, 300_000);
    stage.check(
      'after raising the limit all run, and the new limit holds',
      cpus('production') <= RAISED_LIMIT,
      `${cpus('production')} cpu`,
    );
    stage.checkOneInstancePerNodeClaim();
  },
};
