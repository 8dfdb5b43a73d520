import { counted } from './counted.ts';
import type { Story } from './story.ts';

const ALLOWED_SIZES = ['medium', 'large', 'xlarge'];
const CONSOLIDATE_AFTER_MS = 30_000;
const PASS_MS = 60_000;

/** Story 1: what every tutorial of the field begins with. */
export const inflate: Story = {
  number: 1,
  name: 'inflate',
  title: 'Five pods come, nodes are made for them; the pods go, and so do the nodes.',
  region: 'us-east-1',
  manifests: '01-inflate.yaml',
  play: async (stage) => {
    await stage.setUp();
    stage.deploy();
    const start = stage.now();
    stage.scale('inflate', 5);
    await stage.untilRunning('inflate', 5, 120_000);
    stage.check(
      'all five pods run within two minutes',
      stage.now() - start <= 120_000,
      `${seconds(stage.now() - start)} s`,
    );
    const ours = stage.ourMilliseconds();
    stage.check('Joinery itself takes less than 5 s of that', ours < 5_000, `${seconds(ours)} s`);

    const nodes = stage.nodes();
    const misfits = nodes.filter(
      ({ nodePool, arch, capacityType, instanceType, labels }) =>
        nodePool !== 'default' ||
        arch !== 'amd64' ||
        !['spot', 'on-demand'].includes(capacityType) ||
        !ALLOWED_SIZES.includes(instanceType.split('.')[1] ?? '') ||
        !['c', 'm'].includes(labels['karpenter.k8s.aws/instance-category'] ?? ''),
    );
    stage.check(
      'every node is one that the NodePool allows, and its labels say so',
      nodes.length > 0 && misfits.length === 0,
      `${counted(nodes.length, 'node')}, ${misfits.length} of them wrong`,
    );
    stage.checkOneInstancePerNodeClaim();

    stage.markPeak();
    const emptied = stage.now();
    stage.scale('inflate', 0);
    const limit = CONSOLIDATE_AFTER_MS + 2 * PASS_MS;
    const isEmpty = await stage.untilNoNodes(limit + 60_000);
    const took = stage.now() - emptied;
    stage.check(
      'the nodes are gone within consolidateAfter and two passes',
      isEmpty && took <= limit,
      `${seconds(took)} s of ${seconds(limit)} s`,
    );
    stage.checkNothingLeft();
  },
};

const seconds = (ms: number): string => (ms / 1_000).toFixed(0);
