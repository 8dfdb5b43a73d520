import { describe, expect, it } from 'vitest';
import { typedCall } from '#lib/aws/calls/call.ts';
import { parseSchedulerConfig } from '#lib/kube/decode/decode-scheduler-config.ts';
import { rememberSoldOut } from '#lib/kube/sold-out.ts';
import { claimRef } from '#lib/model/object-ref.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import { type ObserveOptions, observe } from '#lib/observe/observe.ts';
import { type ActingBench, anActingBench } from '#test/build/acting.ts';
import { settings } from '#test/build/aws-callers.ts';
import { aCondition } from '#test/build/node-pools.ts';
import { asking } from '#test/build/wire-objects.ts';

const look = (
  bench: ActingBench,
  options: ObserveOptions = {},
  difference: Partial<ClusterSettings> = {},
) =>
  bench.api.through(
    observe(
      {
        kube: bench.api.kube,
        aws: typedCall(bench.account.aws.call('adapter')),
        now: bench.api.now,
        settings: { cluster: { ...settings, ...difference } },
      },
      options,
    ),
  );

const AN_INSTANCE = {
  id: 'i-0123456789abcdef0',
  instanceType: 'm5.large',
  zone: 'us-east-1a',
  zoneId: 'use1-az1',
  capacityType: 'spot',
  imageId: 'ami-1',
} as const;

const selector = [{ tags: { 'karpenter.sh/discovery': 'demo' } }];
const aNodeClassManifest = {
  apiVersion: 'karpenter.k8s.aws/v1',
  kind: 'EC2NodeClass',
  metadata: { name: 'default' },
  spec: {
    role: 'nodes',
    amiSelectorTerms: [{ alias: 'al2023@latest' }],
    subnetSelectorTerms: selector,
    securityGroupSelectorTerms: selector,
  },
};

