import { describe, expect, it } from 'vitest';
import { evict } from '#lib/kube/evict.ts';
import { create, patch, patchStatus, patchWithTests, remove } from '#lib/kube/write.ts';
import { type ApiBench, anApi } from '#test/build/api-bench.ts';
import { asking } from '#test/build/wire-objects.ts';

async function aStoredPod(api: ApiBench) {
  // A gate keeps the scheduler from writing to it.
  const spec = { containers: [asking('a', { cpu: '1' })], schedulingGates: [{ name: 'wait' }] };
  await api.through(create(api.kube, 'Pod', { metadata: { name: 'web' }, spec }, 'default'));
  await api.wait(5);
  return seen(api);
}

function seen(api: ApiBench) {
  const { metadata } = api.cluster.get('Pod', 'default', 'web') as {
    metadata: { uid: string; resourceVersion: string };
  };
  const { uid, resourceVersion } = metadata;
  return { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'web', uid, resourceVersion };
}

const labelled = { metadata: { labels: { a: 'b' } } };

describe('writes to an existing object', () => {
  it('are done to the object as it was seen', async () => {
    const api = anApi();
    const ref = await aStoredPod(api);
    const resourceVersion = await api.through(patch(api.kube, ref, labelled));

    expect(api.cluster.get('Pod', 'default', 'web')).toMatchObject(labelled);
    expect(resourceVersion).toBe(seen(api).resourceVersion);
  });

  type Write = (api: ApiBench, ref: ReturnType<typeof seen>) => Promise<unknown>;
  const writes: readonly (readonly [string, Write])[] = [
    ['patch', (api, ref) => patch(api.kube, ref, labelled)],
    [
      'patchStatus',
      (api: ApiBench, ref: ReturnType<typeof seen>) =>
        patchStatus(api.kube, ref, { phase: 'Failed' }),
    ],
    ['remove', (api, ref) => remove(api.kube, ref)],
    ['evict', (api, ref) => evict(api.kube, ref)],
  ];

  it.each(writes)('%s fails as a conflict where the object has changed since', async (_, write) => {
    const api = anApi();
    const ref = await aStoredPod(api);
    await api.through(patch(api.kube, seen(api), { metadata: { labels: { c: 'd' } } }));

    await expect(api.through(write(api, ref))).rejects.toMatchObject({ kind: 'conflict' });
  });

  it.each(writes)('%s fails as a conflict where another has its name now', async (_, write) => {
    const api = anApi();
    const ref = { ...(await aStoredPod(api)), uid: 'uid-of-the-one-before' };

    await expect(api.through(write(api, ref))).rejects.toMatchObject({ kind: 'conflict' });
  });

  it.each(writes)('%s fails as gone where nothing has its name', async (_, write) => {
    const api = anApi();
    const ref = { ...(await aStoredPod(api)), name: 'other' };

    await expect(api.through(write(api, ref))).rejects.toMatchObject({ kind: 'gone' });
  });

  it('fail as a conflict where a tested field has another value', async () => {
    const api = anApi();
    const ref = await aStoredPod(api);
    const write = patchWithTests(api.kube, ref, [
      { op: 'test', path: '/spec/schedulerName', value: 'mine' },
      { op: 'add', path: '/metadata/labels', value: { a: 'b' } },
    ]);

    await expect(api.through(write)).rejects.toMatchObject({ kind: 'conflict' });
  });
});

describe('evict', () => {
  it('is refused for now where a PodDisruptionBudget forbids it', async () => {
    const api = anApi();
    const labels = { app: 'web' };
    const pod = {
      metadata: { name: 'web', labels },
      spec: { containers: [asking('a', { cpu: '1' })] },
    };
    const budget = {
      metadata: { name: 'all' },
      spec: { minAvailable: 1, selector: { matchLabels: labels } },
    };
    api.start();
    await api.through(create(api.kube, 'PodDisruptionBudget', budget, 'default'));
    await api.through(create(api.kube, 'Pod', pod, 'default'));
    await api.wait(300);

    await expect(api.through(evict(api.kube, seen(api)))).rejects.toMatchObject({
      kind: 'notNow',
      status: 429,
    });
  });
});
