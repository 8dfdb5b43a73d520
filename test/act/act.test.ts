import { describe, expect, it } from 'vitest';
import type { ActPorts } from '#lib/act/ports.ts';
import { claimRef } from '#lib/model/object-ref.ts';
import type { Action } from '#lib/model/plan.ts';
import { type ActingBench, anActingBench } from '#test/build/acting.ts';

async function withClaim(name = 'a') {
  const bench = anActingBench();
  await bench.act([bench.toCreate(name)]);
  return { bench, ref: refOf(bench, name) };
}

function refOf(bench: ActingBench, name = 'a') {
  const [claim] = bench.claims(name);
  if (claim === undefined) throw new Error(`expected the NodeClaim ${name}, found none`);
  return claimRef(claim);
}

const annotate = (object: ReturnType<typeof refOf>, value: string): Action => ({
  kind: 'update',
  object,
  meta: { annotations: { note: value } },
});

describe('act', () => {
  it('creates a NodeClaim as the API server takes it, and again does no harm', async () => {
    const bench = anActingBench();

    expect(await bench.act([bench.toCreate('a')])).toMatchObject([{ result: 'done' }]);
    expect(await bench.act([bench.toCreate('a')])).toMatchObject([{ result: 'done' }]);
    expect(bench.claims('a')).toMatchObject([
      { spec: { nodeClassRef: { name: 'default' } }, meta: { owners: [{ kind: 'NodePool' }] } },
    ]);
    expect(bench.api.cluster.list('NodeClaim')).toHaveLength(1);
  });

  it('does several actions on one object in their order', async () => {
    const { bench, ref } = await withClaim();
    const outcomes = await bench.act([
      annotate(ref, 'first'),
      { kind: 'updateStatus', object: ref, status: { imageId: 'x', nodeName: 'node-1' } as object },
      annotate(ref, 'last'),
    ]);

    expect(outcomes.map(({ result }) => result)).toEqual(['done', 'done', 'done']);
    expect(bench.claims('a')).toMatchObject([
      { meta: { annotations: { note: 'last' } }, status: { nodeName: 'node-1' } },
    ]);
  });

  it('loses against whoever has changed the object since it was seen, and leaves the rest for later', async () => {
    const { bench, ref } = await withClaim();
    await bench.act([annotate(ref, 'somebody else')]);
    const outcomes = await bench.act([
      annotate(ref, 'ours'),
      { kind: 'delete', object: ref, because: 'test' },
    ]);

    expect(outcomes.map(({ result }) => result)).toEqual(['lost', 'retry']);
    expect(bench.claims('a')).toMatchObject([{ meta: { annotations: { note: 'somebody else' } } }]);
  });

  it('deletes what must go as it has become, but not another of its name', async () => {
    const { bench, ref } = await withClaim();
    await bench.act([annotate(ref, 'somebody else')]);
    const urgent = { kind: 'delete', because: 'test', needsNoLease: true } as const;
    const results = async (uid: string) =>
      (await bench.act([{ ...urgent, object: { ...ref, uid } }])).map(({ result }) => result);

    await results('00000000-0000-0000-0000-000000000000');
    expect(bench.claims('a')[0]?.meta.deletedAt).toBeUndefined();
    expect(await results(ref.uid)).toEqual(['done']);
    expect(bench.claims('a')[0]?.meta.deletedAt).toBeDefined();
  });

  it('takes what is gone already for deleted', async () => {
    const { bench, ref } = await withClaim();
    const remove: Action = { kind: 'delete', object: ref, because: 'test' };
    const setFree: Action = { kind: 'update', object: ref, meta: { finalizers: [] } };
    await bench.act([setFree, remove]);

    expect(bench.api.cluster.list('NodeClaim')).toEqual([]);
    expect(await bench.act([remove])).toMatchObject([{ result: 'done' }]);
  });

  it('sends nothing when there is no time, and says so', async () => {
    const bench = anActingBench();
    const [outcome] = await bench.act([bench.toCreate('a')], { until: bench.api.now() });

    expect(outcome).toMatchObject({ result: 'retry', because: 'there was no time left' });
    expect(bench.api.cluster.list('NodeClaim')).toEqual([]);
  });

  it('sends nothing once the Lease is lost', async () => {
    const bench = anActingBench();
    let asked = 0;
    const outcomes = await bench.act(
      ['a', 'b', 'c'].map((name) => bench.toCreate(name)),
      {
        mayGoOn: () => {
          asked += 1;
          return asked <= 2;
        },
      },
    );

    expect(outcomes.map(({ result }) => result)).toEqual(['done', 'done', 'retry']);
    expect(bench.api.cluster.list('NodeClaim')).toHaveLength(2);
  });

  it('says in the order of the plan what became of each action', async () => {
    const bench = anActingBench();
    const actions = Array.from({ length: 30 }, (_, at) => bench.toCreate(`claim-${at}`));
    const outcomes = await bench.act(actions);

    expect(outcomes.map(({ action }) => action)).toEqual(actions);
    expect(bench.api.cluster.list('NodeClaim')).toHaveLength(30);
  });

  it('asks no more of an API server that is busy, for as long as that says', async () => {
    const bench = anActingBench();
    const asked: string[] = [];
    const kube: ActPorts['kube'] = async ({ path }) => {
      asked.push(path);
      return { status: 429, retryAfterSeconds: 30, body: { reason: 'TooManyRequests' } };
    };
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      namespace: 'a',
      name: 'p',
      uid: 'u',
      resourceVersion: '1',
    };
    const evict: Action = { kind: 'evict', pod, node: { ...pod, kind: 'Node' }, because: 'test' };
    const creations = Array.from({ length: 30 }, (_, at) => bench.toCreate(`c${at}`));
    const outcomes = await bench.act([evict, ...creations], {}, kube);

    expect(asked.filter((path) => path.endsWith('/nodeclaims')).length).toBeLessThanOrEqual(10);
    expect(new Set(outcomes.map(({ result }) => result))).toEqual(new Set(['retry']));
    expect(outcomes[1]).toMatchObject({ retryAfterSeconds: 30 });
  });

  it('flies on with a bug', async () => {
    const bench = anActingBench();
    const object = { ...refOf((await withClaim()).bench), kind: 'Sprocket' };

    await expect(bench.act([annotate(object, 'x')])).rejects.toThrow('Expected a known kind');
  });
});
