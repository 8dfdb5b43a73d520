import type { Story } from './story.ts';

const GPU_TYPES = ['g4dn.xlarge', 'g4dn.2xlarge', 'p3.2xlarge', 'p3.8xlarge'];

/** Story 4: GPUs behind a taint. */
export const gpu: Story = {
  number: 4,
  name: 'gpu',
  title: 'Pods that ask for GPUs get nodes with GPUs; no other pod lands there.',
  region: 'us-east-1',
  manifests: '04-gpu.yaml',
  play: async (stage) => {
    await stage.setUp();
    stage.deploy();
    await stage.untilRunning('trainer', 3, 300_000);
    await stage.untilRunning('web', 3, 300_000);
    const trainers = stage.pods('trainer').map(({ node }) => node);
    const others = stage.pods('web').map(({ node }) => node);
    const said = (nodes: typeof others) =>
      nodes.map((node) => `${node?.nodePool}/${node?.instanceType}`).join(', ');
    stage.check(
      'pods that ask for a GPU run on a GPU type of the gpu pool',
      trainers.every((node) => node?.nodePool === 'gpu' && GPU_TYPES.includes(node.instanceType)),
      said(trainers),
    );
    stage.check(
      'the others run elsewhere',
      others.every((node) => node?.nodePool === 'default'),
      said(others),
    );
    const counted = Number(stage.nodePoolResources('gpu')['nvidia.com/gpu'] ?? 0);
    stage.check(
      "the pool's status counts GPUs, which its limit is in",
      counted >= 3,
      `${counted} of 100`,
    );
    stage.checkOneInstancePerNodeClaim();
  },
};
