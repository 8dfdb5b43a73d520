/**
 * Upstream's behaviours of NodeOverlays, static NodePools and CapacityBuffers, restated with our
 * builders. Source: karpenter v1.14, nodeoverlay/suite_test.go, static/*_test.go,
 * capacitybuffer/suite_test.go.
 */
import { describe, expect, it } from 'vitest';
import { desiredReplicas } from '#lib/decide/buffer-pods.ts';
import { decideConsolidate } from '#lib/decide/consolidate.ts';
import { place } from '#lib/decide/place.ts';
import { withCreated } from '#lib/decide/plan-ahead.ts';
import { decideProvision } from '#lib/decide/provision.ts';
import { staticShortfall } from '#lib/decide/static-pools.ts';
import { staticSurplus } from '#lib/decide/static-scale-down.ts';
import type { BufferTarget, CapacityBuffer } from '#lib/model/capacity-buffer.ts';
import { FOR_PODS } from '#lib/model/labels.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { NodeOverlay } from '#lib/model/node-overlay.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { overlaid } from '#lib/solver/overlays/overlay.ts';
import { overlaidPrice } from '#lib/solver/overlays/overlay-price.ts';
import { aCapacityBuffer } from '#test/build/capacity-buffers.ts';
import { spec } from '#test/build/constraints.ts';
import { aCatalog, anInstanceType } from '#test/build/instance-types.ts';
import { aNewClaim, aNodeClaim, conditionsUpTo } from '#test/build/node-claims.ts';
import { aNodeOverlay } from '#test/build/node-overlays.ts';
import { aCondition, aNodeClass, aNodePool } from '#test/build/node-pools.ts';
import { aNode, anInFlightNode, aStateNode } from '#test/build/nodes.ts';
import { aNamespacedMeta, GIB, NOON, ownedBy } from '#test/build/objects.ts';
import { aPod, aRunningPod } from '#test/build/pods.ts';
import { aSnapshot, someSettings } from '#test/build/snapshots.ts';

const open = someSettings({
  featureGates: ['CapacityBuffer', 'NodeOverlay', 'StaticCapacity'],
});
const types = [
  anInstanceType('m5.large', { cpu: 2, usdPerHour: 0.1 }),
  anInstanceType('m5.xlarge', { cpu: 4, usdPerHour: 0.2 }),
];
const overlay = (name: string, difference: Parameters<typeof aNodeOverlay>[0]): NodeOverlay =>
  aNodeOverlay({ ...difference, meta: { name } });

