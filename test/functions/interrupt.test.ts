import { describe, expect, it } from 'vitest';
import { createInterrupt } from '#functions/interrupt/interrupt.ts';
import { takeLease } from '#lib/kube/lease.ts';
import type { KubeTransport } from '#lib/kube/transport.ts';
import { create } from '#lib/kube/write.ts';
import type { Shell } from '#lib/runtime/shell.ts';
import { anActingBench } from '#test/build/acting.ts';
import { anAnnouncement, announcementBench, aWarningOf } from '#test/build/announcements.ts';
import { recordingCall } from '#test/build/recording-call.ts';

const LEFT = { getRemainingTimeInMillis: () => 30_000 };
const batchOf = (...bodies: readonly string[]) => ({
  Records: bodies.map((body, at) => ({
    messageId: `m-${at}`,
    body,
    attributes: { ApproximateReceiveCount: '1' },
  })),
});

const MAINTENANCE = ['annotations', 'joinery.dev/maintenance-at'];

/** AWS Health tells of work on an instance's machine, two days from now. */
const aNoticeOf = (instanceId: string): string =>
  anAnnouncement(
    'AWS Health Event',
    {
      service: 'EC2',
      eventTypeCategory: 'scheduledChange',
      statusCode: 'upcoming',
      startTime: 'Sun, 22 Nov 2026 12:00:00 GMT',
      affectedEntities: [{ entityValue: instanceId }],
    },
    'aws.health',
  );

/** An embedded API server with a NodeClaim for each of these instances, and a shell into it. */
async function aClusterWith(...instances: readonly string[]) {
  const { api, act, toCreate } = anActingBench();
  const refused = new Set<string>();
  const { call, asked } = recordingCall({});
  await act(instances.map((id) => toCreate(`claim-${id}`)));
  for (const id of instances) {
    const path = `/apis/karpenter.sh/v1/nodeclaims/claim-${id}/status`;
    const body = { status: { providerID: `aws:///us-east-1a/${id}`, nodeName: id } };
    const contentType = 'application/merge-patch+json';
    await api.through(api.kube({ method: 'PATCH', path, contentType, body }));
  }
  const kube: KubeTransport = async (request) =>
    request.method !== 'GET' && refused.has(request.path.split('/').at(-1) ?? '')
      ? { status: 503, body: {} }
      : await api.kube(request);
  const { shell } = announcementBench({});
  return {
    shell: { ...shell, kube, aws: call, now: api.now, sleep: api.clock.sleep },
    through: api.through,
    asked,
    holdLease: () => api.through(takeLease({ kube: api.kube, now: api.now }, 'another')),
    metaOf: (name: string) => api.cluster.get('NodeClaim', '', name)?.metadata,
    refuseWrites: (name: string) => void refused.add(name),
  };
}

