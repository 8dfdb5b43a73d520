import { describe, expect, it } from 'vitest';
import { place } from '#lib/decide/place.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { spec } from '#test/build/constraints.ts';
import { aCatalog, anInstanceType } from '#test/build/instance-types.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { aNode, anUnmanagedNode } from '#test/build/nodes.ts';
import { GIB } from '#test/build/objects.ts';
import { appPods } from '#test/build/placing.ts';
import { aRunningPod } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';
import { apart, aSpread, aTerm, labelled, NODE_KEY, near, ZONE_KEY } from '#test/build/topology.ts';
import { unsoundness } from '#test/conformance/soundness.ts';

const CAPACITY_TYPE = 'karpenter.sh/capacity-type';
const CPU = 'karpenter.k8s.aws/instance-cpu';
const ANYBODY = labelled({});
const AB = {
  matchLabels: {},
  matchExpressions: [{ key: 'app', operator: 'In' as const, values: ['web', 'job'] }],
};

/** Who gets no place; whatever becomes of the others, the judge agrees. */
function refusedOf(difference: Partial<Snapshot>): readonly string[] {
  const snapshot = aSnapshot(difference);
  const placing = place(snapshot);
  expect(unsoundness(snapshot, placing)).toEqual([]);
  return placing.refused.map(({ pod }) => pod);
}

/** A node that takes pods of half a core together. */
const aSmallNode = (
  labels: Readonly<Record<string, string>> = {},
  pods: readonly Pod[] = [],
  cpu = 500,
) =>
  anUnmanagedNode(
    aNode({
      meta: { name: `node-${labels[ZONE_KEY]}`, labels },
      allocatable: { cpu, memory: 8 * GIB, pods: 10 },
    }),
    pods,
  );

const anOldPod = (cpu: number, difference: Partial<Pod>) =>
  aRunningPod({ ...difference, meta: { name: 'old', labels: { app: 'web' } }, requests: { cpu } });

const affinity = (...terms: readonly string[]): Pick<Pod, 'nodeAffinity'> => ({
  nodeAffinity: {
    required: terms.map((line) => ({ matchExpressions: [spec(line)], hasMatchFields: false })),
    preferred: [],
  },
});

describe('lookAgain', () => {
  it('gives the last node that limits leave to one of those who were to take turns', () => {
    const gpus = anInstanceType('g4dn.xlarge', {
      cpu: 4,
      memoryGib: 16,
      usdPerHour: 0.53,
      more: { 'nvidia.com/gpu': 1 },
      soldOut: ['us-east-1a/spot'],
    });
    const old = anOldPod(100, apart(aTerm({ topologyKey: ZONE_KEY })));

    expect(
      refusedOf({
        catalog: aCatalog([gpus]),
        nodePools: [aNodePool({ limits: { cpu: 16_000 } })],
        nodes: [
          aSmallNode({ [ZONE_KEY]: 'us-east-1b' }, [old, aRunningPod({ meta: { name: 'b' } })]),
          aSmallNode({ [ZONE_KEY]: 'us-east-1a' }, [aRunningPod({ meta: { name: 'a' } })], 100),
        ],
        pods: appPods('web', 4, {
          requests: { 'nvidia.com/gpu': 1 },
          topologySpread: [aSpread({ selector: ANYBODY })],
        }),
      }),
    ).toHaveLength(1);
  });

  it('lets one begin of two who wait for each other, and puts the other beside it', () => {
    const bound = aTerm({ topologyKey: NODE_KEY });
    const pods = [
      ...appPods('web', 1, near(bound)),
      ...appPods('cache', 1, {
        meta: { labels: { app: 'web' } },
        ...near(bound, aTerm({ topologyKey: ZONE_KEY, selector: AB })),
        topologySpread: [aSpread({ selector: labelled({ app: 'nobody' }) })],
      }),
    ];

    expect(refusedOf({ pods })).toEqual([]);
  });

  it('puts a pod where it makes the spread of another uneven, if there is nowhere else', () => {
    const pods = [
      ...appPods('web', 1, { topologySpread: [aSpread({ topologyKey: NODE_KEY })] }),
      ...appPods('late', 1, {
        meta: { labels: { app: 'web' } },
        ...near(aTerm({ topologyKey: ZONE_KEY, selector: ANYBODY })),
      }),
    ];

    expect(refusedOf({ nodePools: [], nodes: [aSmallNode()], pods })).toEqual([]);
  });

  it('puts it on a planned node where that is all there is', () => {
    const pods = [
      ...appPods('web', 1, {
        requests: { cpu: 1500 },
        topologySpread: [aSpread({ topologyKey: NODE_KEY })],
      }),
      ...appPods('late', 1, { meta: { labels: { app: 'web' } } }),
    ];

    expect(refusedOf({ nodePools: [aNodePool({ limits: { nodes: 1 } })], pods })).toEqual([]);
  });

  it('counts pods on the nodes they got, not on all that they might have got', () => {
    const pods = [
      ...appPods('arm', 1, {
        meta: { labels: { app: 'web' } },
        ...affinity('kubernetes.io/arch In arm64'),
        ...near(aTerm({ topologyKey: ZONE_KEY, selector: AB })),
        topologySpread: [aSpread()],
      }),
      ...appPods('web', 1),
    ];
    const catalog = aCatalog([anInstanceType(), anInstanceType('c6g.large', { arch: 'arm64' })]);

    expect(refusedOf({ catalog, nodes: [aSmallNode()], pods })).toEqual([]);
  });

  it('leaves the second of two who want to be together where only one has room', () => {
    const together = near(aTerm(), aTerm({ topologyKey: ZONE_KEY, selector: ANYBODY }));
    const pods = appPods('web', 2, { requests: { memory: 7 * GIB }, ...together });

    expect(refusedOf({ nodePools: [], nodes: [aSmallNode()], pods })).toEqual(['default/web-2']);
  });

  it('leaves several zones open where the types of one are too few for minValues', () => {
    const requirements = [spec('node.kubernetes.io/instance-type Exists', 2)];
    const catalog = aCatalog([
      anInstanceType('m5.large', { zones: ['us-east-1a', 'us-east-1b'] }),
      anInstanceType('m5.xlarge', { zones: ['us-east-1b', 'us-east-1c'] }),
    ]);
    const old = anOldPod(400, apart(aTerm({ topologyKey: ZONE_KEY })));
    const nodes = [aSmallNode({ [ZONE_KEY]: 'us-east-1b' }, [old])];
    const nodePools = [aNodePool({ template: { requirements } })];

    expect(refusedOf({ catalog, nodePools, nodes, pods: appPods('web', 1) })).toEqual([]);
  });

  it('compares domains by the term of node affinity that the node meets', () => {
    const pods = appPods('web', 2, {
      requests: { cpu: 400 },
      ...affinity(`${CAPACITY_TYPE} In on-demand`, 'rack In r1'),
      topologySpread: [aSpread({ topologyKey: CAPACITY_TYPE })],
    });

    expect(refusedOf({ nodes: [aSmallNode({ rack: 'r1' })], pods })).toEqual([]);
  });

  it('compares with real nodes that another term of node affinity lets in', () => {
    const pods = appPods('job', 2, {
      ...affinity('team DoesNotExist', `${ZONE_KEY} In us-east-1a`),
      topologySpread: [aSpread({ selector: labelled({ app: 'job' }) })],
    });
    const old = anOldPod(500, apart(aTerm({ topologyKey: ZONE_KEY, selector: ANYBODY })));
    const nodes = [aSmallNode({ [ZONE_KEY]: 'us-east-1b' }, [old])];
    const nodePools = [aNodePool({ template: { requirements: [spec('team In a b')] } })];

    expect(refusedOf({ nodePools, nodes, pods })).toEqual(['default/job-2']);
  });
});

