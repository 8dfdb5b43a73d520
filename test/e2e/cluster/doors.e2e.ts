import { request } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { deployments, NODE_CLASS, NODE_POOL } from '#test/build/placement.ts';
import { auditedCalls } from '../stack/audit.ts';
import type { KubeObject } from '../stack/cluster-client.ts';
import { type ControlPlane, until } from '../stack/control-plane.ts';
import { postEvent } from '../stack/post-event.ts';
import { type RealWorld, realWorld } from '../stack/real-world.ts';

/** What the machine's own load may add to the second for which calls are gathered. */
const SOON_MS = 6_000;
/** By then a pod that became unschedulable has been seen. */
const SEEN_MS = 2_000;
const QUIET_MS = 15_000;

/** From kube-scheduler's first complaint after `from` to Joinery's first look at pods after it. */
async function seenAfterMs({ plane, cluster }: RealWorld, from: number): Promise<number> {
  const complaints = (await cluster.list('Event'))
    .filter(({ reason, reportingController }) => {
      return reason === 'FailedScheduling' && reportingController === 'default-scheduler';
    })
    .map(({ eventTime }) => Date.parse(eventTime))
    .filter((at) => at >= from);
  const complainedAt = Math.min(...complaints);
  const looks = auditedCalls(plane)
    .filter(({ resource, verb }) => resource === 'pods' && (verb === 'list' || verb === 'watch'))
    .map(({ receivedAt }) => receivedAt)
    .filter((at) => at > complainedAt);
  return Math.min(...looks) - complainedAt;
}

/** How long the API server has waited for the webhook on average, as its own metrics have it. */
async function answeredAfterMs(plane: ControlPlane): Promise<number> {
  const metrics = await metricsOf(plane);
  const total = (part: 'sum' | 'count'): number =>
    [...metrics.matchAll(new RegExp(`^${DURATION}_${part}{.*joinery\\.dev.*} (.*)$`, 'gm'))]
      .map(([, value]) => Number(value))
      .reduce((sum, value) => sum + value, 0);
  return (total('sum') / total('count')) * 1_000;
}

const DURATION = 'apiserver_admission_webhook_admission_duration_seconds';

const metricsOf = (plane: ControlPlane): Promise<string> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${plane.token('admin')}` };
    const asked = { headers, ca: plane.certificateAuthority };
    request(`${plane.server}/metrics`, asked, (answer) => {
      let text = '';
      answer.on('data', (chunk) => {
        text += String(chunk);
      });
      answer.on('end', () => resolve(text));
    })
      .on('error', reject)
      .end();
  });

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
    // Until nobody looks any more for what came before.
    await delay(QUIET_MS);
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
    const seenMs = await seenAfterMs(world, from);
    const answeredMs = await answeredAfterMs(world.plane);
    // biome-ignore lint/suspicious/noConsole: a measurement is for whoever reads the output.
    console.info(
      `from a pod's first complaint to a look: ${seenMs} ms; an answer took ${answeredMs.toFixed(0)} ms`,
    );
    expect(seenMs).toBeLessThan(SEEN_MS);
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
