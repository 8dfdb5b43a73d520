import { describe, expect, it } from 'vitest';
import type { Pod, PodAffinityTerm } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { spec } from '#test/build/constraints.ts';
import { aCatalog, anInstanceType } from '#test/build/instance-types.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { aNode, anUnmanagedNode } from '#test/build/nodes.ts';
import { aMeta } from '#test/build/objects.ts';
import {
  about,
  affinity,
  apart,
  evenly,
  HOSTNAME,
  named,
  near,
  next,
  ofAnApp,
  planOf,
  ratherApart,
  skewOf,
  stand,
  ZONE,
} from '#test/build/plans.ts';
import { aRunningPod } from '#test/build/pods.ts';

const inZones = (...letters: string[]) => [
  aNodePool({
    template: {
      requirements: [spec(`${ZONE} In ${letters.map((each) => `us-east-1${each}`).join(' ')}`)],
    },
  }),
];
const fiveOnANode = aCatalog([anInstanceType('m5.large', { pods: 5 })]);
const zoned = (letter: string) => ({ nodeSelector: { [ZONE]: `us-east-1${letter}` } });
/** A full node of a zone on which a pod of the app runs. */
const running = (
  app: string,
  letter: string,
  difference: Parameters<typeof aRunningPod>[0] = {},
) => {
  const name = `node-${letter}`;
  return anUnmanagedNode(
    aNode({ meta: { name, labels: { [ZONE]: `us-east-1${letter}` } }, allocatable: { cpu: 0 } }),
    [
      aRunningPod({
        requests: { cpu: 0 },
        nodeName: name,
        ...difference,
        meta: { name: `old-${letter}`, labels: { app }, ...difference.meta },
      }),
    ],
  );
};
/** Where the pods stand, by name. */
const zonesOf = ({ nodes }: Snapshot): Record<string, string | undefined> =>
  Object.fromEntries(
    nodes.flatMap(({ node, pods }) => pods.map(({ meta }) => [meta.name, node?.meta.labels[ZONE]])),
  );

