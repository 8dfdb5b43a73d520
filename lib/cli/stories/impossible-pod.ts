import { counted } from './counted.ts';
import type { Story } from './story.ts';

const HOPELESS = ['wants-amd64', 'too-large', 'nowhere'];
const TEN_MINUTES_MS = 600_000;

/** Story 8: pods that no node could ever hold. */
export const impossiblePod: Story = {
  number: 8,
  name: 'impossible-pod',
  title: 'Pods that no node could hold are told so in plain words, once, and nothing is launched.',
  region: 'us-east-1',
  manifests: '08-impossible-pod.yaml',
  play: async (stage) => {
    await stage.setUp();
    stage.deploy();
    await stage.untilRunning('ordinary', 1, 180_000);
    stage.check(
      'the pod that is possible runs',
      stage.pods('ordinary').every(({ ready }) => ready),
      counted(stage.pods('ordinary').length, 'pod'),
    );
    await stage.pass(TEN_MINUTES_MS);
    for (const app of HOPELESS) {
      const pods = stage.pods(app).map(({ name }) => name);
      const notes = stage.eventsAbout(pods, 'FailedScheduling');
      const ours = notes.filter((note) => note.includes('arm-only'));
      stage.check(`${app} is told why, for its pool`, ours.length > 0, ours[0] ?? 'no event');
      stage.check(
        `${app} is told once, not again and again`,
        ours.length <= 1,
        `${ours.length} events in ten minutes`,
      );
    }
    const claims = stage.nodeClaims().length;
    stage.check('no NodeClaim was made for them', claims === 1, counted(claims, 'NodeClaim'));
    stage.checkOneInstancePerNodeClaim();
  },
};