describe('10.13 NodeOverlays', () => {
  const made = (overlays: readonly NodeOverlay[], difference: Partial<Snapshot> = {}) =>
    overlaid(
      aSnapshot({
        settings: open,
        catalog: aCatalog(types),
        nodeOverlays: overlays,
        ...difference,
      }),
    );
  const typeIn = (result: ReturnType<typeof made>, name: string, pool = 'default') => {
    const { byNodePool, byNodeClass } = result.snapshot.catalog;
    const list = byNodePool?.get(pool) ?? byNodeClass.get('default') ?? [];
    return list.find((type) => type.name === name);
  };
  const priceOf = (
    result: ReturnType<typeof made>,
    name: string,
    { zone = 'us-east-1a', capacityType = 'on-demand', pool = 'default' } = {},
  ) =>
    typeIn(result, name, pool)?.offerings.find(
      (each) => each.zone === zone && each.capacityType === capacityType,
    )?.usdPerHour;
  const verdicts = ({ judged }: ReturnType<typeof made>) =>
    Object.fromEntries(
      judged.map(({ overlay: { meta }, problem }) => [meta.name, problem?.reason ?? 'valid']),
    );
  const onLarge = [spec('node.kubernetes.io/instance-type In m5.large')];
  const onBoth = [spec('node.kubernetes.io/instance-type In m5.large m5.xlarge')];

  it.each([
    [10, { priceAdjustment: '-10%' }, 9],
    [10, { priceAdjustment: '+100%' }, 20],
    [10, { priceAdjustment: '-200%' }, 0],
    [10, { priceAdjustment: '+5' }, 15],
    [10, { priceAdjustment: '-15' }, 0],
    [10, { price: '80.0' }, 80],
    [10, { price: '', priceAdjustment: '' }, 10],
    [1.5, { priceAdjustment: '-25%' }, 1.125],
  ])('172: %d changed by %j is %d', (base, change, expected) => {
    expect(overlaidPrice(base, change)).toBe(expected);
  });

  it('173: of two overlays of one weight the later by name, from z to a, is in conflict', () => {
    const both = (weightA: number, weightB: number, priceB = '2') =>
      made([
        overlay('overlay-a', { requirements: onLarge, price: '1', weight: weightA }),
        overlay('overlay-b', { requirements: onBoth, price: priceB, weight: weightB }),
      ]);
    const alike = both(10, 10);

    expect(verdicts(alike)).toEqual({ 'overlay-a': 'Conflict', 'overlay-b': 'valid' });
    expect([priceOf(alike, 'm5.large'), priceOf(alike, 'm5.xlarge')]).toEqual([2, 2]);
    expect(verdicts(both(10, 10, '1'))['overlay-a']).toBe('Conflict');

    const heavier = both(20, 10);
    expect(verdicts(heavier)).toEqual({ 'overlay-a': 'valid', 'overlay-b': 'valid' });
    expect([priceOf(heavier, 'm5.large'), priceOf(heavier, 'm5.xlarge')]).toEqual([1, 2]);
  });

  it('174: an overlay in conflict over one type is applied to none', () => {
    const result = made([
      overlay('a', { requirements: onBoth, price: '1', weight: 10 }),
      overlay('b', { requirements: onLarge, price: '2', weight: 10 }),
    ]);

    expect(verdicts(result)).toEqual({ a: 'Conflict', b: 'valid' });
    expect([priceOf(result, 'm5.large'), priceOf(result, 'm5.xlarge')]).toEqual([2, 0.2]);
  });

  it('175: capacity of different resources is merged, of one resource in conflict', () => {
    const two = (first: string, second: string) =>
      made([
        overlay('a', { requirements: onLarge, capacity: { [first]: 3 }, weight: 10 }),
        overlay('b', { requirements: onLarge, capacity: { [second]: 3 }, weight: 10 }),
      ]);
    const merged = two('acme/fpga', 'acme/dsp');

    expect(verdicts(merged)).toEqual({ a: 'valid', b: 'valid' });
    expect(typeIn(merged, 'm5.large')?.capacity).toMatchObject({ 'acme/fpga': 3, 'acme/dsp': 3 });
    expect(typeIn(merged, 'm5.large')?.allocatable).toMatchObject({ 'acme/fpga': 3 });
    expect(verdicts(two('acme/fpga', 'acme/fpga'))).toEqual({ a: 'Conflict', b: 'valid' });
  });

  it('176: an overlay is about the zone, capacity type, pool or label that it names', () => {
    const zonal = made([
      overlay('a', {
        requirements: [spec('topology.kubernetes.io/zone In us-east-1b')],
        price: '9',
      }),
    ]);
    expect([
      priceOf(zonal, 'm5.large'),
      priceOf(zonal, 'm5.large', { zone: 'us-east-1b' }),
    ]).toEqual([0.1, 9]);

    const spot = made([
      overlay('a', { requirements: [spec('karpenter.sh/capacity-type In spot')], price: '9' }),
    ]);
    expect([
      priceOf(spot, 'm5.large'),
      priceOf(spot, 'm5.large', { capacityType: 'spot' }),
    ]).toEqual([0.1, 9]);

    const nodePools = [
      aNodePool(),
      aNodePool({ meta: { name: 'other' }, template: { labels: { team: 'a' } } }),
    ];
    for (const line of ['karpenter.sh/nodepool In other', 'team In a']) {
      const pooled = made([overlay('a', { requirements: [spec(line)], price: '9' })], {
        nodePools,
      });
      expect([priceOf(pooled, 'm5.large'), priceOf(pooled, 'm5.large', { pool: 'other' })]).toEqual(
        [0.1, 9],
      );
    }
  });

  it('177: a NodePool without types keeps no other from its overlays, and is none the worse (upstream withholds it; here overlays are applied anew at each look)', () => {
    const nodePools = [
      aNodePool(),
      aNodePool({
        meta: { name: 'typeless' },
        template: {
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'unresolved' },
        },
      }),
    ];
    const result = made([overlay('a', { requirements: onLarge, price: '9' })], { nodePools });

    expect(verdicts(result)).toEqual({ a: 'valid' });
    expect(priceOf(result, 'm5.large')).toBe(9);
  });

  it('says nothing of types without an offering that it is about, capacity included', () => {
    const result = made([
      overlay('a', {
        requirements: [spec('topology.kubernetes.io/zone In us-east-1z')],
        capacity: { 'acme/fpga': 1 },
      }),
    ]);

    expect(result.snapshot.catalog.byNodePool?.size).toBe(0);
  });

  it('takes huge pages that it adds off the memory', () => {
    const result = made([overlay('a', { capacity: { 'hugepages-2Mi': 2 * GIB } })]);

    expect(typeIn(result, 'm5.large')?.allocatable).toMatchObject({
      memory: 6 * GIB,
      'hugepages-2Mi': 2 * GIB,
    });
  });

  it('is believed by packing and marks the claims that it bears on', () => {
    const snapshot = aSnapshot({
      settings: open,
      catalog: aCatalog(types),
      nodeClasses: [aNodeClass()],
      pods: [aPod({ requests: { cpu: 1000, 'acme/fpga': 1 } })],
      nodeOverlays: [
        overlay('cheap', {
          requirements: [spec('node.kubernetes.io/instance-type In m5.xlarge')],
          price: '0.001',
        }),
        overlay('fpga', { requirements: onBoth, capacity: { 'acme/fpga': 1 }, weight: 1 }),
      ],
    });
    const plan = decideProvision(snapshot);

    expect(plan.nodeClaims).toMatchObject([
      { cheapest: { instanceType: 'm5.xlarge' }, usdPerHour: 0.001 },
    ]);
    const [creation] = plan.actions.filter(({ kind }) => kind === 'createNodeClaim');
    expect(creation).toMatchObject({
      claim: {
        annotations: {
          'karpenter.sh/price-overlay-applied': 'true',
          'karpenter.sh/capacity-overlay-applied': 'true',
        },
      },
    });
    const statuses = plan.actions.filter(
      (action) => action.kind === 'updateStatus' && action.object.kind === 'NodeOverlay',
    );
    expect(statuses).toHaveLength(2);
    expect(statuses[0]).toMatchObject({
      status: {
        conditions: [
          { type: 'Ready', status: 'True' },
          { type: 'ValidationSucceeded', status: 'True' },
        ],
      },
    });
  });

  it('is not heeded while its gate is closed, and the plan says so', () => {
    const plan = decideProvision(
      aSnapshot({ pods: [aPod()], nodeOverlays: [overlay('a', { price: '7' })] }),
    );

    expect(plan.usdPerHour).toBeLessThan(1);
    expect(plan.warnings).toContain(
      'NodeOverlay a is not heeded: the feature gate NodeOverlay is off',
    );
  });

  it('is discarded with a sentence where an API server of old let it pass', () => {
    const result = made([overlay('a', { capacity: { memory: 1 }, price: '1' })]);

    expect(result.judged[0]?.problem).toEqual({
      reason: 'RuntimeValidation',
      message: 'invalid capacity: memory in resource, restricted',
    });
  });
});