describe('nodes that are only planned', () => {
  const catalog = aCatalog([
    anInstanceType(),
    anInstanceType('m5.4xlarge', { cpu: 16, memoryGib: 32, usdPerHour: 0.8 }),
  ]);
  const pools = [
    aNodePool({ meta: { name: 'heavy' }, weight: 10, limits: { cpu: 2000 } }),
    aNodePool({ meta: { name: 'light' }, limits: { memory: 40 * GIB } }),
  ];
  const large = appPods('large', 1, { requests: { cpu: 9000 } });

  it('take pods that were to have nodes of a heavier NodePool until its limits were used up', () => {
    const pods = [...large, ...appPods('web', 3, { requests: { memory: 7 * GIB } })];

    expect(refusedOf({ catalog, nodePools: pools, pods })).toEqual([]);
  });

  it('give up all but one domain for a pod that must be in one, where that costs nothing', () => {
    const nobody = labelled({ app: 'nobody' });
    const one = {
      requests: { memory: 7 * GIB },
      hostPorts: [{ ip: '0.0.0.0', port: 80, protocol: 'TCP' as const }],
      topologySpread: [aSpread({ topologyKey: CAPACITY_TYPE, selector: nobody })],
    };

    expect(
      refusedOf({ catalog, nodePools: pools, pods: [...large, ...appPods('web', 3, one)] }),
    ).toEqual([]);
  });

  const ownTerm = (...terms: readonly string[]) =>
    appPods('web', 2, {
      requests: {},
      ...affinity(...terms),
      topologySpread: [aSpread({ selector: AB })],
    });
  const job = appPods('job', 1, {
    meta: { labels: { app: 'else' } },
    requests: { memory: 30 * GIB },
    ...apart(aTerm({ topologyKey: ZONE_KEY, selector: AB })),
  });
  const nodePools = [
    aNodePool({ template: { requirements: [spec(`${ZONE_KEY} In us-east-1a us-east-1b`)] } }),
  ];

  it('are compared with where another term of node affinity lets them in', () => {
    const pods = [...ownTerm(`${ZONE_KEY} In us-east-1a`, `${CPU} Gt 3`), ...job];

    expect(refusedOf({ nodePools, nodes: [aSmallNode()], pods })).toEqual(['default/web-2']);
  });
});

describe('pods that could only be bound after one another', () => {
  it('are not placed beside each other, whichever labels keep them from others', () => {
    const pods = [
      ...appPods('first', 1, { nodeSelector: { rack: 'r2' }, meta: { labels: { app: 'web' } } }),
      ...appPods('web', 1, {
        ...near(aTerm({ selector: AB, namespaces: ['far'] })),
        topologySpread: [aSpread({ minDomains: 2 })],
      }),
      ...appPods('remote', 1, {
        meta: { namespace: 'far', labels: { app: 'web' } },
        nodeSelector: { [ZONE_KEY]: 'us-east-1b' },
        ...near(aTerm({ topologyKey: ZONE_KEY, namespaces: ['default', 'far'] })),
      }),
    ];
    const nodePools = [aNodePool({ template: { requirements: [spec('rack In r1 r2')] } })];

    expect(refusedOf({ nodePools, pods }).length).toBeLessThanOrEqual(2);
  });
});
