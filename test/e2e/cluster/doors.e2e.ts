import { expect, it } from 'vitest';
import { deployments, NODE_CLASS, NODE_POOL } from '#test/build/placement.ts';
import type { KubeObject } from '../stack/cluster-client.ts';
import { until } from '../stack/control-plane.ts';
import { postEvent } from '../stack/post-event.ts';
import { realWorld } from '../stack/real-world.ts';

/** What the machine's own load may add to the second for which calls are gathered. */
const SOON_MS = 6_000;

it('the webhook wakes provision long before the heartbeat, and a spot warning replaces its node', async () => {
  // Nothing but the doors wakes anybody within this test.
  const world = await realWorld({ start: { heartbeatSeconds: 600 } });
  const { cluster } = world;
  const running = async (): Promise<readonly KubeObject[]> =>
    (await cluster.list('Pod')).filter(({ status }) => status?.phase === 'Running');
  try {
    for (const object of [NODE_CLASS, NODE_POOL]) await cluster.apply(object);
    await until(
      async () =>
        (await cluster.list('NodePool')).some(({ status }) =>
          JSON.stringify(status?.conditions ?? []).includes('"True"'),
        ),
      60_000,
      () => 'the webhook makes the NodePool ready',
    );
    const from = Date.now();
    for (const object of deployments(4)) await cluster.apply(object);
    await until(
      () => world.bridge.seenAt.size > 0,
      60_000,
      () => 'an instance is there',
      20,
    );
    const tookMs = Math.min(...world.bridge.seenAt.values()) - from;
    // biome-ignore lint/suspicious/noConsole: a measurement is for whoever reads the output.
    console.info(`from the first pod to the first instance: ${tookMs} ms`);
    expect(tookMs).toBeLessThan(SOON_MS + SOON_MS);
    await until(
      async () => (await running()).length === 4,
      120_000,
      () => 'four pods run',
    );

    const [claim] = await cluster.list('NodeClaim');
    const instance = String(claim?.status?.providerID).split('/').at(-1);
    const warning = {
      version: '0',
      source: 'aws.ec2',
      'detail-type': 'EC2 Spot Instance Interruption Warning',
      time: new Date().toISOString(),
      detail: { 'instance-id': instance, 'instance-action': 'terminate' },
    };
    expect(await postEvent(world, warning)).toBe(202);
    await until(
      async () => {
        const claims = await cluster.list('NodeClaim');
        const isGone = !claims.some(({ metadata }) => metadata.name === claim?.metadata.name);
        return isGone && (await running()).length === 4;
      },
      120_000,
      () => 'the warned node is gone and its pods run elsewhere',
    );
  } finally {
    await world.end();
  }
}, 420_000);
