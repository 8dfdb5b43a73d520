import type { Story } from './story.ts';

const MINUTE_MS = 60_000;

/** Story 24: a cluster that costs nothing at night. */
export const toZeroAndBack: Story = {
  number: 24,
  name: 'to-zero-and-back',
  title:
    'At night no node is left, and no pod of kube-system wakes the cluster; in the morning it works.',
  region: 'us-east-1',
  manifests: '24-to-zero-and-back.yaml',
  play: async (stage) => {
    await stage.setUp();
    stage.deploy();
    stage.scale('web', 3);
    stage.scale('worker', 4);
    await stage.untilAllRun(4 * MINUTE_MS);
    stage.markPeak();
    stage.scale('web', 0);
    stage.scale('worker', 0);
    const isEmpty = await stage.untilNoNodes(10 * MINUTE_MS);
    stage.check(
      'every workload at zero, no node is left',
      isEmpty,
      `${stage.nodes().length} nodes`,
    );
    stage.checkNothingLeft();

    stage.apply(SYSTEM_PODS);
    await stage.pass(5 * MINUTE_MS);
    stage.check(
      'pods of kube-system wait, and wake nobody',
      stage.nodeClaims().length === 0,
      `${stage.nodeClaims().length} NodeClaims`,
    );
    stage.scale('web', 2);
    await stage.untilRunning('web', 2, 4 * MINUTE_MS);
    await stage.untilRunning('dns', 2, 2 * MINUTE_MS);
    stage.check(
      'in the morning workloads run, and kube-system with them',
      stage.pods('web').every(({ ready }) => ready) &&
        stage.pods('dns').every(({ ready }) => ready),
      `${stage.nodes().length} nodes`,
    );
    stage.checkOneInstancePerNodeClaim();
  },
};

const SYSTEM_PODS = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'dns', namespace: 'kube-system' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'dns' } },
    template: {
      metadata: { labels: { app: 'dns' } },
      spec: {
        containers: [
          {
            name: 'dns',
            image: 'coredns',
            resources: { requests: { cpu: '100m', memory: '70Mi' } },
          },
        ],
      },
    },
  },
};