describe('interrupt', () => {
  it('names the messages that are to come back, and lets the queue forget the others', async () => {
    const { shell } = announcementBench({ joining: ['i-5'], foreign: ['i-8'] });
    const batch = batchOf(aWarningOf('i-8'), aWarningOf('i-5'), '<xml/>');

    expect(await createInterrupt(shell)(batch, LEFT)).toEqual({
      batchItemFailures: [{ itemIdentifier: 'm-1' }],
    });
  });

  it('looks at no more than NodeClaims where nothing is ours', async () => {
    const { shell } = announcementBench({ held: ['i-1'], foreign: ['i-8'] });

    // The bench refuses every other request.
    expect(await createInterrupt(shell)(batchOf(aWarningOf('i-8')), LEFT)).toEqual({
      batchItemFailures: [],
    });
  });

  it('has a message come back whose NodeClaim could not be deleted, since nobody else knows of it', async () => {
    const { shell, through, refuseWrites } = await aClusterWith('i-0a', 'i-0b');
    const batch = batchOf(aWarningOf('i-0a'), aWarningOf('i-0b'), aWarningOf('i-0c'));

    refuseWrites('claim-i-0b');
    expect(await through(createInterrupt(shell)(batch, LEFT))).toEqual({
      batchItemFailures: [{ itemIdentifier: 'm-1' }],
    });
  });

  it('has a message come back that could not be written down, too', async () => {
    const { shell, through, refuseWrites } = await aClusterWith('i-0a', 'i-0b');
    const batch = batchOf(aNoticeOf('i-0a'), aNoticeOf('i-0b'));

    refuseWrites('claim-i-0b');
    expect(await through(createInterrupt(shell)(batch, LEFT))).toEqual({
      batchItemFailures: [{ itemIdentifier: 'm-1' }],
    });
  });

  it('deletes what is taken back while another acts, and leaves the rest to a look soon after', async () => {
    const { shell, through, asked, holdLease, metaOf } = await aClusterWith('i-0a');
    const said: string[] = [];
    const log = { ...shell.log, info: (text: string) => said.push(text) };
    await holdLease();
    const answer = await through(
      createInterrupt({ ...shell, log })(batchOf(aWarningOf('i-0a')), LEFT),
    );

    expect(said).toEqual(['interrupt: held by another']);
    expect(answer).toEqual({ batchItemFailures: [] });
    expect(metaOf('claim-i-0a')).toHaveProperty('deletionTimestamp');
    expect(asked('SendMessage')).toMatchObject([{ DelaySeconds: 2 }]);
  });

  it('writes work that is far off down while another acts, since nobody says it again', async () => {
    const { shell, through, holdLease, metaOf } = await aClusterWith('i-0a');
    await holdLease();
    const answer = await through(createInterrupt(shell)(batchOf(aNoticeOf('i-0a')), LEFT));

    expect(answer).toEqual({ batchItemFailures: [] });
    expect(metaOf('claim-i-0a')).toHaveProperty(MAINTENANCE, '2026-11-22T12:00:00Z');
  });

  it('tells what it did: in one line, as metrics, and as events where a bus is named', async () => {
    const { shell, through } = await aClusterWith('i-0a');
    const said: string[] = [];
    const measured: string[] = [];
    const { call, asked } = recordingCall({
      PutEvents: () => ({ FailedEntryCount: 0 }),
      DescribeInstances: () => ({ Reservations: [] }),
    });
    const telling: Shell = {
      ...shell,
      aws: call,
      settings: { ...shell.settings, eventBus: 'decisions' },
      log: { ...shell.log, info: (text) => said.push(text) },
      writeMetrics: (line) => measured.push(line),
    };
    await through(createInterrupt(telling)(batchOf(aWarningOf('i-0a')), LEFT));
    const entries = asked('PutEvents').flatMap((input) => Object(input).Entries);

    expect(said).toEqual(['interrupt: acted']);
    expect(measured.join()).toContain('"reason":"spot_interrupted"');
    expect(entries.map(({ DetailType }) => DetailType)).toContain('NodeClaim Deleted');
  });

  it('looks and refuses while Karpenter holds its own Lease, which sees to its nodes itself', async () => {
    const { shell, through } = await aClusterWith('i-0a');
    const renewTime = new Date(shell.now()).toISOString().replace('Z', '000Z');
    const spec = { holderIdentity: 'karpenter-1', leaseDurationSeconds: 15, renewTime };
    const metadata = { name: 'karpenter-leader-election', namespace: 'kube-system' };
    await through(create(shell.kube, 'Lease', { metadata, spec }, 'kube-system'));
    const said: string[] = [];
    const log = { ...shell.log, info: (text: string) => said.push(text) };
    const interrupt = createInterrupt({ ...shell, log });

    expect(await through(interrupt(batchOf(aWarningOf('i-0a')), LEFT))).toEqual({
      batchItemFailures: [],
    });
    expect(said).toEqual(['interrupt: refused']);
    const path = '/apis/karpenter.sh/v1/nodeclaims/claim-i-0a';
    const { body } = await through(shell.kube({ method: 'GET', path }));
    expect(Object(body).metadata).not.toHaveProperty('deletionTimestamp');
  });

  it('says so where nothing of a batch is ours', async () => {
    const { shell } = announcementBench({ foreign: ['i-8'] });
    const said: string[] = [];
    const log = { ...shell.log, info: (text: string) => said.push(text) };
    await createInterrupt({ ...shell, log })(batchOf(aWarningOf('i-8')), LEFT);

    expect(said).toEqual(['interrupt: nothing of ours']);
  });

  it('takes an event that is no batch for an empty one', async () => {
    const { shell } = announcementBench({});

    expect(await createInterrupt(shell)({ source: 'aws.scheduler' }, LEFT)).toEqual({
      batchItemFailures: [],
    });
  });
});
