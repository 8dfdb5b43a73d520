/**
 * Upstream's scheduling behaviours, restated with our builders; numbers and titles are those under
 * which the suites of karpenter v1.14 are summed up (provisioning/scheduling/suite_test.go,
 * provisioning/suite_test.go). What concerns topology and volumes is refused and has no case here.
 */
import { describe, expect, it } from 'vitest';
import { place } from '#lib/decide/place.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { spec, taint, tolerating } from '#test/build/constraints.ts';
import { aCatalog, anInstanceType } from '#test/build/instance-types.ts';
import { aNewClaim, aNodeClaim } from '#test/build/node-claims.ts';
import { aCondition, aNodePool } from '#test/build/node-pools.ts';
import { aNode, anInFlightNode, anUnmanagedNode, aStateNode } from '#test/build/nodes.ts';
import { GIB, NOON, ownedBy } from '#test/build/objects.ts';
import { aDaemonSet, aPod, aRunningPod, somePods } from '#test/build/pods.ts';
import { aSnapshot, someSettings } from '#test/build/snapshots.ts';

const ZONE = 'topology.kubernetes.io/zone';
const planOf = (difference: Partial<Snapshot>) => place(aSnapshot(difference));
const affinity = (required: readonly string[], preferred: readonly [number, string][] = []) => ({
  nodeAffinity: {
    required: required.map((text) => ({ matchExpressions: [spec(text)], hasMatchFields: false })),
    preferred: preferred.map(([weight, text]) => ({
      weight,
      term: { matchExpressions: [spec(text)], hasMatchFields: false },
    })),
  },
});
const named = (name: string, difference: Parameters<typeof aPod>[0] = {}): Pod =>
  aPod({ ...difference, meta: { name } });
const pool = (name: string, difference: Parameters<typeof aNodePool>[0] = {}) =>
  aNodePool({ ...difference, meta: { name } });
const requirementOn = (
  claim: { requirements: readonly { key: string }[] } | undefined,
  key: string,
) => claim?.requirements.filter((line) => line.key === key);