describe('10.1 pod affinity, most discriminating', () => {
  it('2: a pod that keeps others out of its zone and one of them are placed at once, in zones of their own (upstream: in two passes)', () => {
    const after = stand({
      pods: [
        named('loner', { requests: { cpu: 2000 }, ...apart(about('web', ZONE)) }),
        ...ofAnApp('web', 1),
      ],
    });
    const zones = zonesOf(after);

    expect(after.pods).toEqual([]);
    expect(zones.loner).not.toBe(zones['web-1']);
  });

  it('4: pods that would rather not share a zone with others are all placed', () => {
    const after = stand({
      pods: [
        ...ofAnApp('shy', 3, ratherApart(about('web', ZONE))),
        ...ofAnApp('web', 3, { requests: { cpu: 1000 } }),
      ],
    });

    expect(after.pods).toEqual([]);
  });

  it('5: pods that must share a host fill one node, and no second', () => {
    const pods = (name: string) =>
      ofAnApp('web', 10, { ...near(about('web', HOSTNAME)), meta: { name } });
    const first = stand({ catalog: fiveOnANode, pods: pods('first') });
    const second = next(first, pods('second'));

    expect(skewOf(first, 'web', HOSTNAME)).toEqual([5]);
    expect(skewOf(second, 'web', HOSTNAME)).toEqual([5]);
  });

  it('6: a host that a pod may not use is where it would have to be', () => {
    const { refused } = planOf({
      nodes: [running('web', 'a')],
      pods: ofAnApp('web', 10, {
        ...near(about('web', HOSTNAME)),
        ...affinity([`${ZONE} In us-east-1b us-east-1c`]),
      }),
    });

    expect(refused).toHaveLength(10);
  });

  it('7: of two pods that look for their like in zones that exclude each other one is placed (upstream makes a node for both, and kube-scheduler binds one)', () => {
    const after = stand({
      pods: ['b', 'c'].flatMap((zone) =>
        ofAnApp('web', 1, { ...near(about('web', ZONE)), ...zoned(zone), meta: { name: zone } }),
      ),
    });

    expect(Object.keys(zonesOf(after))).toEqual(['b-1']);
    expect(after.pods.map(({ meta }) => meta.name)).toEqual(['c-1']);
  });

  it('8: followers are placed beside a pod whose zone was open, at once (upstream: a pass later)', () => {
    const after = stand({
      pods: [...ofAnApp('follower', 10, near(about('web', ZONE))), ...ofAnApp('web', 1)],
    });

    expect(after.pods).toEqual([]);
    expect(new Set(Object.values(zonesOf(after))).size).toBe(1);
  });

  it('9: followers are placed beside a pod whose zone is given', () => {
    const after = stand({
      pods: [
        ...ofAnApp('follower', 10, near(about('web', ZONE))),
        ...ofAnApp('web', 1, zoned('b')),
      ],
    });

    expect(after.pods).toEqual([]);
    expect(new Set(Object.values(zonesOf(after)))).toEqual(new Set(['us-east-1b']));
  });

  it('10: a chain of pods, each near the next, is placed in one pass whatever their order', () => {
    const chain = [
      ...ofAnApp('ui', 2, near(about('cache', ZONE))),
      ...ofAnApp('cache', 2, near(about('web', HOSTNAME))),
      ...ofAnApp('web', 2, near(about('db', ZONE))),
      ...ofAnApp('db', 1, zoned('c')),
    ];

    for (const pods of [chain, chain.toReversed()]) expect(planOf({ pods }).refused).toEqual([]);
  });

  it('11: a chain whose end is missing is refused as a whole', () => {
    const { refused, claims } = planOf({
      pods: [
        ...ofAnApp('ui', 1, near(about('cache', ZONE))),
        ...ofAnApp('cache', 1, near(about('web', HOSTNAME))),
        ...ofAnApp('web', 1, near(about('db', ZONE))),
      ],
    });

    expect(refused).toHaveLength(3);
    expect(claims).toEqual([]);
  });
});

