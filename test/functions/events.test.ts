import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createInterrupt } from '#functions/interrupt/interrupt.ts';
import { createAdmission } from '#functions/provision/admission.ts';
import { typedCall } from '#lib/aws/calls/call.ts';
import { readAdmissionReview } from '#lib/triggers/admission-review.ts';
import { readInterruptions } from '#lib/triggers/interruption-message.ts';
import { readMessages, readWakeUp } from '#lib/triggers/wake-up.ts';
import { announcementBench } from '#test/build/announcements.ts';

const sample = (name: string): unknown => JSON.parse(readFileSync(`events/${name}.json`, 'utf8'));

describe('the sample events', () => {
  it.each(['heartbeat', 'consolidate-schedule', 'drift-schedule'])(
    '%s is a schedule, whatever else it says',
    (name) => {
      expect(readWakeUp(sample(name))).toEqual({ kind: 'schedule' });
    },
  );

  it.each([
    ['spot-warning', 'SpotInterruption'],
    ['rebalance', 'RebalanceRecommendation'],
    ['state-change', 'InstanceStopping'],
    ['scheduled-change', 'ScheduledChange'],
    ['capacity-reservation', 'CapacityReservationInterruption'],
  ])('%s announces a %s', (name, kind) => {
    expect(readInterruptions(JSON.stringify(sample(name)), 0)).toMatchObject([
      { kind, instanceId: 'i-0123456789abcdef0', announcedAt: Date.UTC(2026, 10, 20, 12) },
    ]);
  });

  it('work that is scheduled tells when it begins', () => {
    const body = JSON.stringify(sample('scheduled-change'));

    expect(readInterruptions(body, 0)[0]?.startsAt).toBe(Date.UTC(2026, 10, 24, 13));
  });

  it('a batch of announcements is read message by message, and forgotten where it is of others', async () => {
    const batch = sample('interruptions');
    const { shell, questions } = announcementBench({ foreign: ['i-0123456789abcdef0'] });
    const context = { getRemainingTimeInMillis: () => 30_000 };

    expect(readMessages(batch).map(({ body }) => readInterruptions(body, 0).length)).toEqual([
      ...[1, 1, 1, 1, 1],
      0,
    ]);
    expect(await createInterrupt(shell)(batch, context)).toEqual({ batchItemFailures: [] });
    expect(questions()).toHaveLength(1);
  });

  it('hints are read from the queue’s messages', () => {
    expect(readWakeUp(sample('hints'))).toEqual({
      kind: 'hints',
      unread: 0,
      hints: [
        {
          kind: 'look',
          sentAt: 1_795_175_999_000,
          because: 'Event default/web-1.18e9e472fcc0abac',
        },
        { kind: 'look', sentAt: 1_795_176_000_000, because: 'there is more to do' },
      ],
    });
  });

  it('an admission review is allowed, and becomes a hint', async () => {
    const sent: unknown[] = [];
    const admit = createAdmission({
      aws: typedCall(async (_name, input) => {
        sent.push(Object(input).MessageBody);
        return {};
      }),
      now: () => 1_795_176_000_000,
      settings: { hintQueueUrl: 'https://queue' },
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    });
    const review = sample('admission-review');
    const { uid, subject } = readAdmissionReview(review);

    expect(JSON.parse((await admit(review)).body)).toMatchObject({
      response: { uid, allowed: true },
    });
    expect(String(sent[0])).toContain(subject);
    expect(subject).toBe('Event default/web-1.18e9e472fcc0abac');
  });

  it('are each named in their README', () => {
    const readme = readFileSync('events/README.md', 'utf8');
    const files = readdirSync('events').filter((name) => name.endsWith('.json'));

    expect(files.filter((name) => !readme.includes(name))).toEqual([]);
  });
});