describe('10.1 most discriminating', () => {
  const twoTypes = [
    anInstanceType('c1.small', { cpu: 1, usdPerHour: 0.05 }),
    anInstanceType('c1.large', { cpu: 4, usdPerHour: 0.2 }),
  ];
  const minTypes = (minValues: number, text = 'node.kubernetes.io/instance-type Exists') =>
    aNodePool({ template: { requirements: [spec(text, minValues)] } });

  it('25: BestEffort minValues of a heavier pool are lowered rather than a lighter pool used', () => {
    const { claims, creations } = planOf({
      nodePools: [
        pool('heavy', {
          weight: 100,
          template: {
            requirements: [
              spec('node.kubernetes.io/instance-type In c1.small c1.large c1.none', 3),
            ],
          },
        }),
        pool('light', { weight: 10 }),
      ],
      catalog: aCatalog(twoTypes),
      pods: [named('web', { requests: { cpu: 500 } })],
      settings: someSettings({ minValuesPolicy: 'BestEffort' }),
    });

    expect(claims).toMatchObject([{ nodePool: 'heavy' }]);
    expect(requirementOn(claims[0], 'node.kubernetes.io/instance-type')).toMatchObject([
      { values: ['c1.large', 'c1.small'], minValues: 2 },
    ]);
    expect(creations).toMatchObject([
      { claim: { annotations: { 'karpenter.sh/nodeclaim-min-values-relaxed': 'true' } } },
    ]);
  });

  it('26: Strict minValues that cannot be met refuse the pod', () => {
    const { refused } = planOf({
      nodePools: [minTypes(3)],
      catalog: aCatalog(twoTypes),
      pods: [named('web', { requests: { cpu: 500 } })],
    });

    expect(refused).toMatchObject([{ by: 'minValues' }]);
  });

  it('27: two pods go on two nodes where one would leave too few types', () => {
    const { claims } = planOf({
      nodePools: [minTypes(2)],
      catalog: aCatalog(twoTypes),
      pods: somePods(2, { requests: { cpu: 900, memory: GIB } }),
    });

    expect(claims.map(({ instanceTypes }) => instanceTypes)).toEqual([
      ['c1.small', 'c1.large'],
      ['c1.small', 'c1.large'],
    ]);
  });

  it('33: a limit of nodes holds within one pass', () => {
    const ports = [{ ip: '0.0.0.0', port: 80, protocol: 'TCP' as const }];
    const { claims, refused } = planOf({
      nodePools: [aNodePool({ limits: { nodes: 2 } })],
      pods: somePods(3, { hostPorts: ports }),
    });

    expect(claims).toHaveLength(2);
    expect(refused).toMatchObject([{ by: 'limits' }]);
    expect(refused[0]?.because).toContain('node limits have been exhausted for nodepool');
  });

  it('35: the claim carries the hash of the pool as it was read', () => {
    const { creations } = planOf({ pods: [named('web')] });

    expect(creations).toMatchObject([
      {
        claim: {
          annotations: {
            'karpenter.sh/nodepool-hash': expect.stringMatching(/^\d+$/),
            'karpenter.sh/nodepool-hash-version': 'v3',
          },
          owner: { kind: 'NodePool', name: 'default' },
        },
      },
    ]);
  });

  it('38: all types that hold the pod are listed, the cheapest first', () => {
    const { claims } = planOf({
      catalog: aCatalog([
        anInstanceType('a1.medium', { cpu: 2, usdPerHour: 3 }),
        anInstanceType('a1.small', { cpu: 1, usdPerHour: 2 }),
        anInstanceType('a1.large', { cpu: 4, usdPerHour: 1 }),
      ]),
      pods: [named('web', { requests: { cpu: 500 } })],
    });

    expect(claims[0]?.instanceTypes).toEqual(['a1.large', 'a1.small', 'a1.medium']);
  });

  it('39: a price counts only where the pool allows the offering', () => {
    const { claims } = planOf({
      nodePools: [
        aNodePool({
          template: { requirements: [spec('karpenter.sh/capacity-type In on-demand')] },
        }),
      ],
      catalog: aCatalog([
        anInstanceType('t1.one', { usdPerHour: 1 }),
        anInstanceType('t1.two', { usdPerHour: 1.3, capacityTypes: ['on-demand', 'spot'] }),
      ]),
      pods: [named('web')],
    });

    expect(claims).toMatchObject([
      { cheapest: { instanceType: 't1.one', capacityType: 'on-demand' }, usdPerHour: 1 },
    ]);
  });
});

