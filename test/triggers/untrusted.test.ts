import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAdmissionReview } from '#lib/triggers/admission-review.ts';
import { readInterruptions } from '#lib/triggers/interruption-message.ts';
import { readMessages, readWakeUp } from '#lib/triggers/wake-up.ts';

/** Fields that are looked at, and some that would make an object refuse to become a text. */
const KEYS = [
  ...['version', 'source', 'detail-type', 'time', 'detail', 'state', 'instance-id', 'toString'],
  ...['service', 'eventTypeCategory', 'affectedEntities', 'entityValue', 'status', 'startTime'],
  ...['Records', 'body', 'messageId', 'attributes', 'request', 'uid', 'kind', 'isBase64Encoded'],
];
/** Values that are looked for. */
const WORDS = [
  ...['0', 'aws.ec2', 'aws.health', 'EC2', 'scheduledChange', 'stopping', 'i-0abc', 'i-*', 'look'],
  ...['EC2 Spot Instance Interruption Warning', 'EC2 Instance State-change Notification'],
  ...['AWS Health Event', '%%%'],
];

/** Anything at all, likelier than chance to look like what is read. */
const { value: anything } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<unknown>(...WORDS, null, true, 7),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...KEYS), tie('value'), { maxKeys: 6 }),
  ),
}));
const announcement = fc.record({
  version: fc.constantFrom<unknown>('0', '0', 0),
  source: fc.oneof(fc.constantFrom('aws.ec2', 'aws.health'), anything),
  'detail-type': fc.oneof(fc.constantFrom(...WORDS), anything),
  time: anything,
  detail: fc.dictionary(fc.constantFrom(...KEYS), anything),
});

describe('what is read of whatever comes in', () => {
  it('announcements: nothing throws, and what is heard names an instance', () => {
    fc.assert(
      fc.property(fc.oneof(announcement, anything), (event) => {
        for (const { instanceId, announcedAt } of readInterruptions(JSON.stringify(event), 7)) {
          expect(instanceId).toMatch(/^i-[0-9a-z]+$/);
          expect(announcedAt).not.toBeNaN();
        }
      }),
    );
  });

  it('batches and reviews: nothing throws, and a review has an uid and a short subject', () => {
    fc.assert(
      fc.property(anything, fc.boolean(), (event, isBase64Encoded) => {
        readMessages(event);
        readWakeUp(event);
        const body = typeof event === 'string' ? event : JSON.stringify(event);
        const { uid, subject } = readAdmissionReview({ body, isBase64Encoded });
        expect(typeof uid).toBe('string');
        expect(subject.length).toBeLessThanOrEqual(400);
      }),
    );
  });

  it('an object that refuses to become a text is none', () => {
    const odd = { toString: 1 };
    for (const event of [
      { version: '0', source: odd, 'detail-type': odd, detail: {} },
      {
        version: '0',
        source: 'aws.ec2',
        'detail-type': 'EC2 Instance State-change Notification',
        detail: { state: odd, 'instance-id': 'i-1' },
      },
    ]) {
      expect(readInterruptions(JSON.stringify(event), 7)).toEqual([]);
    }
  });
});
