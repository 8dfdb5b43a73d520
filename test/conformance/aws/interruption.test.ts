/**
 * What Karpenter's AWS provider v1.14 does about interruptions, restated. The numbers are those of our
 * list of its behaviours; upstream's own suite is controllers/interruption. Where Joinery differs on
 * purpose the title says so. 24 and 124 are about EC2's own checks, which only count where the settings
 * have EC2 asked.
 */
import { describe, expect, it } from 'vitest';
import { createInterrupt } from '#functions/interrupt/interrupt.ts';
import { typedCall } from '#lib/aws/calls/call.ts';
import { decideInterrupt } from '#lib/decide/interrupt.ts';
import { decideProvision } from '#lib/decide/provision.ts';
import type { Interruption } from '#lib/model/interruption.ts';
import type { Plan } from '#lib/model/plan.ts';
import { readInstanceStatus } from '#lib/observe/instance-status.ts';
import { readInterruptions } from '#lib/triggers/interruption-message.ts';
import { anAnnouncement, announcementBench, aWarningOf } from '#test/build/announcements.ts';
import { aNodeClaim } from '#test/build/node-claims.ts';
import { aNode, aStateNode } from '#test/build/nodes.ts';
import { MINUTE, NOON, SECOND } from '#test/build/objects.ts';
import { aRunningPod } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

const ID = 'i-0123456789abcdef0';
const LEFT = { getRemainingTimeInMillis: () => 30_000 };

/** A node bought so, and its NodeClaim. */
function aNodeBoughtAs(capacityType: string, annotations: Readonly<Record<string, string>> = {}) {
  const labels = {
    'karpenter.sh/nodepool': 'default',
    'karpenter.sh/capacity-type': capacityType,
    'node.kubernetes.io/instance-type': 'm5.large',
    'topology.kubernetes.io/zone': 'us-east-1a',
  };
  const status = { nodeName: 'node-1', providerId: `aws:///us-east-1a/${ID}` };
  return aStateNode({
    claim: aNodeClaim({ meta: { labels, annotations }, status }),
    node: aNode({ meta: { labels } }),
    pods: [aRunningPod()],
  });
}

/** What is decided where `body` is announced to a cluster with one node, bought so. */
const planAfter = (body: string, capacityType = 'spot'): Plan =>
  decideInterrupt(
    aSnapshot({ nodes: [aNodeBoughtAs(capacityType)] }),
    readInterruptions(body, NOON),
  );

/** What is decided where EC2, asked, says so of the one node's instance. */
const planWhere = (
  kinds: readonly Interruption['kind'][],
  annotations: Readonly<Record<string, string>> = {},
): Plan =>
  decideProvision(
    aSnapshot({
      nodes: [aNodeBoughtAs('on-demand', annotations)],
      instanceStatus: {
        askedAt: NOON,
        interruptions: kinds.map((kind) => ({ kind, instanceId: ID, announcedAt: NOON })),
        newlyAiling: {},
      },
    }),
  );

/** What EC2 says of instances whose check of the machine fails since then. */
const impaired = (ids: readonly string[], since: number) => ({
  InstanceStatuses: ids.map((InstanceId) => ({
    InstanceId,
    SystemStatus: {
      Status: 'impaired',
      Details: [{ Name: 'reachability', Status: 'failed', ImpairedSince: new Date(since) }],
    },
  })),
});

/** How many instances are counted as newly ailing at each poll, minute by minute. */
async function countsAt(polls: readonly ReturnType<typeof impaired>[]): Promise<readonly number[]> {
  let at = -1;
  const call = typedCall(async () => polls[at]);
  const claims = ['i-0a', 'i-0b', 'i-0c'].map((id) =>
    aNodeClaim({ status: { providerId: `aws:///us-east-1a/${id}` } }),
  );
  const counts: number[] = [];
  for (at = 0; at < polls.length; at += 1) {
    const asked = { question: 'ask', now: NOON + at * MINUTE } as const;
    const { status } = await readInstanceStatus(call, claims, asked);
    counts.push(status?.newlyAiling.SystemImpaired ?? 0);
  }
  return counts;
}

const of = (plan: Plan, kind: Plan['actions'][number]['kind']) =>
  plan.actions.filter((each) => each.kind === kind);

/** What the function answers to a queue that holds these messages. */
const answerTo = async (...bodies: readonly string[]) =>
  await createInterrupt(announcementBench({}).shell)(
    { Records: bodies.map((body, at) => ({ messageId: `m-${at}`, body, attributes: {} })) },
    LEFT,
  );

const health = (detail: Readonly<Record<string, unknown>>): string =>
  anAnnouncement(
    'AWS Health Event',
    {
      service: 'EC2',
      eventTypeCategory: 'scheduledChange',
      affectedEntities: [{ entityValue: ID }],
      ...detail,
    },
    'aws.health',
  );

const DEADLINE = 'karpenter.sh/nodeclaim-termination-timestamp';
/** The ends of grace that a plan writes on NodeClaims. */
const deadlinesIn = ({ actions }: Plan) =>
  actions.flatMap((each) =>
    each.kind === 'update' ? (each.meta.annotations?.[DEADLINE] ?? []) : [],
  );

