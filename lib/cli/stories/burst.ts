import { counted } from './counted.ts';
import type { Stage, Story } from './story.ts';

const PODS_EACH = 250;
const APPS = ['burst-1', 'burst-2', 'burst-3', 'burst-4'];
/** "One pass, few CreateFleet calls": one for each kind of node that the plan asks for. */
const FEW_FLEETS = 40;

/** Story 13: a thousand pods at once. */
export const burst: Story = {
  number: 13,
  name: 'burst',
  title: 'A thousand pods come at once: few plans, few launches, no pod forgotten, no node twice.',
  region: 'us-east-1',
  manifests: '13-burst.yaml',
  play: (stage) => playBurst(stage, PODS_EACH),
};

/** Plays the burst with so many pods of each workload. */
export async function playBurst(stage: Stage, podsEach: number): Promise<void> {
  await stage.setUp();
  stage.deploy();
  for (const app of APPS) stage.scale(app, podsEach);
  for (const app of APPS) await stage.untilRunning(app, podsEach, 600_000);
  const running = APPS.flatMap((app) => stage.pods(app)).filter(({ ready }) => ready).length;
  stage.check('all pods run', running === APPS.length * podsEach, `${running} pods`);
  const fleets = stage.calls().CreateFleet ?? 0;
  stage.check(
    'few CreateFleet calls were made',
    fleets > 0 && fleets <= FEW_FLEETS,
    `${counted(fleets, 'call')} for ${counted(stage.nodes().length, 'node')}`,
  );
  stage.checkOneInstancePerNodeClaim();
}
