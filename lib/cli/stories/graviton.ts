import type { Story } from './story.ts';

/** Story 3: two architectures, one workload that cares and one that does not. */
export const graviton: Story = {
  number: 3,
  name: 'graviton',
  title: 'One workload wants arm64; one takes either architecture and lands where it is cheapest.',
  region: 'us-east-1',
  manifests: '03-graviton.yaml',
  play: async (stage) => {
    await stage.setUp();
    stage.deploy();
    await stage.untilRunning('only-arm64', 3, 180_000);
    await stage.untilRunning('either', 3, 180_000);
    const archs = (app: string) =>
      [...new Set(stage.pods(app).map(({ node }) => node?.arch))].join();
    stage.check(
      'the first workload runs on arm64',
      archs('only-arm64') === 'arm64',
      archs('only-arm64'),
    );
    stage.check(
      'the second runs on arm64 too, the cheaper one',
      archs('either') === 'arm64',
      archs('either'),
    );
    stage.checkOneInstancePerNodeClaim();
  },
};