describe('10.3 pod affinity and anti-affinity', () => {
  it('73: empty affinities ask for nothing', () => {
    expect(planOf({ pods: [named('web', { ...near(), ...apart() })] }).refused).toEqual([]);
  });

  it('74: a follower finds the host of its pod among hosts that others are spread over', () => {
    const after = stand({
      pods: [
        ...ofAnApp('filler', 9, { topologySpread: [evenly('filler', HOSTNAME)] }),
        ...ofAnApp('web', 1),
        ...ofAnApp('follower', 1, near(about('web', HOSTNAME))),
      ],
    });
    const host = (name: string) =>
      after.nodes.find(({ pods }) => pods.some(({ meta }) => meta.name === name))?.name;

    expect(after.pods).toEqual([]);
    expect(host('follower-1')).toBe(host('web-1'));
  });

  it('75: nearness may be over the architecture', () => {
    const arch = 'kubernetes.io/arch';
    const after = stand({
      catalog: aCatalog([
        anInstanceType('m5.large', { usdPerHour: 0.01 }),
        anInstanceType('c6g.large', { arch: 'arm64' }),
      ]),
      pods: [
        ...ofAnApp('web', 1, { nodeSelector: { [arch]: 'arm64' }, requests: { cpu: 1500 } }),
        ...ofAnApp('follower', 1, { ...near(about('web', arch)), requests: { cpu: 1500 } }),
      ],
    });

    expect(after.nodes.map(({ node }) => node?.meta.labels[arch])).toEqual(['arm64', 'arm64']);
  });

  it('76: pods that want their like share a host, a zone, or the zone that is given', () => {
    const like = (key: string, more = {}) =>
      stand({ pods: ofAnApp('web', 3, { ...near(about('web', key)), ...more }) });

    expect(skewOf(like(HOSTNAME), 'web', HOSTNAME)).toEqual([3]);
    expect(skewOf(like(ZONE, { requests: { cpu: 9000 } }), 'web')).toEqual([3]);
    expect(zonesOf(like(ZONE, zoned('c')))['web-1']).toBe('us-east-1c');
  });

  it('77: what a pod merely prefers is given up', () => {
    const preferred = [{ weight: 1, term: about('nobody', ZONE) }];

    expect(
      planOf({ pods: [named('web', { podAffinity: { required: [], preferred } })] }).refused,
    ).toEqual([]);
    expect(
      planOf({
        nodePools: inZones('a'),
        pods: ofAnApp('web', 2, { ...ratherApart(about('web', ZONE)), ...zoned('a') }),
      }).refused,
    ).toEqual([]);
  });

  it('79: a pod that shuns pods of every zone is refused', () => {
    const { refused } = planOf({
      nodes: ['a', 'b', 'c'].map((letter) => running('web', letter)),
      pods: ofAnApp('loner', 1, apart(about('web', ZONE))),
    });

    expect(refused).toMatchObject([{ by: 'topology' }]);
  });

  it('80: a pod and one that shuns it are placed in zones of their own (upstream: the second waits)', () => {
    const after = stand({
      pods: [
        ...ofAnApp('web', 1, { requests: { cpu: 2000 } }),
        ...ofAnApp('loner', 1, apart(about('web', ZONE))),
      ],
    });
    const zones = zonesOf(after);

    expect(after.pods).toEqual([]);
    expect(zones['web-1']).not.toBe(zones['loner-1']);
  });

  it('82: running pods keep others out of their zones, those that merely prefer it do not', () => {
    const beside = (more: Partial<Pod>) =>
      planOf({
        nodes: ['a', 'b', 'c'].map((letter) => running('loner', letter, more)),
        pods: ofAnApp('web', 1),
      }).refused.length;

    expect(beside(apart(about('web', ZONE)))).toBe(1);
    expect(beside(ratherApart(about('web', ZONE)))).toBe(0);
  });

  it('83: a preference that contradicts what is required is given up', () => {
    const after = stand({
      nodes: [running('web', 'a')],
      pods: [
        named('follower', {
          podAffinity: { required: [], preferred: [{ weight: 1, term: about('web', ZONE) }] },
          ...zoned('b'),
        }),
      ],
    });

    expect(zonesOf(after).follower).toBe('us-east-1b');
  });

  it('84: pods that must be near what is not there are refused', () => {
    expect(planOf({ pods: ofAnApp('web', 3, near(about('db', ZONE))) }).refused).toHaveLength(3);
  });

  it.each<[string, Partial<PodAffinityTerm>, number]>([
    ['no namespaces', {}, 1],
    ['the namespace by name', { namespaces: ['far'] }, 0],
    ['all namespaces', { namespaceSelector: { matchLabels: {}, matchExpressions: [] } }, 0],
    [
      'namespaces with a label',
      { namespaceSelector: { matchLabels: { tier: 'far' }, matchExpressions: [] } },
      0,
    ],
  ])('85: a pod of another namespace, asked for by %s', (_, more, refusals) => {
    const { refused } = planOf({
      namespaces: [{ meta: aMeta('default') }, { meta: aMeta('far', { labels: { tier: 'far' } }) }],
      nodes: [running('web', 'a', { meta: { namespace: 'far' } })],
      pods: [named('follower', near(about('web', ZONE, more)))],
    });

    expect(refused).toHaveLength(refusals);
  });

  it('86: a later batch goes where the first one is', () => {
    const batch = (name: string) =>
      ofAnApp('web', 2, { ...near(about('web', ZONE)), requests: { cpu: 1500 }, meta: { name } });
    const after = next(stand({ pods: batch('first') }), batch('second'));

    expect(skewOf(after, 'web')).toEqual([4]);
  });
});