describe('10.4 requirements and labels', () => {
  it.each([
    ['In', 'team In blue', 'requirements'],
    ['Exists', 'team Exists', 'requirements'],
    ['NotIn', 'team NotIn blue', undefined],
    ['DoesNotExist', 'team DoesNotExist', undefined],
  ])('87: a label that no pool knows, asked for by %s', (_, text, by) => {
    const { refused } = planOf({ pods: [named('web', affinity([text]))] });

    expect(refused.map((refusal) => refusal.by)).toEqual(by === undefined ? [] : [by]);
  });

  it('88: a pod that contradicts itself is refused, not taken for one that wants no label', () => {
    const { refused } = planOf({
      nodePools: [aNodePool({ template: { labels: { team: 'a' } } })],
      pods: [
        named('both', { nodeSelector: { team: 'a' }, ...affinity(['team In b']) }),
        named('neither', { nodeSelector: { team: 'a' }, ...affinity(['team DoesNotExist']) }),
        named('fine'),
      ],
    });

    expect(refused.map(({ pod, by }) => [pod, by])).toEqual([
      ['default/both', 'requirements'],
      ['default/neither', 'requirements'],
    ]);
  });

  it('88: a label that must be there and be different is not given by its absence', () => {
    const picky = (name: string, ...texts: string[]) =>
      named(name, {
        nodeAffinity: {
          required: [{ matchExpressions: texts.map((text) => spec(text)), hasMatchFields: false }],
          preferred: [],
        },
      });
    const gpus = 'karpenter.k8s.aws/instance-gpu-count';
    const pods = [
      picky('custom', 'team Exists', 'team NotIn blue'),
      picky('bounded', 'tier Gt 2', 'tier NotIn 3'),
      picky('typed', `${gpus} Exists`, `${gpus} NotIn 1`),
    ];
    const catalog = aCatalog([
      anInstanceType('m5.large', { requirements: [`${gpus} DoesNotExist`] }),
      anInstanceType('g4dn.xlarge', { requirements: [`${gpus} In 1`] }),
    ]);
    const refused = pods.map(({ meta }) => `default/${meta.name}`).sort();

    expect(planOf({ pods, catalog }).refused.map(({ pod }) => pod)).toEqual(refused);
    expect(
      planOf({ pods, nodePools: [], nodes: [anUnmanagedNode(aNode())] }).refused.map(
        ({ pod }) => pod,
      ),
    ).toEqual(refused);
  });

  it('88: a pool whose requirements and labels contradict each other gives no nodes', () => {
    const { refused } = planOf({
      nodePools: [
        pool('labels', {
          template: { labels: { tier: '3' }, requirements: [spec('tier NotIn 3')] },
        }),
        pool('lines', { template: { requirements: [spec('tier In 3'), spec('tier Gt 3')] } }),
      ],
      pods: [named('web')],
    });

    expect(refused).toMatchObject([
      {
        by: 'instanceTypes',
        nodePools: [
          { because: 'its requirements and labels contradict each other' },
          { because: 'its requirements and labels contradict each other' },
        ],
      },
    ]);
  });

  it('82: a pod keeps others out of its zone, but nowhere off a node that is in no zone', () => {
    const loner = aRunningPod({
      podAntiAffinity: {
        required: [
          {
            topologyKey: 'rack',
            namespaces: [],
            selector: { matchLabels: {}, matchExpressions: [] },
          },
        ],
        preferred: [],
      },
    });
    const besideIt = (labels: Readonly<Record<string, string>>) =>
      planOf({
        nodes: [anUnmanagedNode(aNode({ meta: { labels } }), [loner])],
        pods: [named('web')],
      });

    expect(besideIt({ rack: 'r1' }).placements).toEqual([]);
    expect(besideIt({ rack: 'r1' }).claims).toHaveLength(1);
    expect(besideIt({}).placements).toHaveLength(1);
  });

  it('a reason is short enough for an event', () => {
    const { refused } = planOf({
      pods: [named('web', { nodeSelector: { 'karpenter.sh/foo': 'x' } })],
    });

    expect(refused[0]?.because).toContain('using label karpenter.sh/foo is not allowed');
    expect(refused[0]?.because.length).toBeLessThan(1000);
  });

  it('89: pods that ask for different values go on different nodes, the same on one', () => {
    const nodePools = [aNodePool({ template: { requirements: [spec('team In a b')] } })];
    const onTeam = (name: string, team: string) =>
      named(name, { requests: { cpu: 500 }, nodeSelector: { team } });

    expect(planOf({ nodePools, pods: [onTeam('x', 'a'), onTeam('y', 'b')] }).claims).toHaveLength(
      2,
    );
    expect(planOf({ nodePools, pods: [onTeam('x', 'a'), onTeam('y', 'a')] }).claims).toHaveLength(
      1,
    );
  });

  it('91, 92: hostname and reserved domains may not be asked for', () => {
    const { refused } = planOf({
      pods: [
        named('a', { nodeSelector: { 'kubernetes.io/hostname': 'n' } }),
        named('b', { nodeSelector: { 'karpenter.sh/foo': 'n' } }),
        named('c', { nodeSelector: { 'sub.karpenter.sh/foo': 'n' } }),
      ],
    });

    expect(refused.map(({ by }) => by)).toEqual(['eligibility', 'eligibility', 'eligibility']);
    expect(refused[0]?.because).toContain('using label kubernetes.io/hostname is not allowed');
  });

  it('94: bounds are told as Gte and Lte', () => {
    const { claims } = planOf({
      nodePools: [
        aNodePool({
          template: {
            requirements: [
              spec('karpenter.k8s.aws/instance-cpu Gt 3'),
              spec('karpenter.k8s.aws/instance-cpu Lt 9'),
            ],
          },
        }),
      ],
      pods: [named('web')],
    });

    expect(requirementOn(claims[0], 'karpenter.k8s.aws/instance-cpu')).toEqual([
      { key: 'karpenter.k8s.aws/instance-cpu', operator: 'Gte', values: ['4'] },
      { key: 'karpenter.k8s.aws/instance-cpu', operator: 'Lte', values: ['8'] },
    ]);
  });

  it('95: a preferred zone that cannot be had is given up, a required one is not', () => {
    const plan = planOf({
      pods: [
        named('soft', affinity([], [[1, `${ZONE} In us-east-1z`]])),
        named('hard', affinity([`${ZONE} In us-east-1z`])),
      ],
    });

    expect(plan.claims.flatMap(({ pods }) => pods)).toEqual(['default/soft']);
    expect(plan.refused.map(({ pod }) => pod)).toEqual(['default/hard']);
    expect(plan.warnings).toEqual([
      `1 pod (default/soft) is placed without its preferred node affinity ${ZONE} In [us-east-1z]`,
    ]);
  });

  it('96: the heaviest wish that can be fulfilled counts', () => {
    const { claims } = planOf({
      pods: [
        named(
          'web',
          affinity(
            [],
            [
              [1, `${ZONE} In us-east-1a`],
              [100, 'node.kubernetes.io/instance-type In m5.none'],
              [50, `${ZONE} In us-east-1b`],
            ],
          ),
        ),
      ],
    });

    expect(claims[0]?.cheapest.zone).toBe('us-east-1b');
  });

  it('97: of required alternatives the first that is possible counts', () => {
    const { claims } = planOf({
      pods: [
        named(
          'web',
          affinity([
            `${ZONE} In us-east-1x`,
            `${ZONE} In us-east-1y`,
            `${ZONE} In us-east-1c`,
            `${ZONE} In us-east-1a`,
          ]),
        ),
      ],
    });

    expect(claims[0]?.cheapest.zone).toBe('us-east-1c');
  });

  it('100: pools that are not ready, being deleted or static give no nodes', () => {
    const { refused } = planOf({
      nodePools: [
        pool('unready', { status: { conditions: [aCondition('Ready', { status: 'False' })] } }),
        pool('static', { replicas: 2 }),
        aNodePool({ meta: { name: 'going', deletedAt: NOON } }),
      ],
      pods: [named('web')],
    });

    expect(refused).toMatchObject([
      {
        nodePools: [
          { nodePool: 'unready', because: expect.stringContaining('not ready') },
          { nodePool: 'static', because: expect.stringContaining('replicas') },
          { nodePool: 'going', because: 'it is being deleted' },
        ],
      },
    ]);
  });

  it('100: a pool that is not ready says what is behind it', () => {
    const unready = (type: string, reason: string, message: string) =>
      aCondition(type, { status: 'False', reason, message });
    const conditions = [
      unready('NodeClassReady', 'NodeClassNotFound', 'NodeClass not found on cluster'),
      unready('Ready', 'UnhealthyDependents', 'NodeClassReady=False'),
    ];
    const { refused } = planOf({
      nodePools: [aNodePool({ status: { conditions } })],
      pods: [named('web')],
    });

    expect(refused[0]?.because).toContain(
      'not ready: NodeClassNotFound (EC2NodeClass default: NodeClass not found on cluster)',
    );
  });

  it('101: a pod may opt out, or name its pool whatever the weights', () => {
    const plan = planOf({
      nodePools: [pool('a', { weight: 100 }), pool('b')],
      pods: [
        named('out', affinity(['karpenter.sh/nodepool DoesNotExist'])),
        named('picky', affinity(['karpenter.sh/nodepool In b'])),
      ],
    });

    expect(plan.claims).toMatchObject([{ nodePool: 'b', pods: ['default/picky'] }]);
    expect(plan.refused).toMatchObject([{ pod: 'default/out', by: 'eligibility' }]);
  });

  it.each([
    ['Exists', '0'],
    ['In v1', 'v1'],
    ['NotIn 0', '1'],
    ['Gt 5', '6'],
    ['DoesNotExist', undefined],
  ])('104: the label of a custom requirement %s', (words, label) => {
    const { creations } = planOf({
      nodePools: [aNodePool({ template: { requirements: [spec(`test-key ${words}`)] } })],
      pods: [named('web')],
    });
    const [creation] = creations;

    expect(creation?.kind === 'createNodeClaim' && creation.claim.labels['test-key']).toBe(label);
  });

  it('105: a well-known requirement is not copied to the labels', () => {
    const { creations } = planOf({
      pods: [named('web', { nodeSelector: { [ZONE]: 'us-east-1a' } })],
    });
    const [creation] = creations;

    expect(creation?.kind === 'createNodeClaim' && creation.claim.labels).toEqual({
      'karpenter.sh/nodepool': 'default',
      'karpenter.k8s.aws/ec2nodeclass': 'default',
    });
  });
});

