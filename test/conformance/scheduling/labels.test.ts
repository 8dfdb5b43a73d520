import { describe, expect, it } from 'vitest';
import { spec } from '#test/build/constraints.ts';
import { aCatalog, anInstanceType } from '#test/build/instance-types.ts';
import { aCondition, aNodePool } from '#test/build/node-pools.ts';
import { aNode, anUnmanagedNode } from '#test/build/nodes.ts';
import { NOON } from '#test/build/objects.ts';
import { affinity, named, planOf, pool, requirementOn, ZONE } from '#test/build/plans.ts';
import { aRunningPod } from '#test/build/pods.ts';

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

  it('a pod that contradicts itself is refused, not taken for one that wants no label', () => {
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

  it('a label that must be there and be different is not given by its absence', () => {
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

  it('a pool whose requirements and labels contradict each other gives no nodes', () => {
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

  it('a pod keeps others out of its zone, but nowhere off a node that is in no zone', () => {
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

  it('90: a term that any value satisfies does not widen another', () => {
    const { claims } = planOf({
      pods: [
        named('web', {
          nodeAffinity: {
            required: [
              {
                matchExpressions: [spec(`${ZONE} In us-east-1a`), spec(`${ZONE} Exists`)],
                hasMatchFields: false,
              },
            ],
            preferred: [],
          },
        }),
      ],
    });

    expect(requirementOn(claims[0], ZONE)).toMatchObject([{ values: ['us-east-1a'] }]);
  });

  it.each(['kubernetes.io/foo', 'node.kubernetes.io/foo', 'x.k8s.io/foo'])(
    '92: the label %s may be asked for where the pool gives it',
    (key) => {
      const { refused } = planOf({
        nodePools: [aNodePool({ template: { labels: { [key]: 'x' } } })],
        pods: [named('web', { nodeSelector: { [key]: 'x' } })],
      });

      expect(refused).toEqual([]);
    },
  );

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

  it('98: preferences that contradict each other, or what is required, are given up', () => {
    const plan = planOf({
      pods: [
        named(
          'torn',
          affinity(
            [],
            [
              [1, `${ZONE} In us-east-1a`],
              [1, `${ZONE} In us-east-1b`],
            ],
          ),
        ),
        named('bound', affinity([`${ZONE} In us-east-1c`], [[1, `${ZONE} In us-east-1a`]])),
      ],
    });

    expect(plan.refused).toEqual([]);
    expect(plan.claims.find(({ pods }) => pods.includes('default/bound'))?.cheapest.zone).toBe(
      'us-east-1c',
    );
  });

  it('99: what is required is narrowed by the heaviest preference that it leaves possible', () => {
    const { claims } = planOf({
      pods: [
        named('web', {
          ...affinity(
            [`${ZONE} In us-east-1b us-east-1c`],
            [
              [10, `${ZONE} NotIn us-east-1b`],
              [1, `${ZONE} In us-east-1b`],
            ],
          ),
          nodeSelector: { 'karpenter.sh/capacity-type': 'on-demand' },
        }),
      ],
    });

    expect(claims[0]?.cheapest).toMatchObject({ zone: 'us-east-1c', capacityType: 'on-demand' });
  });

  it('100: static pools are passed over for one that makes nodes', () => {
    const { claims } = planOf({
      nodePools: [pool('a', { replicas: 2, weight: 9 }), pool('b')],
      pods: [named('web')],
    });

    expect(claims).toMatchObject([{ nodePool: 'b' }]);
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
