import { describe, expect, it } from 'vitest';
import { allowAnswer, readAdmissionReview } from '#lib/triggers/admission-review.ts';

const review = JSON.stringify({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: {
    uid: 'u-1',
    kind: { group: 'events.k8s.io', version: 'v1', kind: 'Event' },
    namespace: 'default',
    name: 'web-1.18e9',
  },
});

describe('readAdmissionReview', () => {
  it('says what the call is about', () => {
    expect(readAdmissionReview({ body: review })).toEqual({
      uid: 'u-1',
      subject: 'Event default/web-1.18e9',
    });
  });

  it('reads a body that the gateway has encoded', () => {
    expect(readAdmissionReview({ body: btoa(review), isBase64Encoded: true }).uid).toBe('u-1');
  });

  it.each([undefined, {}, { body: 'nonsense' }, { body: '{"request":3}' }])(
    'makes do with %j',
    (event) => {
      expect(readAdmissionReview(event)).toEqual({
        uid: '',
        subject: 'an unreadable admission review',
      });
    },
  );
});

it('always allows, under the uid that it was asked about', () => {
  expect(JSON.parse(allowAnswer('u-1').body)).toMatchObject({
    response: { uid: 'u-1', allowed: true },
  });
});