describe('10.5 types, offerings, resources', () => {
  it.each([
    ['In large', ['c2.large']],
    ['In small', ['c2.small']],
    ['Exists', ['c2.small', 'c2.large']],
    ['DoesNotExist', ['c2.plain']],
  ])('116: types are told apart by their own labels, here %s', (text, types) => {
    const key = 'karpenter.k8s.aws/instance-gpu-name';
    const catalog = aCatalog([
      anInstanceType('c2.small', { requirements: [`${key} In small`] }),
      anInstanceType('c2.large', { cpu: 4, requirements: [`${key} In large`] }),
      anInstanceType('c2.plain', { requirements: [`${key} DoesNotExist`] }),
    ]);
    const { claims } = planOf({ catalog, pods: [named('web', affinity([`${key} ${text}`]))] });

    expect(claims.map(({ instanceTypes }) => instanceTypes)).toEqual([types]);
  });

  it('107: the number of pods on a node is one of its resources', () => {
    const { claims } = planOf({
      catalog: aCatalog([anInstanceType('m5.large', { pods: 5 })]),
      pods: somePods(25, { requests: { cpu: 1 } }),
    });

    expect(claims).toHaveLength(5);
  });

  it('111: a zero quantity of an unknown resource is no demand', () => {
    expect(planOf({ pods: [named('web', { requests: { 'foo.com/bar': 0 } })] }).refused).toEqual(
      [],
    );
  });

  it('114: more memory than any type has is refused, with the nearest miss', () => {
    const { refused } = planOf({ pods: [named('web', { requests: { memory: 2048 * GIB } })] });

    expect(refused[0]).toMatchObject({ by: 'resources' });
    expect(refused[0]?.because).toBe(
      'no node has room for it and none can be made: NodePool default: it needs 2048 GiB of memory on one node; the largest type that the pool allows, m5.4xlarge, has 64 GiB of memory to give',
    );
  });

  it('118: sold out offerings give no node, and existing nodes are still used', () => {
    const soldOut = ['us-east-1a', 'us-east-1b', 'us-east-1c'].flatMap((zone) => [
      `${zone}/spot`,
      `${zone}/on-demand`,
    ]);
    const plan = planOf({
      catalog: aCatalog([anInstanceType('m5.large', { soldOut })]),
      nodes: [aStateNode()],
      pods: somePods(3),
    });

    expect(plan.placements).toHaveLength(2);
    expect(plan.refused).toMatchObject([{ by: 'offerings' }]);
  });

  it('120: a million cores is taken for a slip', () => {
    const { refused } = planOf({ pods: [named('web', { requests: { cpu: 1_000_000_000 } })] });

    expect(refused[0]?.because).toContain('m vs M typo?');
  });
});

