import { counted } from './counted.ts';
import type { Story } from './story.ts';

/** Story 2: a workload narrows what an open pool leaves open. */
export const layeredConstraints: Story = {
  number: 2,
  name: 'layered-constraints',
  title: 'Pods insist on one type, one zone and on-demand, though their pool allows everything.',
  region: 'us-west-2',
  manifests: '02-layered-constraints.yaml',
  play: async (stage) => {
    await stage.setUp();
    stage.deploy();
    await stage.untilRunning('layered', 3, 180_000);
    const nodes = stage.nodes();
    const [node] = nodes;
    stage.check('one node is enough', nodes.length === 1, counted(nodes.length, 'node'));
    stage.check(
      'it is an on-demand r6gd.xlarge in us-west-2a',
      node?.instanceType === 'r6gd.xlarge' &&
        node.zone === 'us-west-2a' &&
        node.capacityType === 'on-demand' &&
        node.arch === 'arm64',
      node ? `${node.instanceType}, ${node.zone}, ${node.capacityType}, ${node.arch}` : 'no node',
    );
    stage.checkOneInstancePerNodeClaim();
  },
};
