import { counted } from './counted.ts';
import type { Stage, Story } from './story.ts';

const MINUTE_MS = 60_000;
const PODS = 3;
/** Handed over three times, half a minute apart, and then some. */
const BOUNDED_MS = 5 * MINUTE_MS;

/** Story 30: announcements that are not for this cluster, cannot be read, or come too early. */
export const notOurs: Story = {
  number: 30,
  name: 'not-ours',
  title:
    'Announcements for others, nonsense, and one that comes before its node: none holds another up.',
  region: 'us-east-1',
  manifests: '30-not-ours.yaml',
  play: async (stage) => {
    await stage.setUp();
    stage.deploy();
    await stage.until(() => (stage.announcer?.instances().length ?? 0) > 0, 5 * MINUTE_MS);
    const [early = ''] = stage.announcer?.instances() ?? [];
    stage.announcer?.warnOf(early);
    const isHeard = await stage.until(() => !holds(stage, early), BOUNDED_MS);
    stage.check(
      'a warning that comes before the Node is heard all the same',
      isHeard,
      isHeard ? 'its NodeClaim is gone' : 'its NodeClaim is there',
    );
    await stage.untilRunning('web', PODS, 10 * MINUTE_MS);
    stage.markPeak();

    const before = names(stage);
    for (const text of ['', '<xml/>', '{', '[]', '{"version":"0"}']) stage.announcer?.babble(text);
    stage.announcer?.warnOf('i-0ddba11c0ffee0000');
    await stage.pass(BOUNDED_MS);
    stage.check(
      'nonsense and another cluster’s instances change nothing, and are not kept',
      names(stage) === before && stage.announcer?.putAside() === 0,
      `${counted(stage.nodes().length, 'node')}, ${stage.announcer?.putAside()} put aside`,
    );

    const [warned] = stage.nodes();
    if (warned === undefined) return;
    stage.announcer?.babble('nonsense');
    stage.announcer?.takeBack([warned.name]);
    const isDone = await stage.until(
      () => stage.nodes().every(({ name }) => name !== warned.name),
      2 * MINUTE_MS,
    );
    stage.check(
      'a warning among nonsense is done',
      isDone,
      isDone ? 'the node is gone' : 'the node is there',
    );
    stage.checkOneInstancePerNodeClaim();
  },
};

const holds = (stage: Stage, instanceId: string): boolean =>
  stage
    .nodeClaims()
    .some(
      ({ status, metadata }) =>
        String(Object(status).providerID ?? '').endsWith(instanceId) &&
        metadata.deletionTimestamp === undefined,
    );

const names = (stage: Stage): string =>
  stage
    .nodes()
    .map(({ name }) => name)
    .sort()
    .join();