describe('10.6 existing and in-flight nodes', () => {
  const launched = aNodeClaim({ meta: { name: 'claim-1' }, status: {} });

  it('121: a pod that fits a claim which is on its way needs no second one', () => {
    const plan = planOf({ nodes: [anInFlightNode(launched)], pods: [named('web')] });

    expect(plan.claims).toEqual([]);
    expect(plan.placements).toEqual([{ pod: 'default/web', nodeClaim: 'claim-1' }]);
  });

  it('121: nor does one that fits a claim which is not launched yet, whatever it becomes', () => {
    const claim = aNewClaim({
      meta: { name: 'claim-1', labels: {} },
      spec: { requirements: [spec('node.kubernetes.io/instance-type In m5.large m5.xlarge')] },
    });

    expect(planOf({ nodes: [anInFlightNode(claim)], pods: somePods(2) }).claims).toEqual([]);
    expect(planOf({ nodes: [anInFlightNode(claim)], pods: somePods(3) }).claims).toHaveLength(1);
  });

  it('121: another selector, or a deletion, needs a second claim', () => {
    const elsewhere = named('web', { nodeSelector: { [ZONE]: 'us-east-1b' } });
    const going = aNodeClaim({ meta: { deletedAt: NOON } });

    expect(planOf({ nodes: [anInFlightNode(launched)], pods: [elsewhere] }).claims).toHaveLength(1);
    expect(planOf({ nodes: [anInFlightNode(going)], pods: [named('web')] }).claims).toHaveLength(1);
  });

  it.each([
    ['uninitialized', '', 'node.kubernetes.io/not-ready:NoExecute', 0],
    ['uninitialized', '', 'example.com/custom:NoSchedule', 1],
    ['uninitialized', '', 'readiness.k8s.io/net:NoSchedule', 0],
    ['initialized', 'true', 'node.kubernetes.io/not-ready:NoExecute', 1],
  ])('124, 125: on an %s node %s %s', (_, initialized, text, newNodes) => {
    const node = aNode({
      meta: { name: 'node-1', labels: { 'karpenter.sh/initialized': initialized } },
      taints: [taint(text)],
    });
    const { claims } = planOf({ nodes: [aStateNode({ node })], pods: [named('web')] });

    expect(claims).toHaveLength(newNodes);
  });

  it('122: a pod that the rest of a launched node is too small for needs a second one', () => {
    const [first, second] = [1001, 1000].map((cpu, at) =>
      named(`web-${at}`, { requests: { cpu } }),
    );
    const plan = planOf({
      nodes: [anInFlightNode(launched)],
      pods: [first, second].flatMap((pod) => pod ?? []),
    });

    expect(plan.placements).toEqual([{ pod: 'default/web-0', nodeClaim: 'claim-1' }]);
    expect(plan.claims).toMatchObject([{ pods: ['default/web-1'] }]);
  });

  it('126: what a daemon will take on a node is kept for it', () => {
    const daemonSets = [aDaemonSet({ pod: aPod({ requests: { cpu: 1000 } }) })];
    const fits = named('web', { requests: { cpu: 1000 } });
    const tooLarge = named('web', { requests: { cpu: 1001 } });

    expect(planOf({ daemonSets, nodes: [aStateNode()], pods: [fits] }).claims).toHaveLength(0);
    expect(planOf({ daemonSets, nodes: [aStateNode()], pods: [tooLarge] }).claims).toHaveLength(1);
  });

  it('127: daemons that nobody expected take no more than they ask for', () => {
    const stray = aRunningPod({
      meta: { name: 'stray', owners: [ownedBy('DaemonSet')] },
      requests: { cpu: 500 },
    });
    const daemonSets = [aDaemonSet({ pod: aPod({ requests: { cpu: 100 } }) })];
    const nodes = [aStateNode({ pods: [stray] })];
    const fits = named('web', { requests: { cpu: 1500 } });

    expect(planOf({ daemonSets, nodes, pods: [fits] }).claims).toEqual([]);
  });

  it('132: a daemon that will not run on a node is not reckoned with there', () => {
    const elsewhere = aPod({ requests: { cpu: 1000 }, nodeSelector: { team: 'a' } });
    const daemonSets = [aDaemonSet({ pod: elsewhere })];
    const fits = named('web', { requests: { cpu: 2000 } });

    expect(planOf({ daemonSets, nodes: [aStateNode()], pods: [fits] }).claims).toEqual([]);
  });

  it('131: a node without the label is passed over for a new one that has it', () => {
    const { claims } = planOf({
      nodePools: [aNodePool({ template: { labels: { team: 'a' } } })],
      nodes: [aStateNode()],
      pods: [named('web', { nodeSelector: { team: 'a' } })],
    });

    expect(claims).toHaveLength(1);
  });

  it('185: a full node is no reason that a refused pod is told', () => {
    const { refused } = planOf({
      nodePools: [aNodePool({ template: { taints: [taint('a=b:NoSchedule')] } })],
      nodes: [aStateNode()],
      pods: [named('web', { requests: { cpu: 4000 } })],
    });

    expect(refused).toMatchObject([{ by: 'taints' }]);
  });

  it.each([
    ['', 'a', 0],
    ['', 'b', 1],
    ['true', 'a', 1],
    ['true', 'b', 0],
  ])(
    '192: registered=%s decides whether the claim or the node is asked for %s',
    (registered, team, newNodes) => {
      const node = aNode({
        meta: {
          labels: {
            team: 'b',
            'karpenter.sh/registered': registered,
            'karpenter.sh/initialized': '',
          },
        },
      });
      const claim = aNodeClaim({ meta: { labels: { team: 'a' } } });
      const { claims } = planOf({
        nodePools: [aNodePool({ template: { requirements: [spec('team In a b')] } })],
        nodes: [aStateNode({ node, claim })],
        pods: [named('web', { nodeSelector: { team } })],
      });

      expect(claims).toHaveLength(newNodes);
    },
  );

  it('128: a daemon that waits for initialized nodes counts, its label is not asked for', () => {
    const daemon = aPod({
      requests: { cpu: 1000 },
      nodeSelector: { 'karpenter.sh/initialized': 'true' },
    });
    const { claims } = planOf({
      daemonSets: [aDaemonSet({ pod: daemon })],
      pods: [named('web', { requests: { cpu: 1500 } })],
    });

    expect(claims[0]?.cheapest.instanceType).toBe('m5.xlarge');
    expect(requirementOn(claims[0], 'karpenter.sh/initialized')).toEqual([]);
  });

  it('129: an unmanaged node with room is used', () => {
    const node = aNode({ allocatable: { cpu: 100_000, memory: 400 * GIB, pods: 110 } });

    expect(planOf({ nodes: [anUnmanagedNode(node)], pods: somePods(100) }).claims).toEqual([]);
  });

  it('133: an extended resource that the kubelet has not reported yet counts as promised', () => {
    const claim = aNodeClaim({
      status: { allocatable: { cpu: 2000, memory: 8 * GIB, pods: 29, 'nvidia.com/gpu': 1 } },
    });
    const at = (initialized: string) =>
      aStateNode({
        claim,
        node: aNode({
          meta: { labels: { 'karpenter.sh/initialized': initialized } },
          allocatable: { cpu: 2000, memory: 8 * GIB, pods: 29, 'nvidia.com/gpu': 0 },
        }),
      });
    const pods = [named('web', { requests: { 'nvidia.com/gpu': 1 } })];

    expect(planOf({ nodes: [at('')], pods }).placements).toHaveLength(1);
    expect(planOf({ nodes: [at('true')], pods }).placements).toHaveLength(0);
  });

  it('134: the same host port needs two nodes, another protocol or address does not', () => {
    const port = { ip: '0.0.0.0', port: 80, protocol: 'TCP' as const };
    const both = (second: object) =>
      planOf({
        pods: [
          named('a', { requests: { cpu: 500 }, hostPorts: [port] }),
          named('b', { requests: { cpu: 500 }, hostPorts: [{ ...port, ...second }] }),
        ],
      }).claims.length;

    expect(both({})).toBe(2);
    expect(both({ protocol: 'UDP' })).toBe(1);
  });
});