describe('observe', () => {
  it('reads every kind of the cluster into one Snapshot, as of before the first read', async () => {
    const bench = anActingBench();
    const before = bench.api.now();
    const spec = { containers: [asking('a', { cpu: '1' })] };
    for (const name of ['b', 'a']) {
      bench.api.cluster.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec });
    }
    const snapshot = await look(bench);

    expect(snapshot).toMatchObject({
      takenAt: before,
      nodePools: [{ meta: { name: 'default' } }],
      pods: [{ meta: { name: 'a' } }, { meta: { name: 'b' } }],
      leftOut: [],
      soldOut: [],
    });
    expect(snapshot.namespaces.map(({ meta }) => meta.name)).toContain('default');
  });

  it('reads Services and owners of pods only where pods that do not say so are to be spread', async () => {
    const bench = anActingBench();
    const service = { ports: [{ port: 80 }], selector: { app: 'web' } };
    bench.api.cluster.apply({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web' },
      spec: service,
    });
    const constraint = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' };
    const defaultSpread = parseSchedulerConfig(
      JSON.stringify({ podTopologySpread: { defaultConstraints: [constraint] } }),
    );
    if ('problem' in defaultSpread) throw new Error(defaultSpread.problem);

    expect((await look(bench)).workloadSelectors).toEqual([]);
    expect((await look(bench, {}, { defaultSpread })).workloadSelectors).toMatchObject([
      { kind: 'Service', meta: { name: 'web' } },
    ]);
  });

  it('does not ask EC2 for instances where no NodeClaim raises the question', async () => {
    const bench = anActingBench();
    const snapshot = await look(bench);

    expect(snapshot.instances).toBeUndefined();
    expect(await look(bench, { listInstances: true })).toHaveProperty('instances', []);
  });

  it('asks EC2 for instances where a launch was begun whose result is not written down', async () => {
    const bench = anActingBench();
    await bench.act([bench.toCreate('a')]);

    expect(await look(bench)).toHaveProperty('instances', []);
  });

  it('asks EC2 for instances where some were bought from a reservation, for who sees to those', async () => {
    const bench = anActingBench();
    await bench.act([bench.toCreate('a')]);
    const [claim] = bench.claims('a');
    if (claim === undefined) throw new Error('expected a claim');
    const labels = { 'karpenter.k8s.aws/capacity-reservation-id': 'cr-1' };
    const annotations = { 'joinery.dev/launch-group': null };
    await bench.act([{ kind: 'update', object: claimRef(claim), meta: { labels, annotations } }]);

    expect((await look(bench)).instances).toBeUndefined();
    expect(await look(bench, { marketUpkeep: true })).toHaveProperty('instances', []);
  });

  it.each([
    ['asks where a Node is not there a minute after its launch', undefined, 60, true],
    ['asks where a Node is not Ready a minute after its launch', 'Unknown', 60, true],
    ['does not ask where the Node is Ready', 'True', 60, false],
    ['does not ask where the Node may still be coming up', 'False', 59, false],
  ] as const)('about instances, %s', async (...given) => {
    const [, ready, seconds, asks] = given;
    const bench = anActingBench();
    const { api } = bench;
    await bench.act([bench.toCreate('a')]);
    const [claim] = bench.claims('a');
    if (claim === undefined) throw new Error('expected a claim');
    await bench.act([{ kind: 'adoptInstance', claim: claimRef(claim), instance: AN_INSTANCE }]);
    await bench.act([
      {
        kind: 'updateStatus',
        object: claimRef(bench.claims('a')[0] ?? claim),
        status: {
          conditions: [aCondition('Launched', { changedAt: api.now() - seconds * 1_000 })],
        },
      },
    ]);
    if (ready !== undefined) {
      api.cluster.apply({
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: 'a' },
        spec: { providerID: 'aws:///us-east-1a/i-0123456789abcdef0' },
        status: { conditions: [{ type: 'Ready', status: ready }] },
      });
    }

    expect((await look(bench)).instances !== undefined).toBe(asks);
  });

  it('goes on without the instances where EC2 does not answer, and says so', async () => {
    const bench = anActingBench();
    bench.account.aws.failNext({ name: 'DescribeInstances', code: 'InternalError', times: 1 });
    const snapshot = await look(bench, { listInstances: true });

    expect(snapshot.instances).toBeUndefined();
    expect(snapshot.leftOut).toMatchObject([
      { field: 'DescribeInstances', problem: expect.stringContaining('InternalError') },
    ]);
  });

  it('asks EC2 for instances where a Node that is being deleted is not heard of', async () => {
    const bench = anActingBench();
    const { cluster } = bench.api;
    const finalizers = ['karpenter.sh/termination'];
    cluster.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'a', finalizers } });
    expect((await look(bench)).instances).toBeUndefined();
    cluster.remove('Node', '', 'a');

    expect((await look(bench)).instances).toEqual([]);
  });

  it('asks AWS about a NodeClass whose present generation is not resolved, and about all if told to', async () => {
    const bench = anActingBench();
    bench.api.cluster.apply(aNodeClassManifest);
    const { nodeClassFacts, nodeClasses } = await look(bench);

    expect(nodeClassFacts).toMatchObject([{ nodeClass: 'default', subnets: [{}, {}] }]);
    const [nodeClass] = nodeClasses;
    if (nodeClass === undefined) throw new Error('expected a NodeClass');
    const { meta } = nodeClass;
    const { name, uid, resourceVersion, generation } = meta;
    const object = {
      apiVersion: 'karpenter.k8s.aws/v1',
      kind: 'EC2NodeClass',
      name,
      uid,
      resourceVersion,
    };
    const ready = {
      type: 'Ready',
      status: 'True',
      reason: 'Ready',
      message: '',
      changedAt: 0,
      observedGeneration: generation,
    } as const;
    await bench.act([{ kind: 'updateStatus', object, status: { conditions: [ready] } }]);

    expect((await look(bench)).nodeClassFacts).toEqual([]);
    expect((await look(bench, { resolveAllNodeClasses: true })).nodeClassFacts).toHaveLength(1);
  });

  it('heeds what is remembered as sold out', async () => {
    const bench = anActingBench();
    const { kube, now } = bench.api;
    const offering = {
      capacityType: 'spot',
      instanceType: 'm5.large',
      zone: 'us-east-1a',
    } as const;
    const until = now() + 60_000;
    const terms = { now: now(), until: () => until };
    await bench.api.through(rememberSoldOut(kube, [offering], terms));

    expect((await look(bench)).soldOut).toEqual([{ ...offering, until }]);
  });

  it('says what it may not list', async () => {
    const bench = anActingBench();
    const kube = async () => ({ status: 403, body: { reason: 'Forbidden', message: 'no' } });

    await expect(look({ ...bench, api: { ...bench.api, kube } })).rejects.toMatchObject({
      kind: 'denied',
    });
  });

  it('reads NodeOverlays, and CapacityBuffers with what they refer to, where the gates are open', async () => {
    const bench = anActingBench();
    const spec = { containers: [asking('a', { cpu: '1' })] };
    bench.api.cluster.apply({
      apiVersion: 'karpenter.sh/v1alpha1',
      kind: 'NodeOverlay',
      metadata: { name: 'cheap' },
      spec: { requirements: [], price: '0.5' },
    });
    bench.api.cluster.apply({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: 'web' } },
        template: { metadata: { labels: { app: 'web' } }, spec },
      },
    });
    for (const name of ['web', 'gone']) {
      bench.api.cluster.apply({
        apiVersion: 'autoscaling.x-k8s.io/v1beta1',
        kind: 'CapacityBuffer',
        metadata: { name },
        spec: { scalableRef: { apiGroup: 'apps', kind: 'Deployment', name }, percentage: 50 },
      });
    }
    const paths: string[] = [];
    const lookWith = (featureGates: ClusterSettings['featureGates'] = []) =>
      bench.api.through(
        observe({
          kube: (request) => {
            paths.push(request.path);
            return bench.api.kube(request);
          },
          aws: typedCall(bench.account.aws.call('adapter')),
          now: bench.api.now,
          settings: { cluster: { ...settings, featureGates } },
        }),
      );
    const closed = await lookWith();
    expect([closed.nodeOverlays, closed.capacityBuffers]).toEqual([[], []]);
    expect(paths.filter((path) => /overlay|buffer|deployments/.test(path))).toEqual([]);

    const open = await lookWith(['CapacityBuffer', 'NodeOverlay']);
    expect(open).toMatchObject({
      nodeOverlays: [{ meta: { name: 'cheap' }, price: '0.5' }],
      capacityBuffers: [{ meta: { name: 'gone' } }, { meta: { name: 'web' }, percentage: 50 }],
      bufferTargets: [
        {
          kind: 'Deployment',
          meta: { name: 'web' },
          replicas: 3,
          pod: { requests: { cpu: 1000 } },
        },
      ],
      leftOut: [],
    });
  });

  it('offers of reservations what is not promised, and nothing in zones that are shifted', async () => {
    const bench = anActingBench();
    const reservation = {
      id: 'cr-1',
      instanceType: 'm5.large',
      availabilityZone: 'us-east-1a',
      ownerID: '111122223333',
      instanceMatchCriteria: 'targeted',
      reservationType: 'default',
      state: 'active',
    };
    const resolved = { version: 1, freeAddresses: {}, availableInstances: { 'cr-1': 3 } };
    const subnets = ['a', 'b'].map((letter, at) => ({
      id: `subnet-${letter}`,
      zone: `us-east-1${letter}`,
      zoneID: `use1-az${at + 1}`,
    }));
    bench.api.cluster.apply({
      ...aNodeClassManifest,
      metadata: {
        name: 'default',
        annotations: { 'joinery.dev/resolved': JSON.stringify(resolved) },
      },
    });
    await bench.api.through(
      bench.api.kube({
        method: 'PATCH',
        path: '/apis/karpenter.k8s.aws/v1/ec2nodeclasses/default/status',
        contentType: 'application/merge-patch+json',
        body: { status: { subnets, capacityReservations: [reservation] } },
      }),
    );
    const requirements = [
      { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['reserved'] },
      { key: 'karpenter.k8s.aws/capacity-reservation-id', operator: 'In', values: ['cr-1'] },
    ] as const;
    const create = bench.toCreate('a');
    if (create.kind !== 'createNodeClaim') throw new Error('expected a creation');
    const spec = { ...create.claim.spec, requirements };
    await bench.act([{ ...create, claim: { ...create.claim, spec } }]);
    const zonalShiftArn = 'arn:aws:eks:us-east-1:111122223333:cluster/demo';
    const shifts = typedCall(async (name, input) => {
      if (name !== 'GetManagedResource') return await bench.account.aws.call('x')(name, input);
      return { autoshifts: [{ appliedStatus: 'APPLIED', awayFrom: 'use1-az2' }] };
    });
    const snapshot = await bench.api.through(
      observe({
        kube: bench.api.kube,
        aws: shifts,
        now: bench.api.now,
        settings: { cluster: { ...settings, zonalShiftArn } },
      }),
    );
    const m5 = snapshot.catalog.byNodeClass.get('default')?.find(({ name }) => name === 'm5.large');

    expect(snapshot.shiftedZones).toEqual(['use1-az2']);
    expect(
      m5?.offerings.map(({ zone, capacityType, available, reservationCapacity }) =>
        [zone, capacityType, available, reservationCapacity].join(' ').trim(),
      ),
    ).toEqual([
      'us-east-1a reserved true 2',
      'us-east-1b spot false',
      'us-east-1a spot true',
      'us-east-1a on-demand true',
      'us-east-1b on-demand false',
    ]);
  });
});
