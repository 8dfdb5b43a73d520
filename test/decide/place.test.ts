import { describe, expect, it } from 'vitest';
import { place } from '#lib/decide/place.ts';
import type { Action } from '#lib/model/plan.ts';
import { spec } from '#test/build/constraints.ts';
import { aCatalog, anInstanceType } from '#test/build/instance-types.ts';
import { aNewClaim, aNodeClaim } from '#test/build/node-claims.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { aNode, anInFlightNode, aStateNode } from '#test/build/nodes.ts';
import { GIB, NOON } from '#test/build/objects.ts';
import { aPod, aPodDisruptionBudget, aRunningPod, somePods } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

const claimsOf = (actions: readonly Action[]) =>
  actions.flatMap((action) => (action.kind === 'createNodeClaim' ? [action.claim] : []));
const named = (name: string, difference: Parameters<typeof aPod>[0] = {}) =>
  aPod({ ...difference, meta: { ...difference.meta, name } });
const requiring = (topologyKey: string, matchLabels = {}) => ({
  required: [{ topologyKey, namespaces: [], selector: { matchLabels, matchExpressions: [] } }],
  preferred: [],
});

describe('place', () => {
  it('gives every pod without a node a place on a new one', () => {
    const { claims, refused } = place(aSnapshot({ pods: somePods(3) }));

    expect(claims.flatMap(({ pods }) => pods).sort()).toEqual([
      'default/web-1',
      'default/web-2',
      'default/web-3',
    ]);
    expect(refused).toEqual([]);
  });

  it('puts nothing on a node that could not be read, since nobody knows what it has left', () => {
    const joined = aNodeClaim({ meta: { name: 'default-1' }, status: { nodeName: 'ip-1' } });
    const unread = {
      object: { apiVersion: 'v1', kind: 'Node', name: 'ip-1' },
      field: 'status.allocatable.cpu',
      problem: 'found "lots"',
    };
    const nodes = [anInFlightNode(joined)];

    expect(place(aSnapshot({ pods: somePods(1), nodes })).placements).toHaveLength(1);
    expect(place(aSnapshot({ pods: somePods(1), nodes, leftOut: [unread] })).claims).toHaveLength(
      1,
    );
  });

  it('names a claim by its pool and pods, and salts the name where it is taken', () => {
    const [first] = place(aSnapshot({ pods: somePods(1) })).claims;
    const taken = aNodeClaim({
      meta: { name: first?.name ?? '', deletedAt: NOON },
      status: { providerId: 'aws:///us-east-1a/i-1' },
    });
    const [second] = place(aSnapshot({ pods: somePods(1), nodes: [anInFlightNode(taken)] })).claims;

    expect(first?.name).toMatch(/^default-[a-z0-9]{5}$/);
    expect(second?.name).toMatch(/^default-[a-z0-9]{5}$/);
    expect(second?.name).not.toBe(first?.name);
  });

  it('makes claims that ask for the same one launch group, others another', () => {
    const alike = somePods(3, { requests: { cpu: 15_500 } });
    const other = named('other', {
      requests: { cpu: 15_500 },
      nodeSelector: { 'topology.kubernetes.io/zone': 'us-east-1b' },
    });
    const { creations } = place(aSnapshot({ pods: [...alike, other] }));
    const groups = claimsOf(creations).map(
      ({ annotations }) => annotations['joinery.dev/launch-group'],
    );

    expect(new Set(groups).size).toBe(2);
    expect(groups.filter((group) => group?.endsWith('/3'))).toHaveLength(3);
    expect(groups.filter((group) => group?.endsWith('/1'))).toHaveLength(1);
  });

  it('gives a claim the hash of its EC2NodeClass, by which it is known to have drifted', () => {
    const [claim] = claimsOf(place(aSnapshot({ pods: somePods(1) })).creations);

    expect(claim?.annotations).toMatchObject({
      'karpenter.k8s.aws/ec2nodeclass-hash': expect.stringMatching(/^[0-9a-z]{20}$/),
      'karpenter.k8s.aws/ec2nodeclass-hash-version': 'joinery-v1',
      'karpenter.k8s.aws/instance-profile-name': 'test_profile',
    });
  });

  it('makes nothing more at the next look, however the claims were packed', () => {
    const pods = [1900, 1300, 1200, 700, 600, 500, 400, 300].map((cpu, at) =>
      named(`web-${at}`, { requests: { cpu, memory: GIB / 4 } }),
    );
    const before = place(aSnapshot({ pods }));
    const nodes = claimsOf(before.creations).map(({ name, labels, annotations, spec: asked }) =>
      anInFlightNode({
        ...aNewClaim({ meta: { name, annotations } }),
        meta: { ...aNewClaim({ meta: { name, annotations } }).meta, labels },
        spec: asked,
      }),
    );
    const after = place(aSnapshot({ pods, nodes }));

    expect(before.claims.length).toBeGreaterThan(0);
    expect(after.claims).toEqual([]);
    expect(after.placements).toHaveLength(pods.length);
    expect(after.placements.map(({ pod, nodeClaim }) => [pod, nodeClaim])).toEqual(
      before.claims
        .flatMap(({ name, pods: members }) => members.map((pod) => [pod, name]))
        .sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
    );
  });

  it('moves pods off a node that is being deleted, but for those that may not go', () => {
    const pods = [
      aRunningPod({ meta: { name: 'free' } }),
      aRunningPod({
        meta: { name: 'kept', annotations: { 'karpenter.sh/do-not-disrupt': 'true' } },
      }),
      aRunningPod({ meta: { name: 'guarded', labels: { app: 'db' } } }),
    ];
    const budget = aPodDisruptionBudget({
      selector: { matchLabels: { app: 'db' }, matchExpressions: [] },
      maxUnavailable: '0',
    });
    const going = aStateNode({ claim: aNodeClaim({ meta: { deletedAt: NOON } }), pods });
    const { claims } = place(aSnapshot({ nodes: [going], podDisruptionBudgets: [budget] }));

    expect(claims.flatMap((claim) => claim.pods)).toEqual(['default/free']);
  });

  it('leaves a pod alone that is nominated, and keeps its room', () => {
    const { placements, claims } = place(
      aSnapshot({
        nodes: [aStateNode()],
        pods: [
          named('preempting', { requests: { cpu: 1500 }, nominatedNodeName: 'node-1' }),
          named('web', { requests: { cpu: 1000 } }),
        ],
      }),
    );

    expect(placements).toEqual([]);
    expect(claims.flatMap(({ pods }) => pods)).toEqual(['default/web']);
  });

  it.each([
    ['a spread', 'topology', { topologySpread: [aSpread('DoNotSchedule')] }, 'topology spread'],
    ['affinity', 'topology', { podAffinity: requiring('zone') }, 'pod affinity'],
    ['a device', 'unsupported', { resourceClaims: ['gpu'] }, 'Dynamic Resource Allocation'],
  ])('refuses a pod that needs %s which nothing gives', (_, by, difference, words) => {
    const { refused, claims } = place(aSnapshot({ pods: [named('web', difference)] }));

    expect(claims).toEqual([]);
    expect(refused).toMatchObject([
      { pod: 'default/web', by, because: expect.stringContaining(words) },
    ]);
  });

  it('places a pod that merely prefers, and says what was not weighed', () => {
    const { claims, warnings } = place(
      aSnapshot({ pods: [named('web', { topologySpread: [aSpread('ScheduleAnyway')] })] }),
    );

    expect(claims).toHaveLength(1);
    expect(warnings).toEqual([
      '1 pod (default/web) is placed without its topology spread (ScheduleAnyway) over zone',
    ]);
  });

  it('keeps a pod off the node of one that will not have it near', () => {
    const shy = aRunningPod({
      meta: { name: 'shy' },
      requests: { cpu: 100 },
      podAntiAffinity: requiring('kubernetes.io/hostname', { app: 'web' }),
    });
    const web = named('web', { meta: { labels: { app: 'web' } } });
    const { claims } = place(aSnapshot({ nodes: [aStateNode({ pods: [shy] })], pods: [web] }));

    expect(claims.flatMap(({ pods }) => pods)).toEqual(['default/web']);
  });

  it('makes a node in another zone for a pod that somebody keeps out of a zone', () => {
    const shy = aRunningPod({
      podAntiAffinity: requiring('topology.kubernetes.io/zone', { app: 'web' }),
    });
    const web = named('web', { meta: { labels: { app: 'web' } } });
    const { claims } = place(aSnapshot({ nodes: [aStateNode({ pods: [shy] })], pods: [web] }));

    expect(claims.map(({ cheapest }) => cheapest.zone)).toEqual(['us-east-1b']);
  });

  it('opens the node on which a dollar carries most, not the one that holds most', () => {
    const { claims } = place(
      aSnapshot({
        catalog: aCatalog([
          anInstanceType('big.dear', { cpu: 16, usdPerHour: 2 }),
          anInstanceType('small.fair', { cpu: 4, usdPerHour: 0.2 }),
        ]),
        pods: somePods(8, { requests: { cpu: 1000, memory: GIB } }),
      }),
    );

    expect(claims.map(({ cheapest }) => cheapest.instanceType)).toEqual([
      'small.fair',
      'small.fair',
    ]);
  });

  it('proves a lower bound, which is exact where nodes are filled', () => {
    const { usdPerHour, lowerBoundUsdPerHour } = place(
      aSnapshot({ pods: somePods(8, { requests: { cpu: 2000, memory: 8 * GIB } }) }),
    );

    expect(lowerBoundUsdPerHour).toBeCloseTo(usdPerHour, 6);
  });

  it('takes the nodes that others could be placed on off the bound', () => {
    const big = { allocatable: { cpu: 64_000, memory: 256 * GIB, pods: 110 } };
    const port = { ip: '0.0.0.0', port: 80, protocol: 'TCP' as const };
    const { lowerBoundUsdPerHour, claims } = place(
      aSnapshot({
        nodes: [aStateNode({ node: aNode(big) })],
        pods: somePods(2, { hostPorts: [port] }),
      }),
    );

    expect(claims).toHaveLength(1);
    expect(lowerBoundUsdPerHour).toBe(0);
  });

  it('draws on a reservation as often as it has instances, and no oftener', () => {
    const capacityTypes = ['on-demand', 'spot', 'reserved'] as const;
    const type = anInstanceType('m5.large', { capacityTypes });
    const reserved = {
      zone: 'us-east-1a',
      zoneId: 'use1-az1',
      capacityType: 'reserved' as const,
      usdPerHour: 0,
      available: true,
      requirements: new Map(),
      reservationId: 'cr-1',
      reservationCapacity: 2,
    };
    const { claims } = place(
      aSnapshot({
        catalog: aCatalog([{ ...type, offerings: [reserved, ...type.offerings] }]),
        pods: somePods(3, { requests: { cpu: 1500 } }),
      }),
    );

    expect(claims.map(({ cheapest }) => cheapest.capacityType).sort()).toEqual([
      'reserved',
      'reserved',
      'spot',
    ]);
    for (const { cheapest, requirements } of claims) {
      const types = requirements.find(({ key }) => key === 'karpenter.sh/capacity-type')?.values;
      expect(types).toEqual(
        cheapest.capacityType === 'reserved' ? ['reserved'] : ['on-demand', 'spot'],
      );
    }
  });

  it('lists larger types only as far as limits leave room for them', () => {
    const listed = (cpu: number) =>
      place(
        aSnapshot({
          nodePools: [aNodePool({ limits: { cpu } })],
          pods: somePods(1),
        }),
      ).claims[0]?.instanceTypes;

    expect(listed(2000)).toEqual(['m5.large']);
    expect(listed(8000)).toEqual(['m5.large', 'm5.xlarge', 'm5.2xlarge']);
  });

  it('tells the reason of each pool, heaviest first', () => {
    const { refused } = place(
      aSnapshot({
        nodePools: [
          aNodePool({
            meta: { name: 'arm' },
            template: { requirements: [spec('kubernetes.io/arch In arm64')] },
          }),
          aNodePool({ meta: { name: 'small' }, weight: 5, limits: { cpu: 1000 } }),
        ],
        pods: [named('web')],
      }),
    );

    expect(refused).toMatchObject([
      {
        by: 'limits',
        nodePools: [
          {
            nodePool: 'small',
            because:
              'the limits of NodePool small leave 1 cpu; the smallest type that holds it, m5.large, has 2 cpu',
          },
          { nodePool: 'arm', by: 'instanceTypes' },
        ],
      },
    ]);
  });
});

function aSpread(whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway') {
  return {
    topologyKey: 'zone',
    maxSkew: 1,
    whenUnsatisfiable,
    matchLabelKeys: [],
    nodeAffinityPolicy: 'Honor' as const,
    nodeTaintsPolicy: 'Ignore' as const,
  };
}
