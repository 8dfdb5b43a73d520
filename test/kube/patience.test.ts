import { describe, expect, it } from 'vitest';
import { withPatience } from '#lib/kube/patience.ts';
import type { KubeResponse } from '#lib/kube/transport.ts';

const READ = { method: 'GET', path: '/api/v1/pods' } as const;
const DONE: KubeResponse = { status: 200, body: 'done' };

/** An API server that answers like this in turn, and then as asked. */
function answering(...answers: readonly (KubeResponse | Error)[]) {
  const left = [...answers];
  const slept: number[] = [];
  let asked = 0;
  const kube = withPatience(
    async () => {
      asked += 1;
      const next = left.shift() ?? DONE;
      if (next instanceof Error) throw next;
      return next;
    },
    async (ms) => {
      slept.push(ms);
    },
  );
  return { kube, slept, asked: () => asked };
}

const busy = (retryAfterSeconds?: number): KubeResponse => ({
  status: 429,
  body: {},
  ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
});

describe('withPatience', () => {
  it('asks again after as long as the API server says, and a little where it does not', async () => {
    const { kube, slept } = answering(busy(3), { status: 503, body: {} });

    expect(await kube(READ)).toBe(DONE);
    expect(slept).toEqual([3_000, 250]);
  });

  it('asks again where no answer came, three times in all', async () => {
    const cut = new Error('socket hang up');
    const { kube, asked } = answering(cut, cut, cut);

    await expect(kube(READ)).rejects.toBe(cut);
    expect(asked()).toBe(3);
  });

  it.each([404, 403, 409, 410])('takes %i for an answer', async (status) => {
    const { kube, asked } = answering({ status, body: {} });

    expect(await kube(READ)).toMatchObject({ status });
    expect(asked()).toBe(1);
  });

  it('leaves it at a refusal that bids it wait for long', async () => {
    const { kube, slept } = answering(busy(30));

    expect(await kube(READ)).toMatchObject({ status: 429 });
    expect(slept).toEqual([]);
  });

  it('writes once, and begins a watch once', async () => {
    const { kube, asked } = answering(busy(1), busy(1));

    expect(await kube({ ...READ, method: 'PATCH', body: {} })).toMatchObject({ status: 429 });
    expect(await kube({ ...READ, onLine: () => 'more' })).toMatchObject({ status: 429 });
    expect(asked()).toBe(2);
  });
});
