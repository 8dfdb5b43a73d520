import { describe, expect, it } from 'vitest';
import { listAll, listPages } from '#lib/kube/list.ts';
import type { KubeRequest, KubeResponse } from '#lib/kube/transport.ts';

/** An API server that holds `count` pods and forgets the place after `forgetAfter` pages, once. */
function pods(count: number, forgetAfter = Number.POSITIVE_INFINITY) {
  const asked: KubeRequest[] = [];
  let hasForgotten = false;
  const kube = async (request: KubeRequest): Promise<KubeResponse> => {
    asked.push(request);
    const from = Number(request.query?.continue ?? 0);
    const limit = Number(request.query?.limit);
    if (!hasForgotten && from / limit >= forgetAfter) {
      hasForgotten = true;
      return { status: 410, body: { kind: 'Status', reason: 'Expired', message: 'too old' } };
    }
    const items = Array.from({ length: Math.min(limit, count - from) }, (_, at) => from + at);
    const next = from + limit < count ? { continue: String(from + limit) } : {};
    return { status: 200, body: { metadata: next, items } };
  };
  return { kube, asked };
}

describe('listPages', () => {
  it('asks for 500 at a time and reduces each page as it comes', async () => {
    const { kube, asked } = pods(1_200);

    expect(await listPages(kube, { kind: 'Pod' }, (items) => items.length)).toMatchObject({
      pages: [500, 500, 200],
    });
    expect(asked[0]).toEqual({ method: 'GET', path: '/api/v1/pods', query: { limit: '500' } });
  });

  it('starts again when the API server has forgotten the place, and counts nothing twice', async () => {
    const { kube } = pods(1_200, 1);

    expect(await listPages(kube, { kind: 'Pod' }, (items) => items.length)).toMatchObject({
      pages: [500, 500, 200],
    });
  });

  it('gives up with what the API server said', async () => {
    const body = { reason: 'Forbidden', message: 'pods is forbidden' };
    const kube = async () => ({ status: 403, body });

    await expect(listPages(kube, { kind: 'Pod' }, () => 0)).rejects.toMatchObject({
      kind: 'denied',
      message: 'GET /api/v1/pods: 403 Forbidden pods is forbidden',
    });
  });
});

describe('listAll', () => {
  it('hands over each object that the selectors take', async () => {
    const { kube, asked } = pods(3);
    const taken: unknown[] = [];
    await listAll(
      kube,
      { kind: 'Pod', namespace: 'a', fieldSelector: 'spec.nodeName=' },
      (item) => {
        taken.push(item);
      },
    );

    expect(taken).toEqual([0, 1, 2]);
    expect(asked[0]).toMatchObject({
      path: '/api/v1/namespaces/a/pods',
      query: { fieldSelector: 'spec.nodeName=' },
    });
  });
});