describe('10.8 daemons', () => {
  it('146: a host port that a daemon takes on every node is refused', () => {
    const hostPorts = [{ ip: '0.0.0.0', port: 8080, protocol: 'TCP' as const }];
    const { refused } = planOf({
      daemonSets: [aDaemonSet({ pod: aPod({ requests: { cpu: 1 }, hostPorts }) })],
      pods: [named('web', { hostPorts })],
    });

    expect(refused).toMatchObject([{ by: 'hostPorts' }]);
  });

  it('147: a daemon larger than every type leaves no room', () => {
    const { refused } = planOf({
      daemonSets: [aDaemonSet({ pod: aPod({ requests: { cpu: 10_000_000 } }) })],
      pods: [named('web')],
    });

    expect(refused).toMatchObject([{ by: 'resources' }]);
  });

  it('151: a daemon counts by any of its alternatives, whatever it prefers', () => {
    const daemon = aPod({
      requests: { cpu: 1500 },
      ...affinity([`${ZONE} In nowhere`, `${ZONE} In us-east-1a`], [[1, 'team In x']]),
    });
    const { claims } = planOf({ daemonSets: [aDaemonSet({ pod: daemon })], pods: [named('web')] });

    expect(claims[0]?.cheapest.instanceType).toBe('m5.xlarge');
  });

  it('153: a claim asks for its pods and, once, for its daemons', () => {
    const daemonSets = [aDaemonSet({ pod: aPod({ requests: { cpu: 1000, memory: 1024 ** 2 } }) })];
    const pods = somePods(2, { requests: { cpu: 1000, memory: 1024 ** 2 } });

    expect(planOf({ daemonSets, pods }).claims.at(-1)?.requests).toEqual({
      cpu: expect.stringMatching(/^[23]$/),
      memory: expect.stringMatching(/^[23]Mi$/),
      pods: expect.stringMatching(/^[23]$/),
    });
  });
});

