import { describe, expect, it } from 'vitest';
import {
  aNodeManifest,
  aPodManifest,
  aSmallCluster,
  callerOf,
  JSON_PATCH,
  MERGE,
} from '#test/build/small-cluster.ts';

const CLAIMS = '/apis/karpenter.sh/v1/nodeclaims';
const MAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';

const aClaim = (name: string, metadata: object = {}) => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: { name, ...metadata },
  spec: {
    nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
    requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }],
  },
});

describe('the API server', () => {
  it('completes what is created, and refuses to create it twice', async () => {
    const call = callerOf(aSmallCluster());
    const first = await call('POST', CLAIMS, aClaim('one'));
    expect(first).toMatchObject({
      status: 201,
      body: {
        kind: 'NodeClaim',
        metadata: { generation: 1, creationTimestamp: expect.stringMatching(/^2026-11-20T12:00/) },
      },
    });
    expect(first.body.metadata.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/);
    expect(await call('POST', CLAIMS, aClaim('one'))).toMatchObject({
      status: 409,
      body: { kind: 'Status', reason: 'AlreadyExists', details: { name: 'one' } },
    });
  });

  it('generates names', async () => {
    const call = callerOf(aSmallCluster());
    const { body } = await call('POST', MAPS, { metadata: { generateName: 'map-' } });
    expect(body.metadata.name).toMatch(/^map-[a-z0-9]{5}$/);
  });

  it('answers 404 in the words of Kubernetes', async () => {
    const call = callerOf(aSmallCluster());
    expect(await call('GET', `${CLAIMS}/none`)).toMatchObject({
      status: 404,
      body: { reason: 'NotFound', message: 'nodeclaims.karpenter.sh "none" not found' },
    });
    expect((await call('GET', '/apis/nobody/v1/things')).status).toBe(404);
    const lost = await call('POST', '/api/v1/namespaces/lost/configmaps', {
      metadata: { name: 'x' },
    });
    expect(lost).toMatchObject({ status: 404, body: { message: 'namespaces "lost" not found' } });
  });

  it('refuses what a CRD refuses, with its causes', async () => {
    const call = callerOf(aSmallCluster());
    const spec = { ...aClaim('bad').spec, requirements: [{ key: 'a', operator: 'Near' }] };
    const answer = await call('POST', CLAIMS, { ...aClaim('bad'), spec });
    expect(answer).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
    expect(answer.body.message).toContain('NodeClaim.karpenter.sh "bad" is invalid: ');
    expect(answer.body.details.causes[0]).toMatchObject({
      reason: 'FieldValueNotSupported',
      field: 'spec.requirements[0].operator',
    });
  });

  it('fills in the defaults of a CRD and drops what it does not know', async () => {
    const call = callerOf(aSmallCluster());
    const { body } = await call('POST', CLAIMS, { ...aClaim('one'), nonsense: 1 });
    expect(body.spec.expireAfter).toBe('720h');
    expect(body.nonsense).toBeUndefined();
  });

  it('keeps spec and status apart, and counts generations by spec', async () => {
    const call = callerOf(aSmallCluster());
    const pools = '/apis/karpenter.sh/v1/nodepools';
    const nodeClassRef = aClaim('x').spec.nodeClassRef;
    const spec = { template: { spec: { nodeClassRef, requirements: [] } }, weight: 1 };
    await call('POST', pools, { metadata: { name: 'p' }, spec, status: { nodes: 3 } });
    expect((await call('GET', `${pools}/p`)).body.status).toBeUndefined();

    const both = { spec: { weight: 2 }, status: { nodes: 4 } };
    const main = await call('PATCH', `${pools}/p`, both, MERGE);
    expect(main.body).toMatchObject({ spec: { weight: 2 }, metadata: { generation: 2 } });
    expect(main.body.status).toBeUndefined();

    const part = await call('PATCH', `${pools}/p/status`, { ...both, spec: { weight: 9 } }, MERGE);
    expect(part.body).toMatchObject({
      spec: { weight: 2 },
      status: { nodes: 4 },
      metadata: { generation: 2 },
    });
  });

  it('leaves the resourceVersion alone where nothing changes, and raises it where something does', async () => {
    const call = callerOf(aSmallCluster());
    const made = await call('POST', MAPS, { metadata: { name: 'm' }, data: { a: '1' } });
    const same = await call('PATCH', `${MAPS}/m`, { data: { a: '1' } }, MERGE);
    expect(same.body.metadata.resourceVersion).toBe(made.body.metadata.resourceVersion);
    const other = await call('PATCH', `${MAPS}/m`, { data: { a: null, c: '3' } }, MERGE);
    expect(other.body.data).toEqual({ c: '3' });
    expect(Number(other.body.metadata.resourceVersion)).toBeGreaterThan(
      Number(made.body.metadata.resourceVersion),
    );
  });

  describe('of preconditions', () => {
    const setUp = async () => {
      const call = callerOf(aSmallCluster());
      const { body } = await call('POST', MAPS, { metadata: { name: 'm' }, data: { a: '1' } });
      await call('PATCH', `${MAPS}/m`, { data: { a: '2' } }, MERGE);
      return { call, stale: body.metadata.resourceVersion, uid: body.metadata.uid };
    };
    const OTHER_UID = '11111111-1111-1111-1111-111111111111';

    it('answers a stale resourceVersion with 409 Conflict', async () => {
      const { call, stale } = await setUp();
      const patch = { metadata: { resourceVersion: stale }, data: { b: '1' } };
      const conflict = { status: 409, body: { reason: 'Conflict' } };
      expect(await call('PATCH', `${MAPS}/m`, patch, MERGE)).toMatchObject(conflict);
      const whole = { metadata: { name: 'm', resourceVersion: stale }, data: {} };
      expect(await call('PUT', `${MAPS}/m`, whole)).toMatchObject(conflict);
    });

    it('answers a wrong uid with 422 for a merge patch, and with 409 for a PUT', async () => {
      const { call } = await setUp();
      const wrong = { metadata: { name: 'm', uid: OTHER_UID }, data: {} };
      expect(await call('PATCH', `${MAPS}/m`, wrong, MERGE)).toMatchObject({
        status: 422,
        body: { reason: 'Invalid', message: expect.stringContaining('field is immutable') },
      });
      expect(await call('PUT', `${MAPS}/m`, wrong)).toMatchObject({ status: 409 });
    });

    it('answers a failing test of a JSON patch with 422', async () => {
      const { call, stale } = await setUp();
      const test = { op: 'test', path: '/metadata/resourceVersion', value: stale };
      const add = { op: 'add', path: '/data/d', value: '1' };
      expect(await call('PATCH', `${MAPS}/m`, [test, add], JSON_PATCH)).toMatchObject({
        status: 422,
        body: {
          reason: 'Invalid',
          message: 'the server rejected our request due to an error in our request',
        },
      });
      expect(await call('PATCH', `${MAPS}/m`, [add], JSON_PATCH)).toMatchObject({
        status: 200,
        body: { data: { a: '2', d: '1' } },
      });
    });

    it('deletes only what was meant', async () => {
      const { call, stale, uid } = await setUp();
      const conflict = { status: 409, body: { reason: 'Conflict' } };
      const wrong = { preconditions: { uid: OTHER_UID } };
      expect(await call('DELETE', `${MAPS}/m`, wrong)).toMatchObject(conflict);
      const old = { preconditions: { uid, resourceVersion: stale } };
      expect(await call('DELETE', `${MAPS}/m`, old)).toMatchObject(conflict);
      expect((await call('DELETE', `${MAPS}/m`, { preconditions: { uid } })).status).toBe(200);
      expect((await call('GET', `${MAPS}/m`)).status).toBe(404);
    });
  });

  it('keeps an object with finalizers until they are gone, and takes no new ones by then', async () => {
    const call = callerOf(aSmallCluster());
    const node = aNodeManifest('f1', { finalizers: ['karpenter.sh/termination'] });
    await call('POST', '/api/v1/nodes', node);
    const deleted = await call('DELETE', '/api/v1/nodes/f1');
    expect(deleted).toMatchObject({
      status: 200,
      body: { metadata: { deletionTimestamp: expect.any(String) } },
    });
    const late = { metadata: { finalizers: ['karpenter.sh/termination', 'x.test/late'] } };
    expect(await call('PATCH', '/api/v1/nodes/f1', late, MERGE)).toMatchObject({
      status: 422,
      body: {
        message: expect.stringContaining(
          'no new finalizers can be added if the object is being deleted',
        ),
      },
    });
    const taint = { spec: { taints: [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }] } };
    expect((await call('PATCH', '/api/v1/nodes/f1', taint, MERGE)).status).toBe(200);
    const free = { metadata: { finalizers: null } };
    expect((await call('PATCH', '/api/v1/nodes/f1', free, MERGE)).status).toBe(200);
    expect((await call('GET', '/api/v1/nodes/f1')).status).toBe(404);
  });

  it('bears Nodes with a taint, and does not let their providerID change', async () => {
    const call = callerOf(aSmallCluster());
    const { body } = await call('POST', '/api/v1/nodes', {
      ...aNodeManifest('n'),
      spec: { providerID: 'aws:///us-east-1a/i-1' },
    });
    expect(body.spec.taints).toEqual([
      { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
    ]);
    const moved = { spec: { providerID: 'aws:///us-east-1a/i-2' } };
    expect((await call('PATCH', '/api/v1/nodes/n', moved, MERGE)).status).toBe(422);
  });

  it('refuses a nomination on a bound pod, and a name that no node can have', async () => {
    const world = aSmallCluster();
    const call = callerOf(world);
    await call('POST', PODS, aPodManifest('p', { schedulerName: 'nobody' }));
    const to = (nominatedNodeName: string) => ({ status: { nominatedNodeName } });
    expect((await call('PATCH', `${PODS}/p/status`, to('No Such/Name'), MERGE)).status).toBe(422);
    expect((await call('PATCH', `${PODS}/p/status`, to('e1'), MERGE)).status).toBe(200);
    await call('POST', `${PODS}/p/binding`, { target: { kind: 'Node', name: 'e1' } });
    const bound = await call('GET', `${PODS}/p`);
    expect(bound.body.spec.nodeName).toBe('e1');
    expect(bound.body.status.nominatedNodeName).toBeUndefined();
    expect(await call('PATCH', `${PODS}/p/status`, to('e2'), MERGE)).toMatchObject({
      status: 422,
      body: {
        message: expect.stringContaining('may not be set on pods that are already bound to a node'),
      },
    });
    const again = await call('POST', `${PODS}/p/binding`, { target: { name: 'e2' } });
    expect(again).toMatchObject({ status: 409, body: { reason: 'Conflict' } });
  });

  it('gives pods what every pod has', async () => {
    const call = callerOf(aSmallCluster());
    const { body } = await call('POST', PODS, aPodManifest('p'));
    expect(body.spec).toMatchObject({
      schedulerName: 'default-scheduler',
      terminationGracePeriodSeconds: 30,
      priority: 0,
      preemptionPolicy: 'PreemptLowerPriority',
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', tolerationSeconds: 300 },
        { key: 'node.kubernetes.io/unreachable', tolerationSeconds: 300 },
      ],
    });
    expect(body.status.phase).toBe('Pending');
  });

  it('takes the globalDefault PriorityClass for pods that name none', async () => {
    const world = aSmallCluster();
    world.cluster.apply({
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name: 'calm' },
      value: 0,
      globalDefault: true,
      preemptionPolicy: 'Never',
    });
    const { body } = await callerOf(world)('POST', PODS, aPodManifest('p'));
    expect(body.spec).toMatchObject({ priorityClassName: 'calm', preemptionPolicy: 'Never' });
  });

  it('does not let a pod change its mind', async () => {
    const call = callerOf(aSmallCluster());
    await call('POST', PODS, aPodManifest('p'));
    const other = { spec: { nodeSelector: { a: 'b' } } };
    expect((await call('PATCH', `${PODS}/p`, other, MERGE)).status).toBe(422);
    const labelled = { metadata: { labels: { a: 'b' } } };
    expect((await call('PATCH', `${PODS}/p`, labelled, MERGE)).status).toBe(200);
  });

  it.each([
    ['a quantity', { containers: [{ name: 'c', resources: { requests: { cpu: 'much' } } }] }],
    ['a list', { containers: 'none' }],
    ['a number', { containers: [{ name: 'c' }], priority: 'high' }],
  ])('refuses a pod whose spec has something else where %s belongs', async (_, spec) => {
    const call = callerOf(aSmallCluster());
    const answer = await call('POST', PODS, { metadata: { name: 'p' }, spec });
    expect(answer).toMatchObject({ status: 400, body: { reason: 'BadRequest' } });
  });

  it('tells Events in the words of the group that is asked', async () => {
    const call = callerOf(aSmallCluster());
    const events = '/apis/events.k8s.io/v1/namespaces/default/events';
    await call('POST', events, {
      metadata: { name: 'e' },
      regarding: { kind: 'Pod', name: 'p', namespace: 'default' },
      reason: 'Launched',
      note: 'it flies',
      reportingController: 'joinery',
    });
    const old = await call('GET', '/api/v1/namespaces/default/events/e');
    expect(old.body).toMatchObject({
      apiVersion: 'v1',
      involvedObject: { name: 'p' },
      message: 'it flies',
      reportingComponent: 'joinery',
    });
    const { body } = await call('GET', events, undefined, {
      query: { fieldSelector: 'regarding.name=p,reason=Launched' },
    });
    expect(body.items).toMatchObject([{ note: 'it flies', regarding: { name: 'p' } }]);
  });

  it('serves Leases with optimistic locking', async () => {
    const call = callerOf(aSmallCluster());
    const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
    const { body } = await call('POST', leases, {
      metadata: { name: 'joinery' },
      spec: { holderIdentity: 'a', leaseDurationSeconds: 15 },
    });
    const taken = { ...body, spec: { ...body.spec, holderIdentity: 'b' } };
    expect((await call('PUT', `${leases}/joinery`, taken)).status).toBe(200);
    expect((await call('PUT', `${leases}/joinery`, taken)).status).toBe(409);
    const { resourceVersion: _, ...metadata } = body.metadata;
    expect((await call('PUT', `${leases}/joinery`, { ...taken, metadata })).status).toBe(422);
  });

  it('does not do what is only tried', async () => {
    const call = callerOf(aSmallCluster());
    const query = { dryRun: 'All' };
    expect((await call('POST', MAPS, { metadata: { name: 'm' } }, { query })).status).toBe(201);
    expect((await call('GET', `${MAPS}/m`)).status).toBe(404);
  });
});
