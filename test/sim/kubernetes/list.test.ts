import { describe, expect, it } from 'vitest';
import { aPodManifest, aSmallCluster, callerOf } from '#test/build/small-cluster.ts';

const PODS = '/api/v1/pods';

async function fivePods() {
  const world = aSmallCluster();
  for (const name of ['e', 'b', 'd', 'a', 'c']) {
    const labels = { app: name < 'c' ? 'early' : 'late' };
    world.cluster.apply(aPodManifest(name, { schedulerName: 'nobody' }, { labels }));
  }
  return { world, call: callerOf(world) };
}

const names = (body: { items: { metadata: { name: string } }[] }) =>
  body.items.map(({ metadata }) => metadata.name);

describe('a list', () => {
  it('is sorted, carries its resourceVersion, and no kind in items of built-in kinds', async () => {
    const { world, call } = await fivePods();
    const { body } = await call('GET', PODS);
    expect(names(body)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(body).toMatchObject({ kind: 'PodList', apiVersion: 'v1' });
    expect(body.metadata.resourceVersion).toBe(
      world.cluster.get('Pod', 'default', 'c')?.metadata.resourceVersion,
    );
    expect(body.items[0].kind).toBeUndefined();
  });

  it.each([
    [{ labelSelector: 'app=early' }, ['a', 'b']],
    [{ labelSelector: 'app!=early' }, ['c', 'd', 'e']],
    [{ labelSelector: 'app in (late),!gone' }, ['c', 'd', 'e']],
    [{ labelSelector: 'app notin (late, later)' }, ['a', 'b']],
    [{ labelSelector: 'app' }, ['a', 'b', 'c', 'd', 'e']],
    [{ fieldSelector: 'metadata.name=c' }, ['c']],
    [{ fieldSelector: 'spec.nodeName=,status.phase=Pending' }, ['a', 'b', 'c', 'd', 'e']],
    [{ fieldSelector: 'spec.nodeName=n1' }, []],
    [{ fieldSelector: 'status.phase!=Pending' }, []],
  ])('keeps what %o selects', async (query, expected) => {
    const { call } = await fivePods();
    expect(names((await call('GET', PODS, undefined, { query })).body)).toEqual(expected);
  });

  it.each([{ fieldSelector: 'spec.color=red' }, { labelSelector: 'a b c' }, { continue: 'x' }])(
    'refuses %o',
    async (query) => {
      const { call } = await fivePods();
      expect((await call('GET', PODS, undefined, { query })).status).toBe(400);
    },
  );

  it('comes in pages of one instant', async () => {
    const { world, call } = await fivePods();
    const first = await call('GET', PODS, undefined, { query: { limit: '2' } });
    expect(names(first.body)).toEqual(['a', 'b']);
    expect(first.body.metadata.remainingItemCount).toBe(3);
    world.cluster.remove('Pod', 'default', 'd');
    const query = { limit: '2', continue: first.body.metadata.continue };
    const second = await call('GET', PODS, undefined, { query });
    expect(names(second.body)).toEqual(['c', 'd']);
    expect(second.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
    const last = { limit: '2', continue: second.body.metadata.continue };
    const third = await call('GET', PODS, undefined, { query: last });
    expect(names(third.body)).toEqual(['e']);
    expect(third.body.metadata.continue).toBeUndefined();
  });

  it('refuses an old token with 410 and one that goes on', async () => {
    const { world, call } = await fivePods();
    const first = await call('GET', PODS, undefined, { query: { limit: '2' } });
    await world.wait(600);
    world.cluster.remove('Pod', 'default', 'd');
    const query = { limit: '2', continue: first.body.metadata.continue };
    const refused = await call('GET', PODS, undefined, { query });
    expect(refused).toMatchObject({ status: 410, body: { reason: 'Expired' } });
    const on = { limit: '2', continue: refused.body.metadata.continue };
    expect(names((await call('GET', PODS, undefined, { query: on })).body)).toEqual(['c', 'e']);
  });
});
