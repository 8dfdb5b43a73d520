import { changeSpec } from './disruption-sights.ts';
import type { Stage, Story } from './story.ts';

const MINUTE_MS = 60_000;
/** What the manifest asks for. */
const AWHILE_MS = 12 * MINUTE_MS;
const PLAYED_MS = 22 * MINUTE_MS;

/** Story 21: do-not-disrupt, for ever and for a while. */
export const doNotDisrupt: Story = {
  number: 21,
  name: 'do-not-disrupt',
  title: 'Every node drifts: one goes at once, one when its pod has had 12 minutes, one never.',
  region: 'us-east-1',
  manifests: '21-do-not-disrupt.yaml',
  play: async (stage) => {
    await stage.setUp();
    stage.deploy();
    const apps = ['always', 'awhile', 'freely'];
    for (const app of apps) stage.scale(app, 1);
    await stage.untilAllRun(4 * MINUTE_MS);
    const startedAt = stage.now();
    const first = new Map(apps.map((app) => [app, nodeOf(stage, app)]));
    const movedAt = new Map<string, number>();
    changeSpec(stage, 'EC2NodeClass', 'default', {
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
    });
    while (stage.now() < startedAt + PLAYED_MS) {
      await stage.pass(5_000);
      for (const app of apps) {
        const node = nodeOf(stage, app);
        if (node !== '' && node !== first.get(app) && !movedAt.has(app)) {
          movedAt.set(app, stage.now() - startedAt);
        }
      }
    }
    const told = (app: string): string => {
      const at = movedAt.get(app);
      return at === undefined
        ? 'it never moved'
        : `it moved after ${(at / MINUTE_MS).toFixed(1)} min`;
    };
    stage.check(
      'a pod that says nothing moves when its node drifts',
      (movedAt.get('freely') ?? PLAYED_MS) < AWHILE_MS,
      told('freely'),
    );
    stage.check(
      'a pod with "12m" is left alone for 12 minutes, and no longer',
      (movedAt.get('awhile') ?? 0) >= AWHILE_MS - MINUTE_MS,
      told('awhile'),
    );
    stage.check('a pod with "true" is never moved', !movedAt.has('always'), told('always'));
    stage.checkOneInstancePerNodeClaim();
  },
};

const nodeOf = (stage: Stage, app: string): string =>
  stage.pods(app).find(({ ready }) => ready)?.node?.name ?? '';