describe('10.9 taints, pools, weights', () => {
  const tainted = (text: string) => aNodePool({ template: { taints: [taint(text)] } });

  it.each([
    ['none', [], 1],
    ['the key', [tolerating('team')], 0],
    ['every key', [{ operator: 'Exists' as const }], 0],
    ['the value', [{ key: 'team', operator: 'Equal' as const, value: 'a' }], 0],
    ['another value', [{ key: 'team', operator: 'Equal' as const, value: 'b' }], 1],
  ])('154: a pool taint and a toleration of %s', (_, tolerations, refusals) => {
    const { refused, creations } = planOf({
      nodePools: [tainted('team=a:NoSchedule')],
      pods: [named('web', { tolerations })],
    });

    expect(refused).toHaveLength(refusals);
    const [creation] = creations;
    if (creation?.kind === 'createNodeClaim') {
      expect(creation.claim.spec.taints).toEqual([taint('team=a:NoSchedule')]);
    }
  });

  it('156: PreferNoSchedule is avoided while another pool will do, then put up with', () => {
    const shy = pool('a', { weight: 9, template: { taints: [taint('x=y:PreferNoSchedule')] } });

    expect(planOf({ nodePools: [shy, pool('b')], pods: [named('web')] }).claims).toMatchObject([
      { nodePool: 'b' },
    ]);
    expect(planOf({ nodePools: [shy], pods: [named('web')] }).claims).toMatchObject([
      { nodePool: 'a' },
    ]);
  });

  it('157: the heaviest pool gives the node; of equal ones the last by name', () => {
    const heavy = [pool('a', { weight: 100 }), pool('b', { weight: 50 }), pool('c')];

    expect(planOf({ nodePools: heavy, pods: [named('web')] }).claims[0]?.nodePool).toBe('a');
    expect(
      planOf({ nodePools: [pool('a'), pool('z')], pods: [named('web')] }).claims[0]?.nodePool,
    ).toBe('z');
  });
});