describe('10.13 static NodePools', () => {
  const pool = (replicas: number, limits: Record<string, number> = {}) =>
    aNodePool({ meta: { name: 'fixed' }, replicas, limits });
  const memberLabels = { 'karpenter.sh/nodepool': 'fixed' };
  const member = (
    name: string,
    pods: readonly Pod[] = [],
    claim: Partial<NodeClaim['meta']> = {},
  ) =>
    aStateNode({
      node: aNode({
        meta: { name, labels: memberLabels },
        providerId: `aws:///us-east-1a/i-${name}`,
      }),
      claim: aNodeClaim({
        meta: { name: `claim-of-${name}`, labels: memberLabels, ...claim },
        status: { nodeName: name, providerId: `aws:///us-east-1a/i-${name}` },
      }),
      pods,
    });
  const members = (count: number) => Array.from({ length: count }, (_, at) => member(`n-${at}`));
  const staticCluster = (nodePool: NodePool, nodes: readonly StateNode[] = [], more = {}) =>
    aSnapshot({ settings: open, nodePools: [nodePool], nodes, pods: [], ...more });
  const planOf = (...cluster: Parameters<typeof staticCluster>) =>
    decideProvision(staticCluster(...cluster));

  it('178: NodeClaims are made up to replicas, within the limit on nodes', () => {
    expect(planOf(pool(2)).nodeClaims).toHaveLength(2);
    expect(planOf(pool(3), members(1)).nodeClaims).toHaveLength(2);
    expect(planOf(pool(0)).nodeClaims).toHaveLength(0);

    const none = planOf(pool(2, { nodes: 1 }), members(1));
    expect(none.nodeClaims).toHaveLength(0);
    expect(staticShortfall(staticCluster(pool(2, { nodes: 1 }), members(1))).lookAgainInMs).toBe(
      30_000,
    );
    expect(none.warnings).toContain(
      'NodePool fixed lacks 1 of its 2 nodes: its limits allow no more',
    );

    expect(planOf(pool(15, { nodes: 10 }), members(3)).nodeClaims).toHaveLength(7);

    const going = member('n-9', [], { deletedAt: NOON });
    expect(planOf(pool(2, { nodes: 2 }), [going]).nodeClaims).toHaveLength(1);
  });

  it('178: they are bare: no type, no pod, no requests, and no word of minimums', () => {
    const { actions } = planOf(pool(1));
    const [creation] = actions.filter((action) => action.kind === 'createNodeClaim');

    expect(creation?.claim.spec.requests).toEqual({});
    expect(creation?.claim.spec.requirements.map(({ key }) => key)).toEqual([
      'karpenter.k8s.aws/ec2nodeclass',
      'karpenter.sh/nodepool',
    ]);
    const annotations = Object.keys(creation?.claim.annotations ?? {});

    expect(annotations).toContain('karpenter.sh/nodepool-hash');
    expect(annotations).not.toContain('karpenter.sh/nodeclaim-min-values-relaxed');
    expect(annotations).not.toContain(FOR_PODS);
  });

  it('178: the same look gives the same names, so that doing it twice makes no more', () => {
    const names = () => planOf(pool(3)).nodeClaims.map(({ name }) => name);

    expect(names()).toEqual(names());
    expect(new Set(names()).size).toBe(3);
  });

  it('178: what is to be replaced counts as there (upstream leaves it out of the amount)', () => {
    const marked = member('n-9');
    const claim = {
      ...aNodeClaim({ meta: { name: 'm', labels: memberLabels } }),
      status: {
        ...aNodeClaim().status,
        conditions: [aCondition('DisruptionReason'), ...aNodeClaim().status.conditions],
      },
    };

    expect(planOf(pool(3), [...members(1), { ...marked, claim }]).nodeClaims).toHaveLength(1);
  });

  it('178: neither before the NodePool is ready nor while its gate is closed', () => {
    const conditions = [aCondition('Ready', { status: 'False' })];
    const unready = planOf({ ...pool(2), status: { resources: {}, nodes: 0, conditions } });

    expect(unready.nodeClaims).toEqual([]);
    expect(unready.warnings).toEqual(['NodePool fixed lacks 2 of its 2 nodes: it is not ready']);

    const closed = planOf(pool(2), [], { settings: someSettings() });
    expect(closed.nodeClaims).toEqual([]);
    expect(closed.warnings).toEqual([
      'NodePool fixed (replicas) is not heeded: the feature gate StaticCapacity is off',
    ]);
  });

  it('178: its nodes are hosts like others, and it makes none for pods', () => {
    const small = planOf(pool(1), members(1), { pods: [aPod({ requests: { cpu: 500 } })] });
    expect(small.placements).toEqual([{ pod: 'default/web-1', node: 'n-0' }]);

    const large = planOf(pool(1), members(1), { pods: [aPod({ requests: { cpu: 8000 } })] });
    expect(large.refused[0]?.nodePools).toMatchObject([
      { because: 'it has a fixed number of replicas and makes no nodes for pods' },
    ]);
  });

  it('178: limits in dollars count what a static NodePool takes in the same look', () => {
    const plan = planOf(pool(2), [], {
      nodePools: [pool(2), aNodePool()],
      catalog: aCatalog([anInstanceType('m5.large', { usdPerHour: 0.1 })]),
      settings: { ...open, limitUsdPerHour: 0.25 },
      pods: [aPod()],
    });

    expect(plan.nodeClaims.map(({ nodePool }) => nodePool)).toEqual(['fixed', 'fixed']);
    expect(plan.refused[0]?.because).toContain('the limit of all NodePools leaves $0.0500/h');
  });

  it('179: those that go first: never joined, only daemons, cheap to move, dear, protected', () => {
    const daemon = aRunningPod({ meta: { owners: [ownedBy('DaemonSet')] } });
    const pods = (count: number, annotations = {}) =>
      Array.from({ length: count }, (_, at) =>
        aRunningPod({ meta: { name: `p-${at}`, annotations } }),
      );
    const unjoined = anInFlightNode(aNewClaim({ meta: { name: 'z-new', labels: memberLabels } }));
    const nodes = [
      member('a-guarded', pods(1, { 'karpenter.sh/do-not-disrupt': 'true' })),
      member('b-dear', pods(3)),
      member('c-cheap', pods(1)),
      member('d-daemons', [daemon]),
      unjoined,
    ];
    const goingAt = (replicas: number) =>
      staticSurplus(staticCluster(pool(replicas), nodes)).actions.flatMap((action) =>
        action.kind === 'delete' ? [action.object.name] : [],
      );
    const order = [
      'z-new',
      'claim-of-d-daemons',
      'claim-of-c-cheap',
      'claim-of-b-dear',
      'claim-of-a-guarded',
    ];

    for (const replicas of [4, 3, 2, 1, 0]) {
      expect(goingAt(replicas)).toEqual(order.slice(0, 5 - replicas));
    }
    expect(staticSurplus(staticCluster(pool(3), nodes)).commands).toMatchObject([
      { reason: 'ScaledDown', remove: ['z-new'] },
      { reason: 'ScaledDown', remove: ['d-daemons'], podsMoved: 0, savesUsdPerHour: 0.1 },
    ]);
  });
});

