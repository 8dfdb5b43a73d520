import { describe, expect, it } from 'vitest';
import {
  aDeployment,
  aNodeManifest,
  aPodManifest,
  aSmallCluster,
  callerOf,
  type SmallCluster,
} from '#test/build/small-cluster.ts';

const PODS = '/api/v1/namespaces/default/pods';

const aBudget = (name: string, spec: object) => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name },
  spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
});

/** A machine with three Ready pods of a Deployment, and as many budgets as are given. */
async function runningWeb(...budgets: readonly object[]) {
  const world = aSmallCluster();
  world.start();
  world.cluster.apply(aDeployment('web', 3));
  for (const [index, spec] of budgets.entries()) world.cluster.apply(aBudget(`b${index}`, spec));
  await world.until(() => ready(world) === 3);
  await world.wait(1);
  const call = callerOf(world);
  const evict = (name: string, deleteOptions: object = {}) =>
    call('POST', `${PODS}/${name}/eviction`, {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name },
      deleteOptions,
    });
  const [first = '', second = '', third = ''] = pods(world);
  return { world, call, evict, first, second, third };
}

const pods = ({ cluster }: SmallCluster) =>
  cluster.list('Pod').map(({ metadata }) => metadata.name);
const ready = ({ cluster }: SmallCluster) =>
  Number(cluster.all('Deployment')[0] === undefined ? 0 : statusOf(cluster).readyReplicas);
const statusOf = (cluster: SmallCluster['cluster']) =>
  (cluster.get('Deployment', 'default', 'web')?.status ?? {}) as { readyReplicas?: number };

describe('an eviction', () => {
  it('is granted without a budget, and again while the pod is leaving', async () => {
    const { evict, call, first } = await runningWeb();
    expect((await evict(first)).status).toBe(201);
    const { body } = await call('GET', `${PODS}/${first}`);
    expect(body.metadata).toMatchObject({ deletionGracePeriodSeconds: 30 });
    expect(body.status.conditions).toContainEqual(
      expect.objectContaining({ type: 'DisruptionTarget', reason: 'EvictionByEvictionAPI' }),
    );
    expect((await evict(first)).status).toBe(201);
  });

  it('answers 404 for a pod that is gone', async () => {
    const { evict, world, first } = await runningWeb();
    await evict(first);
    await world.wait(10);
    expect((await evict(first)).status).toBe(404);
  });

  it('spends the budget, and is refused with 429 until a replacement is Ready', async () => {
    const { evict, world, first, second } = await runningWeb({ minAvailable: 2 });
    expect((await evict(first)).status).toBe(201);
    expect((await evict(second)).status).toBe(429);
    await world.wait(0.1);
    const refused = await evict(second);
    expect(refused).toMatchObject({
      status: 429,
      body: {
        reason: 'TooManyRequests',
        details: { causes: [{ reason: 'DisruptionBudget' }] },
      },
    });
    expect(refused.body.details.causes[0].message).toBe(
      'The disruption budget b0 needs 2 healthy pods and has 2 currently',
    );
    await world.wait(15);
    expect((await evict(second)).status).toBe(201);
  });

  it('is refused where the budget allows none, also in the instant after the budget was made', async () => {
    const { evict, world, first } = await runningWeb();
    world.cluster.apply(aBudget('late', { maxUnavailable: 0 }));
    expect((await evict(first)).status).toBe(429);
    await world.wait(1);
    expect((await evict(first)).status).toBe(429);
  });

  it('is refused for ever where pods without a controller cannot be counted', async () => {
    const world = aSmallCluster();
    world.start();
    world.cluster.apply(aPodManifest('lone', {}, { labels: { app: 'web' } }));
    world.cluster.apply(aBudget('b', { maxUnavailable: 1 }));
    await world.wait(120);
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'lone' } };
    expect((await callerOf(world)('POST', `${PODS}/lone/eviction`, body)).status).toBe(429);
  });

  it('fails with 500 where two budgets select the pod', async () => {
    const { evict, first } = await runningWeb({ minAvailable: 1 }, { minAvailable: 1 });
    expect(await evict(first)).toMatchObject({
      status: 500,
      body: { message: expect.stringContaining('more than one PodDisruptionBudget') },
    });
  });

  it('is refused with 409 where another pod was meant, a budget coming first', async () => {
    const wrong = { preconditions: { uid: '00000000-0000-0000-0000-000000000000' } };
    const free = await runningWeb();
    expect((await free.evict(free.first, wrong)).status).toBe(409);
    const bound = await runningWeb({ maxUnavailable: 0 });
    expect((await bound.evict(bound.first, wrong)).status).toBe(429);
  });

  it('can be tried', async () => {
    const { evict, call, first } = await runningWeb({ minAvailable: 2 });
    expect((await evict(first, { dryRun: ['All'] })).status).toBe(201);
    expect((await evict(first, { dryRun: ['All'] })).status).toBe(201);
    const { body } = await call('GET', `${PODS}/${first}`);
    expect(body.metadata.deletionTimestamp).toBeUndefined();
  });

  it('ignores budgets for pods that never ran', async () => {
    const world = aSmallCluster();
    world.cluster.apply(aNodeManifest('small', { allocatable: { cpu: '0' } }));
    world.cluster.apply(aDeployment('web', 1));
    world.cluster.apply(aBudget('b', { minAvailable: 1 }));
    await world.wait(5);
    const [name = ''] = pods(world);
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } };
    expect((await callerOf(world)('POST', `${PODS}/${name}/eviction`, body)).status).toBe(201);
  });
});

describe('a deletion of a pod', () => {
  it('leaves it its grace, which a second one may shorten and not lengthen', async () => {
    const { call, world, first } = await runningWeb();
    await call('DELETE', `${PODS}/${first}`, { gracePeriodSeconds: 20 });
    const grace = async () =>
      (await call('GET', `${PODS}/${first}`)).body.metadata.deletionGracePeriodSeconds;
    await call('DELETE', `${PODS}/${first}`, { gracePeriodSeconds: 40 });
    expect(await grace()).toBe(20);
    await call('DELETE', `${PODS}/${first}`, { gracePeriodSeconds: 10 });
    expect(await grace()).toBe(10);
    await world.wait(3);
    expect((await call('GET', `${PODS}/${first}`)).status).toBe(404);
  });

  it('is immediate where no kubelet runs it', async () => {
    const call = callerOf(aSmallCluster());
    await call('POST', PODS, aPodManifest('p'));
    await call('DELETE', `${PODS}/p`);
    expect((await call('GET', `${PODS}/p`)).status).toBe(404);
  });
});