describe('weights, within one pass', () => {
  it('a pod does not fill a lighter node while a heavier pool could make one for it', () => {
    const { claims } = planOf({
      nodePools: [
        pool('heavy', { weight: 10, template: { requirements: [spec(`${ZONE} In us-east-1a`)] } }),
        pool('light'),
      ],
      pods: [
        named('large', {
          requests: { cpu: 2500 },
          nodeSelector: { [ZONE]: 'us-east-1b' },
        }),
        named('small', { requests: { cpu: 500 } }),
      ],
    });

    expect(claims.map(({ nodePool, pods }) => [nodePool, pods])).toEqual([
      ['heavy', ['default/small']],
      ['light', ['default/large']],
    ]);
  });
});

describe('10.10 limits', () => {
  it('159: nodes that exist count', () => {
    const nodePools = [aNodePool({ limits: { cpu: 3000 } })];
    const web = named('web', { requests: { cpu: 1500 }, nodeSelector: { [ZONE]: 'us-east-1b' } });

    expect(planOf({ nodePools, pods: [web] }).claims).toHaveLength(1);
    expect(planOf({ nodePools, nodes: [aStateNode()], pods: [web] }).refused).toMatchObject([
      { by: 'limits' },
    ]);
  });

  it('160: any resource can be limited', () => {
    const { refused } = planOf({
      nodePools: [aNodePool({ limits: { pods: 1 } })],
      pods: [named('web')],
    });

    expect(refused).toMatchObject([{ by: 'limits' }]);
  });
});
