import { describe, expect, it } from 'vitest';
import { send } from '#lib/kube/errors.ts';

const answer =
  (status: number, message = '') =>
  async () => ({ status, body: { message } });
const request = { method: 'GET', path: '/api/v1/pods' } as const;

describe('send', () => {
  it.each([
    [404, '', 'gone'],
    [410, '', 'gone'],
    [409, '', 'conflict'],
    [422, 'metadata.uid: Invalid value: "x": field is immutable', 'conflict'],
    [422, 'the server rejected our request due to an error in our request', 'conflict'],
    [422, 'spec.replicas: Invalid value', 'broken'],
    [401, '', 'denied'],
    [403, '', 'denied'],
    [429, '', 'notNow'],
    [500, 'This pod has more than one PodDisruptionBudget', 'broken'],
    [500, 'etcdserver: leader changed', 'notNow'],
    [503, '', 'notNow'],
    [400, '', 'broken'],
  ])('takes %d "%s" for %s', async (status, message, kind) => {
    await expect(send(answer(status, message), request)).rejects.toMatchObject({ kind, status });
  });

  it('takes no answer for not now', async () => {
    const kube = () => Promise.reject(new Error('connect ECONNREFUSED'));

    await expect(send(kube, request)).rejects.toMatchObject({
      kind: 'notNow',
      message: 'GET /api/v1/pods: no answer (connect ECONNREFUSED)',
    });
  });
});
