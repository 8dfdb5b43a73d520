import { counted } from './counted.ts';
import { changeSpec, goingNodes, imagesOf } from './disruption-sights.ts';
import type { Stage, Story } from './story.ts';

const PODS = 3;
const ALWAYS_UP = 2;
const RENEWED_WITHIN_MS = 20 * 60_000;
const GLANCE_MS = 1_000;

/** Story 18: the image moves on, and every node is replaced under a PodDisruptionBudget. */
export const pdbAndDrift: Story = {
  number: 18,
  name: 'pdb-and-drift',
  title:
    'A newer image: every node is replaced, one at a time, and two of three pods are always up.',
  region: 'us-east-1',
  manifests: '18-pdb-and-drift.yaml',
  play: async (stage) => {
    await stage.setUp();
    stage.deploy();
    stage.scale('inflate', PODS);
    await stage.untilRunning('inflate', PODS, 180_000);
    const before = imagesOf(stage);
    const pods = stage.pods('inflate').map(({ name }) => name);
    changeSpec(stage, 'EC2NodeClass', 'default', {
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
    });
    const { fewest, mostAtOnce, isDone } = await watchRenewal(stage, before);
    stage.check(
      'every node runs the new image',
      isDone,
      `${counted(imagesOf(stage).size, 'image')}, before: ${[...before].join(', ')}`,
    );
    stage.check(`never fewer than ${ALWAYS_UP} pods are up`, fewest >= ALWAYS_UP, `${fewest}`);
    stage.check(
      'one node is emptied at a time, as the budget says',
      mostAtOnce <= 1,
      `${mostAtOnce} at once`,
    );
    const told = stage.eventsAbout(pods, 'Evicted');
    stage.check(
      'each pod that moved was told why',
      told.length > 0 && told.every((note) => note.includes('Drifted')),
      `${counted(told.length, 'pod')}: ${told[0] ?? 'nothing said'}`,
    );
    await stage.untilRunning('inflate', PODS, 180_000);
    stage.checkOneInstancePerNodeClaim();
  },
};

/** Looks each second until no node runs an image of before; what was the worst that was seen. */
async function watchRenewal(stage: Stage, before: ReadonlySet<string>) {
  const until = stage.now() + RENEWED_WITHIN_MS;
  let fewest = PODS;
  let mostAtOnce = 0;
  let isDone = false;
  while (!isDone && stage.now() < until) {
    await stage.pass(GLANCE_MS);
    fewest = Math.min(fewest, stage.pods('inflate').filter(({ ready }) => ready).length);
    const going = new Set(goingNodes(stage));
    const losing = stage.nodes().filter(({ name, pods }) => going.has(name) && pods.length > 0);
    mostAtOnce = Math.max(mostAtOnce, losing.length);
    isDone = ![...imagesOf(stage)].some((image) => before.has(image));
  }
  return { fewest, mostAtOnce, isDone };
}
