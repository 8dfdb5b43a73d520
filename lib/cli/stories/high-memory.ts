import type { Story } from './story.ts';

/** Story 5: a bound on a label that is a number. */
export const highMemory: Story = {
  number: 5,
  name: 'high-memory',
  title: 'A pool that wants more than 32 GiB never gets less.',
  region: 'us-east-1',
  manifests: '05-high-memory.yaml',
  play: async (stage) => {
    await stage.setUp();
    stage.deploy();
    await stage.untilRunning('cache', 2, 180_000);
    const nodes = stage.nodes();
    const memories = nodes.map(({ labels }) => Number(labels['karpenter.k8s.aws/instance-memory']));
    stage.check(
      'every node has more than 32 GiB',
      nodes.length > 0 && memories.every((mib) => mib > 32_768),
      `${memories.join(', ')} MiB`,
    );
    const categories = [
      ...new Set(
        nodes.map(({ labels }) => labels['karpenter.k8s.aws/instance-category'] ?? 'none'),
      ),
    ];
    stage.check(
      'of category r or x',
      categories.every((category) => ['r', 'x'].includes(category)),
      categories.join(),
    );
    stage.checkOneInstancePerNodeClaim();
  },
};