describe('interruptions', () => {
  it.each([
    ['an impaired machine', ['SystemImpaired'], ['2026-11-20T12:00:00Z']],
    ['scheduled work', ['ScheduledEvent'], []],
    ['both', ['ScheduledEvent', 'SystemImpaired'], ['2026-11-20T12:00:00Z']],
  ] as const)(
    '24: %s deletes the NodeClaim, by force where a check has failed',
    (_what, kinds, deadlines) => {
      const plan = planWhere(kinds);

      expect(of(plan, 'delete')).toMatchObject([{ object: { kind: 'NodeClaim' } }]);
      expect(deadlinesIn(plan)).toEqual(deadlines);
    },
  );

  it('24: the end of the grace is not moved by the next look', () => {
    const before = { [DEADLINE]: '2026-11-20T11:59:00Z' };

    expect(deadlinesIn(planWhere(['SystemImpaired'], before))).toEqual([]);
  });

  it('124: an instance that ails is counted once, and again once it was well in between', async () => {
    const since = NOON - 5 * MINUTE;
    const one = impaired(['i-0a'], since);
    const none = impaired([], since);

    expect(await countsAt([one, one, one])).toEqual([1, 0, 0]);
    expect(await countsAt([one, none, one])).toEqual([1, 0, 1]);
    expect(await countsAt([impaired(['i-0a', 'i-0b', 'i-0c', 'i-0f'], since)])).toEqual([3]);
    expect(await countsAt([impaired(['i-0a'], NOON - 60 * SECOND)])).toEqual([0]);
  });

  it('25: a spot warning deletes the NodeClaim, and its offering is sold out', () => {
    const plan = planAfter(aWarningOf(ID));

    expect(of(plan, 'delete')).toMatchObject([{ object: { kind: 'NodeClaim' } }]);
    expect(of(plan, 'markUnavailable')).toMatchObject([
      {
        offerings: [{ capacityType: 'spot', instanceType: 'm5.large', zone: 'us-east-1a' }],
      },
    ]);
  });

  it('119: each kind of event that ends an instance deletes its NodeClaim; one of a stranger none', () => {
    const bodies = [
      aWarningOf(ID),
      health({}),
      ...['stopping', 'stopped', 'shutting-down', 'terminated'].map((state) =>
        anAnnouncement('EC2 Instance State-change Notification', { 'instance-id': ID, state }),
      ),
    ];

    for (const body of bodies) expect(of(planAfter(body), 'delete')).toHaveLength(1);
    expect(of(planAfter(aWarningOf('i-0fedcba9876543210')), 'delete')).toEqual([]);
  });

  it('120: a body that cannot be read is forgotten', async () => {
    expect(await answerTo('', 'not JSON', '[]', '{"version":"0"}')).toEqual({
      batchItemFailures: [],
    });
  });

  it.each([
    ['of another service', { service: 'RDS' }],
    ['of another category', { eventTypeCategory: 'accountNotification' }],
  ])('121: a health event %s does nothing, and is forgotten', async (_what, detail) => {
    expect(of(planAfter(health(detail)), 'delete')).toEqual([]);
    expect(await answerTo(health(detail))).toEqual({ batchItemFailures: [] });
  });

  it('122: the end of an interruptible reservation deletes the NodeClaim, and nothing is left to buy of it', () => {
    const type = 'EC2 Capacity Reservation Instance Interruption Warning';
    const plan = planAfter(anAnnouncement(type, { 'instance-id': ID }), 'reserved');

    expect(of(plan, 'delete')).toHaveLength(1);
    expect(of(plan, 'markUnavailable')).toMatchObject([
      {
        offerings: [{ capacityType: 'reserved', instanceType: 'm5.large', zone: 'us-east-1a' }],
      },
    ]);
  });

  it('123: a rebalance recommendation is an event, and the NodeClaim stays', () => {
    const body = anAnnouncement('EC2 Instance Rebalance Recommendation', { 'instance-id': ID });
    const plan = planAfter(body);

    expect(of(plan, 'delete')).toEqual([]);
    expect(of(plan, 'recordEvent')).toMatchObject([
      { type: 'Normal', reason: 'SpotRebalanceRecommendation', about: { kind: 'NodeClaim' } },
      { type: 'Normal', reason: 'SpotRebalanceRecommendation', about: { kind: 'Node' } },
    ]);
  });

  it.each([
    ['is closed', { statusCode: 'closed' }],
    ['is resolved', { affectedEntities: [{ entityValue: ID, status: 'RESOLVED' }] }],
  ])('137: work that %s takes no node away (upstream deletes)', (_what, detail) => {
    expect(of(planAfter(health(detail)), 'delete')).toEqual([]);
  });

  it('differs: work that begins in days takes the node away in time, not at once (upstream deletes at once)', () => {
    const plan = planAfter(health({ startTime: new Date(NOON + 72 * 3_600_000).toUTCString() }));

    expect(of(plan, 'delete')).toEqual([]);
    expect(of(plan, 'update')[0]).toMatchObject({
      meta: { annotations: { 'joinery.dev/maintenance-at': '2026-11-23T12:00:00Z' } },
    });
  });
});