describe('10.13 CapacityBuffers', () => {
  const template = aPod({ meta: { name: 'template' }, requests: { cpu: 1000, memory: GIB } });
  const target = (
    kind: BufferTarget['kind'],
    { replicas = 1, requests = { cpu: 1000, memory: GIB } } = {},
  ): BufferTarget => ({
    kind,
    meta: aNamespacedMeta('web', { generation: 4 }),
    replicas,
    pod: { ...template, requests: { pods: 1, ...requests } },
  });
  const room = (difference: Partial<CapacityBuffer> = {}) =>
    aCapacityBuffer({ podTemplate: 'web', ...difference });
  const scaled = (difference: Partial<CapacityBuffer>): CapacityBuffer => {
    const { podTemplate: _, ...rest } = room(difference);
    return { ...rest, scalable: { apiGroup: 'apps', kind: 'Deployment', name: 'web' } };
  };
  const planOf = (difference: Partial<Snapshot>) =>
    decideProvision(
      aSnapshot({
        settings: open,
        catalog: aCatalog(types),
        bufferTargets: [target('PodTemplate')],
        ...difference,
      }),
    );
  const statusOf = (plan: ReturnType<typeof planOf>) => {
    const [status] = plan.actions.flatMap((action) =>
      action.kind === 'updateStatus' && action.object.kind === 'CapacityBuffer'
        ? [action.status]
        : [],
    );
    const conditions = (status?.conditions ?? []).map(
      ({ type, status: is, reason }) => `${type}=${is} ${reason}`,
    );
    return { ...status, conditions };
  };

  it.each<[string, Partial<CapacityBuffer>, number, number]>([
    ['replicas 7', { replicas: 7 }, 1000, 7],
    ['replicas 10 within 3 cpu', { replicas: 10, limits: { cpu: 3000 } }, 1000, 3],
    ['5 cpu alone', { limits: { cpu: 5000 } }, 1000, 5],
    ['10 cpu at 3 cpu', { limits: { cpu: 10_000 } }, 3000, 3],
    ['1 cpu at 2 cpu', { limits: { cpu: 1000 } }, 2000, 0],
    ['limits on what nobody asks for', { limits: { 'acme/fpga': 3 } }, 1000, 0],
    [
      'replicas, and limits on what nobody asks for',
      { replicas: 2, limits: { 'acme/fpga': 0 } },
      1000,
      2,
    ],
  ])('180: %s', (_, difference, cpu, wanted) => {
    expect(
      desiredReplicas(room(difference), target('PodTemplate', { requests: { cpu, memory: GIB } })),
    ).toBe(wanted);
  });

  it.each<[string, Partial<CapacityBuffer>, number, number]>([
    ['20 % of 10', { percentage: 20 }, 10, 2],
    ['replicas 5, 20 % of 10', { replicas: 5, percentage: 20 }, 10, 5],
    ['replicas 5, 80 % of 10', { replicas: 5, percentage: 80 }, 10, 8],
    [
      'replicas 5, 80 % of 10 within 4 cpu',
      { replicas: 5, percentage: 80, limits: { cpu: 4000 } },
      10,
      4,
    ],
    ['10 % of 1', { percentage: 10 }, 1, 1],
    ['50 % of 0', { percentage: 50 }, 0, 0],
    ['0 % of 5', { percentage: 0 }, 5, 0],
    ['200 % of 5', { percentage: 200 }, 5, 10],
  ])('180: %s', (_, difference, replicas, wanted) => {
    expect(desiredReplicas(scaled(difference), target('Deployment', { replicas }))).toBe(wanted);
  });

  it('keeps room on new nodes, under names of their own, and says so in its status', () => {
    const plan = planOf({ capacityBuffers: [room({ replicas: 3 })] });

    expect(plan.nodeClaims.flatMap(({ pods }) => pods).sort()).toEqual([
      'default/capacity-buffer-room-1',
      'default/capacity-buffer-room-2',
      'default/capacity-buffer-room-3',
    ]);
    expect(plan.buffers).toEqual([
      { buffer: 'default/room', replicas: 3, onNodes: 0, onNewNodes: 3, refused: 0 },
    ]);
    expect(statusOf(plan)).toMatchObject({
      replicas: 3,
      podTemplateName: 'web',
      podTemplateGeneration: 4,
      conditions: ['Provisioning=False RequiresNewCapacity', 'ReadyForProvisioning=True Resolved'],
    });
    expect(plan.actions.some(({ kind }) => kind === 'recordEvent')).toBe(false);
    expect(plan.lowerBoundUsdPerHour).toBeGreaterThan(0);
    expect(plan.lowerBoundUsdPerHour).toBeLessThanOrEqual(plan.usdPerHour);
  });

  it('keeps room on nodes that are there, which then are not empty', () => {
    const idle = {
      ...aStateNode(),
      claim: aNodeClaim({
        status: {
          nodeName: 'node-1',
          conditions: [...conditionsUpTo('Initialized'), aCondition('Consolidatable')],
        },
      }),
    };
    const kept = planOf({ nodes: [idle], capacityBuffers: [room({ replicas: 2 })] });

    expect(kept.buffers).toMatchObject([{ onNodes: 2, onNewNodes: 0 }]);
    expect(statusOf(kept).conditions).toContain('Provisioning=True FitsExistingCapacity');
    const leaving = (capacityBuffers: readonly CapacityBuffer[]) =>
      decideConsolidate(
        aSnapshot({
          settings: open,
          nodes: [idle],
          bufferTargets: [target('PodTemplate')],
          capacityBuffers,
        }),
      ).commands.length;
    expect([leaving([]), leaving([room({ replicas: 2 })])]).toEqual([1, 0]);
  });

  it('places pods that are really there first (upstream sorts both by size)', () => {
    const plan = planOf({
      nodes: [aStateNode()],
      pods: [aPod({ requests: { cpu: 500 } })],
      bufferTargets: [target('PodTemplate', { requests: { cpu: 2000, memory: GIB } })],
      capacityBuffers: [room({ replicas: 1 })],
    });

    expect(plan.placements).toEqual([{ pod: 'default/web-1', node: 'node-1' }]);
    expect(plan.buffers).toMatchObject([{ onNodes: 0, onNewNodes: 1 }]);
  });

  it('fills what the nodes for real pods leave before it asks for more', () => {
    const plan = planOf({
      pods: [aPod({ requests: { cpu: 2500 } })],
      capacityBuffers: [room({ replicas: 1 })],
    });

    expect(plan.nodeClaims).toHaveLength(1);
    expect(plan.buffers).toMatchObject([{ onNodes: 0, onNewNodes: 1, refused: 0 }]);
  });

  it('never takes what a limit leaves from pods that are really there', () => {
    const plan = planOf({
      nodePools: [aNodePool({ limits: { nodes: 1 } })],
      pods: [aPod({ requests: { cpu: 3500 } })],
      capacityBuffers: [room({ replicas: 2 })],
    });

    expect(plan.refused).toEqual([]);
    expect(plan.nodeClaims.map(({ pods }) => pods)).toEqual([['default/web-1']]);
    expect(plan.buffers).toMatchObject([{ refused: 2 }]);
    expect(plan.warnings[0]).toMatch(
      /^CapacityBuffer default\/room: no room can be kept for 2 of its 2 pods: .*node limits/,
    );
  });

  it('looks again at what it planned without planning more', () => {
    const snapshot = aSnapshot({
      settings: open,
      catalog: aCatalog(types),
      bufferTargets: [target('PodTemplate')],
      capacityBuffers: [room({ replicas: 3 })],
    });
    const { creations } = place(snapshot);
    const next = withCreated(snapshot, creations);

    expect(creations).not.toHaveLength(0);
    expect(place(next).creations).toEqual([]);
  });

  it('draws no more on a reservation than pods that are really there have left of it', () => {
    const bought = anInstanceType('m5.large', { capacityTypes: ['on-demand', 'reserved'] });
    const offerings = bought.offerings
      .filter(({ capacityType, zone }) => capacityType === 'on-demand' || zone === 'us-east-1a')
      .map((each) =>
        each.capacityType === 'reserved'
          ? { ...each, usdPerHour: 0, reservationId: 'cr-1', reservationCapacity: 2 }
          : each,
      );
    const plan = planOf({
      catalog: aCatalog([{ ...bought, offerings }]),
      pods: [aPod({ requests: { cpu: 2000 } })],
      bufferTargets: [target('PodTemplate', { requests: { cpu: 2000, memory: GIB } })],
      capacityBuffers: [room({ replicas: 2 })],
    });
    const capacityTypes = plan.nodeClaims.map(({ cheapest }) => cheapest.capacityType).sort();

    expect(capacityTypes).toEqual(['on-demand', 'reserved', 'reserved']);
  });

  it.each<[string, CapacityBuffer, string]>([
    ['its template', room({ podTemplate: 'gone', replicas: 1 }), 'PodTemplateNotFound'],
    ['its workload', scaled({ percentage: 10 }), 'ScalableRefNotFound'],
    [
      'the kind of its workload',
      { ...scaled({}), scalable: { kind: 'CronJob', name: 'web' } },
      'ResolutionFailed',
    ],
  ])('says that %s was not found', (_, buffer, reason) => {
    const plan = planOf({ capacityBuffers: [buffer], bufferTargets: [target('PodTemplate')] });

    expect(statusOf(plan).conditions).toEqual([
      'Provisioning=False NotReadyForProvisioning',
      `ReadyForProvisioning=False ${reason}`,
    ]);
    expect(plan.warnings).toHaveLength(1);
  });

  it('says that it is empty, and leaves buffers of other strategies to others', () => {
    expect(statusOf(planOf({ capacityBuffers: [room({ replicas: 0 })] })).conditions).toContain(
      'Provisioning=False BufferEmpty',
    );
    const foreign = planOf({
      capacityBuffers: [room({ replicas: 9, provisioningStrategy: 'acme/own' })],
    });
    expect([foreign.nodeClaims, statusOf(foreign).conditions]).toEqual([[], []]);
  });
});
