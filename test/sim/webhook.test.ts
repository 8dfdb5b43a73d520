import { describe, expect, it } from 'vitest';
import { seededRandom } from '#lib/sim/random.ts';
import { type AdmittedWrite, createWebhook } from '#lib/sim/webhook.ts';
import { aStack, type PortedHandler } from '#test/build/embedded-stack.ts';

interface HttpEvent {
  readonly body: string;
}

/** A webhook whose function writes down each review it gets. */
function aWebhook(answer: PortedHandler = async () => undefined) {
  const reviews: { request: Record<string, unknown> }[] = [];
  const bench = aStack({
    admit: async (ports, event, context) => {
      reviews.push(JSON.parse((event as HttpEvent).body));
      return await answer(ports, event, context);
    },
  });
  const hear = createWebhook({
    clock: bench.clock,
    random: seededRandom(1),
    journal: bench.journal,
    admit: bench.functions.admit,
    isJoinery: (actor) => actor.startsWith('provision/'),
  });
  return { bench, hear, reviews };
}

const write = (kind: string, difference: Partial<AdmittedWrite> & { fields?: object } = {}) => {
  const { fields = {}, ...rest } = difference;
  const apiVersion = kind === 'Event' ? 'events.k8s.io/v1' : 'karpenter.sh/v1';
  const object = { apiVersion, kind, metadata: { name: 'x' }, ...fields };
  return { type: 'added', actor: 'system:kube-scheduler', object, ...rest } as AdmittedWrite;
};
const unscheduled = write('Event', { fields: { reason: 'FailedScheduling' } });

describe('the webhook', () => {
  it('tells admit of a pod that could not be scheduled, as an AdmissionReview', async () => {
    const { bench, hear, reviews } = aWebhook();
    hear(unscheduled);
    await bench.pass(2_000);

    expect(reviews).toMatchObject([
      {
        apiVersion: 'admission.k8s.io/v1',
        kind: 'AdmissionReview',
        request: {
          operation: 'CREATE',
          resource: { group: 'events.k8s.io', version: 'v1', resource: 'events' },
          userInfo: { username: 'system:kube-scheduler' },
          object: { reason: 'FailedScheduling' },
        },
      },
    ]);
  });

  it.each([
    ['other events', write('Event', { fields: { reason: 'Scheduled' } })],
    [
      'a repeated event',
      write('Event', { type: 'modified', fields: { reason: 'FailedScheduling' } }),
    ],
    ['pods', write('Pod')],
    ['what Joinery wrote', write('NodeClaim', { actor: 'provision/3' })],
    [
      'a status',
      write('NodePool', {
        type: 'modified',
        fields: { spec: { weight: 1 }, status: { nodes: 1 } },
        old: write('NodePool', { fields: { spec: { weight: 1 } } }).object,
      }),
    ],
  ])('is silent about %s', async (_what, change) => {
    const { bench, hear, reviews } = aWebhook();
    hear(change);
    await bench.pass(2_000);

    expect(reviews).toEqual([]);
  });

  it.each([
    [
      'a NodePool that changes its spec',
      write('NodePool', {
        type: 'modified',
        fields: { spec: { weight: 2 } },
        old: write('NodePool', { fields: { spec: { weight: 1 } } }).object,
      }),
    ],
    ['an EC2NodeClass that goes', write('EC2NodeClass', { type: 'deleted' })],
    [
      'a Node that loses a taint',
      write('Node', {
        type: 'modified',
        fields: { spec: {} },
        old: write('Node', { fields: { spec: { taints: [{ key: 'x' }] } } }).object,
      }),
    ],
  ])('tells of %s', async (_what, change) => {
    const { bench, hear, reviews } = aWebhook();
    hear(change);
    await bench.pass(2_000);

    expect(reviews).toHaveLength(1);
  });

  it('fails open: an answer that does not come within a second is noted, and no more', async () => {
    const { bench, hear } = aWebhook(async ({ sleep }) => {
      await sleep(2_000);
    });
    hear(unscheduled);
    await bench.pass(5_000);

    expect(bench.journal.entries.filter(({ source }) => source === 'webhook')).toMatchObject([
      { text: 'no answer within 1 s about Event x; let in all the same' },
    ]);
  });
});
