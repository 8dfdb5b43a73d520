import { describe, expect, it } from 'vitest';
import { foreignHolder, takeLease } from '#lib/kube/lease.ts';
import { create } from '#lib/kube/write.ts';
import { type ApiBench, anApi } from '#test/build/api-bench.ts';

const take = (api: ApiBench, identity: string) => api.through(takeLease(api, identity));

async function mine(api: ApiBench, identity: string) {
  const lease = await take(api, identity);
  if (lease.kind === 'held') throw new Error('expected the Lease, found it held');
  return lease;
}

describe('takeLease', () => {
  it('makes the Lease where there is none', async () => {
    const api = anApi();

    expect(await take(api, 'a')).toMatchObject({ kind: 'ours' });
    expect(api.cluster.get('Lease', 'joinery', 'joinery')).toMatchObject({
      spec: { holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0 },
    });
  });

  it('is not taken where there is no namespace for it, and what helps is said', async () => {
    const api = anApi();
    api.cluster.remove('Namespace', '', 'joinery');
    await api.wait(60);

    await expect(take(api, 'a')).rejects.toThrow('joinery install makes it');
  });

  it('keeps others out for as long as it holds, and says when it ends', async () => {
    const api = anApi();
    await mine(api, 'a');
    const other = await take(api, 'b');

    expect(other).toMatchObject({ kind: 'held' });
    expect(other.kind === 'held' && other.freeAt - api.now()).toBeGreaterThan(14_000);
  });

  it('can be taken by another when its holder has fallen silent', async () => {
    const api = anApi();
    const first = await mine(api, 'a');
    await api.wait(16);
    await mine(api, 'b');

    expect(await api.through(first.isOurs())).toBe(false);
    expect(api.cluster.get('Lease', 'joinery', 'joinery')).toMatchObject({
      spec: { holderIdentity: 'b', leaseTransitions: 1 },
    });
  });

  it('is renewed when little of it is left, and then stays ours', async () => {
    const api = anApi();
    const lease = await mine(api, 'a');
    await api.wait(8);

    expect(await api.through(lease.isOurs())).toBe(true);
    await api.wait(8);
    expect(await take(api, 'b')).toMatchObject({ kind: 'held' });
  });

  it('costs no call while plenty of it is left', async () => {
    const api = anApi();
    const lease = await mine(api, 'a');
    const before = JSON.stringify(api.cluster.calls());

    expect(await lease.isOurs()).toBe(true);
    expect(JSON.stringify(api.cluster.calls())).toBe(before);
  });

  it('is renewed once for all who ask at the same time', async () => {
    const api = anApi();
    const lease = await mine(api, 'a');
    await api.wait(8);
    const version = () => api.cluster.get('Lease', 'joinery', 'joinery')?.metadata.resourceVersion;
    const before = Number(version());
    const answers = await api.through(
      Promise.all([lease.isOurs(), lease.isOurs(), lease.isOurs()]),
    );

    expect(answers).toEqual([true, true, true]);
    expect(Number(version())).toBe(before + 1);
  });

  it('is free at once when it was let go, and remembers the looks', async () => {
    const api = anApi();
    const lease = await mine(api, 'a');
    const lastLookAt = api.now() - 2_000;
    const nextLookAt = api.now() + 30_000;
    await api.through(lease.release({ lastLookAt, nextLookAt }));
    const next = await mine(api, 'b');

    expect(next.lastLookAt).toBe(lastLookAt);
    expect(next.nextLookAt(api.now())).toBe(nextLookAt);
    expect(next.nextLookAt(nextLookAt + 1)).toBe(Number.POSITIVE_INFINITY);
  });

  it('goes to one of two who ask at once', async () => {
    const api = anApi();
    const [a, b] = await api.through(Promise.all([takeLease(api, 'a'), takeLease(api, 'b')]));

    expect([a.kind, b.kind].sort()).toEqual(['held', 'ours']);
  });

  it('is given up after three lost races, for the next invocation to try', async () => {
    const api = anApi();
    let races = 0;
    const kube: typeof api.kube = async (request) => {
      if (request.method !== 'POST' || !request.path.endsWith('/leases')) return api.kube(request);
      races += 1;
      return { status: 409, body: { reason: 'AlreadyExists', message: 'somebody was faster' } };
    };

    await expect(api.through(takeLease({ ...api, kube }, 'a'))).rejects.toThrow('was faster');
    expect(races).toBe(3);
  });

  it('is not taken from a version of Joinery that writes it otherwise', async () => {
    const api = anApi();
    await mine(api, 'a');
    const path = '/apis/coordination.k8s.io/v1/namespaces/joinery/leases/joinery';
    await api.through(
      api.kube({
        method: 'PATCH',
        path,
        contentType: 'application/merge-patch+json',
        body: { metadata: { annotations: { 'joinery.dev/schema': '2' } } },
      }),
    );

    await expect(take(api, 'a')).rejects.toThrow('schema 2');
  });
});

describe('foreignHolder', () => {
  const karpenter = (holderIdentity: string, renewTime: string) => ({
    metadata: { name: 'karpenter-leader-election', namespace: 'kube-system' },
    spec: { holderIdentity, renewTime, leaseDurationSeconds: 15 },
  });

  it.each([
    ['nobody, where Karpenter never ran', undefined, undefined],
    [
      'the one who renewed it lately',
      karpenter('karpenter-1', '2026-11-20T11:59:50.000000Z'),
      'karpenter-1',
    ],
    [
      'the one whose clock may be a minute behind',
      karpenter('karpenter-1', '2026-11-20T11:58:50.000000Z'),
      'karpenter-1',
    ],
    [
      'the one whose clock is ahead',
      karpenter('karpenter-1', '2026-11-20T12:01:00.000000Z'),
      'karpenter-1',
    ],
    [
      'nobody, when its time has run out by any clock',
      karpenter('karpenter-1', '2026-11-20T11:58:45.000000Z'),
      undefined,
    ],
    ['nobody, when it was let go', karpenter('', '2026-11-20T11:59:59.000000Z'), undefined],
  ])('is %s', async (_who, lease, expected) => {
    const api = anApi();
    if (lease !== undefined) await api.through(create(api.kube, 'Lease', lease, 'kube-system'));

    expect(await api.through(foreignHolder(api.kube, Date.UTC(2026, 10, 20, 12)))).toBe(expected);
  });
});
