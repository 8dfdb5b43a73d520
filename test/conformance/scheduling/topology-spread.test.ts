import { describe, expect, it } from 'vitest';
import type { StateNode } from '#lib/model/node.ts';
import type { Pod, TopologySpreadConstraint } from '#lib/model/pod.ts';
import { spec, taint, tolerating } from '#test/build/constraints.ts';
import { aCatalog, anInstanceType } from '#test/build/instance-types.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { aNode, anUnmanagedNode } from '#test/build/nodes.ts';
import { NOON } from '#test/build/objects.ts';
import {
  affinity,
  CAPACITY_TYPE,
  evenly,
  HOSTNAME,
  named,
  next,
  ofAnApp,
  planOf,
  pool,
  skewOf,
  stand,
  ZONE,
} from '#test/build/plans.ts';
import { aRunningPod } from '#test/build/pods.ts';
import { aSnapshot, someSettings } from '#test/build/snapshots.ts';
import { aBoundClaim, aVolume, inZones } from '#test/build/volumes.ts';

const web = (
  count: number,
  constraint: Partial<TopologySpreadConstraint> = {},
  difference: Parameters<typeof ofAnApp>[2] = {},
): Pod[] =>
  ofAnApp('web', count, {
    topologySpread: [evenly('web', constraint.topologyKey ?? ZONE, constraint)],
    ...difference,
  });
/** A full node in a zone with pods of the app that run there. */
const host = (
  name: string,
  labels: Readonly<Record<string, string>>,
  count: number,
  more: Parameters<typeof aNode>[0] = {},
): StateNode =>
  anUnmanagedNode(
    aNode({ ...more, meta: { name, labels }, allocatable: { cpu: 0 } }),
    Array.from({ length: count }, (_, at) =>
      aRunningPod({
        meta: { name: `old-${name}-${at}`, labels: { app: 'web' } },
        nodeName: name,
        requests: { cpu: 0 },
      }),
    ),
  );
const inZone = (letter: string, count: number, more: Readonly<Record<string, string>> = {}) =>
  host(`node-${letter}`, { [ZONE]: `us-east-1${letter}`, ...more }, count);
const restricted = (...lines: string[]) =>
  aNodePool({ template: { requirements: lines.map((line) => spec(line)) } });

describe('10.1 topology spread, most discriminating', () => {
  it('13: domains that have nodes count, those that can be filled are filled up to the skew', () => {
    const after = stand({
      nodePools: [restricted(`${ZONE} In us-east-1c`)],
      nodes: [inZone('a', 1), inZone('b', 1)],
      pods: web(10, { maxSkew: 5 }),
    });

    expect(skewOf(after, 'web')).toEqual([1, 1, 6]);
    expect(after.pods).toHaveLength(4);
  });

  it('15: with fewer domains than minDomains the least count is taken for none', () => {
    const two = stand({
      nodePools: [restricted(`${ZONE} In us-east-1a us-east-1b`)],
      pods: web(3, { minDomains: 3 }),
    });
    const three = (minDomains: number) => stand({ pods: web(11, { minDomains }) });

    expect(skewOf(two, 'web')).toEqual([1, 1]);
    expect(two.pods).toHaveLength(1);
    expect(skewOf(three(3), 'web')).toEqual([3, 4, 4]);
    expect(skewOf(three(2), 'web')).toEqual([3, 4, 4]);
  });

  it('16: a spread over a key of the pools shares pods out between capacity types', () => {
    const after = stand({
      nodePools: [
        pool('spot', {
          template: { requirements: [spec(`${CAPACITY_TYPE} In spot`), spec('k In 2 3 4 5')] },
        }),
        pool('demand', {
          template: { requirements: [spec(`${CAPACITY_TYPE} In on-demand`), spec('k In 1')] },
        }),
      ],
      pods: web(20, { topologyKey: 'k' }),
    });

    expect(skewOf(after, 'web', 'k')).toEqual([4, 4, 4, 4, 4]);
    expect(skewOf(after, 'web', CAPACITY_TYPE)).toEqual([4, 16]);
  });

  it('40: a default constraint spreads the pods of each owner by themselves', () => {
    const owner = (name: string) => ({
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      name,
      uid: `uid-of-${name}`,
      controller: true,
    });
    const { selector: _, ...constraint } = evenly('', ZONE);
    const apps = ['one', 'two'];
    const after = stand({
      settings: someSettings({ defaultSpread: [constraint] }),
      workloadSelectors: apps.map((app) => ({
        kind: 'ReplicaSet',
        meta: { ...named(app).meta, uid: `uid-of-${app}` },
        selector: { matchLabels: { app }, matchExpressions: [] },
      })),
      pods: apps.flatMap((app) =>
        ofAnApp(app, 3, { meta: { labels: { app }, name: app, owners: [owner(app)] } }),
      ),
    });

    expect(apps.map((app) => skewOf(after, app))).toEqual([
      [1, 1, 1],
      [1, 1, 1],
    ]);
  });
});

describe('10.2 topology spread', () => {
  it.each([
    ['labels', { matchLabels: { app: 'web' }, matchExpressions: [] }],
    [
      'expressions',
      {
        matchLabels: {},
        matchExpressions: [{ key: 'app', operator: 'In' as const, values: ['web'] }],
      },
    ],
  ])('41: four pods over three zones, selected by %s', (_, selector) => {
    expect(skewOf(stand({ pods: web(4, { selector }) }), 'web')).toEqual([1, 1, 2]);
  });

  it('43: pools may be the domains', () => {
    const after = stand({
      nodePools: ['a', 'b'].map((letter) =>
        pool(letter, { template: { labels: { [ZONE]: `us-east-1${letter}` } } }),
      ),
      pods: web(4),
    });

    expect(skewOf(after, 'web')).toEqual([2, 2]);
  });

  it('44: a key that nobody has refuses its pod and no other', () => {
    const { refused, claims } = planOf({
      pods: [...web(1, { topologyKey: 'nobody' }), named('other')],
    });

    expect(refused).toMatchObject([{ pod: 'default/web-1', by: 'topology' }]);
    expect(claims.flatMap(({ pods }) => pods)).toEqual(['default/other']);
  });

  it('46: a spread that selects nobody counts nobody', () => {
    const { selector: _, ...blind } = evenly('web', ZONE);
    const after = stand({ pods: ofAnApp('web', 2, { topologySpread: [blind] }) });

    expect(skewOf(after, 'web')).toEqual([2]);
  });

  it('47: a host that is there is used rather than a new node for a soft spread (upstream makes one)', () => {
    const roomy = anUnmanagedNode(aNode(), [aRunningPod({ meta: { labels: { app: 'web' } } })]);
    const soft = web(
      1,
      { topologyKey: HOSTNAME, whenUnsatisfiable: 'ScheduleAnyway' },
      {
        meta: { name: 'soft' },
      },
    );
    const under = (preferencePolicy: 'Respect' | 'Ignore') =>
      planOf({ settings: someSettings({ preferencePolicy }), nodes: [roomy], pods: soft });

    expect(under('Respect').placements).toHaveLength(1);
    expect(under('Respect').warnings).toEqual([
      expect.stringContaining('placed without its topology spread'),
    ]);
    expect(under('Ignore').placements).toHaveLength(1);
  });

  it('48: what has other labels, another namespace, no node or no life left does not count', () => {
    const decoy = (name: string, difference: Parameters<typeof aRunningPod>[0]) =>
      aRunningPod({
        ...difference,
        meta: { labels: { app: 'web' }, ...difference?.meta, name },
        requests: { cpu: 0 },
        nodeName: 'node-a',
      });
    const crowded = {
      ...inZone('a', 2),
      pods: [
        ...inZone('a', 2).pods,
        decoy('other', { meta: { labels: { app: 'other' } } }),
        decoy('far', { meta: { namespace: 'far' } }),
        decoy('going', { meta: { deletedAt: NOON } }),
        decoy('done', { phase: 'Succeeded' }),
        decoy('broken', { phase: 'Failed' }),
      ],
    };
    const lost = inZone('z', 3);
    const { [ZONE]: _zone, ...unzoned } = lost.node?.meta.labels ?? {};
    const nowhere = {
      ...lost,
      ...(lost.node && {
        node: { ...lost.node, meta: { ...lost.node.meta, labels: unzoned } },
      }),
    };
    const after = stand({ nodes: [crowded, inZone('b', 1), nowhere], pods: web(2) });
    const alive = after.nodes.map((node) => ({
      ...node,
      pods: node.pods.filter(
        ({ meta, phase }) =>
          phase === 'Running' && meta.deletedAt === undefined && meta.namespace === 'default',
      ),
    }));

    expect(skewOf({ ...after, nodes: alive }, 'web')).toEqual([1, 2, 2]);
  });

  it('50: a pod in a zone that the pool has left holds the others back', () => {
    const after = stand({
      nodePools: [restricted(`${ZONE} In us-east-1b us-east-1c`)],
      nodes: [inZone('a', 1)],
      pods: web(10),
    });

    expect(skewOf(after, 'web')).toEqual([1, 2, 2]);
  });

  it('51: a spread over hosts makes as many nodes as its skew asks for', () => {
    const nodes = (maxSkew: number) =>
      planOf({ pods: web(4, { topologyKey: HOSTNAME, maxSkew }) }).claims.length;

    expect(nodes(1)).toBe(4);
    expect(nodes(4)).toBe(1);
  });

  it('52: two apps that spread over hosts share nodes, unless they need different ones', () => {
    const apps = (more: Parameters<typeof ofAnApp>[2][]) =>
      planOf({
        catalog: aCatalog([
          anInstanceType('m5.large'),
          anInstanceType('c6g.large', { arch: 'arm64' }),
        ]),
        pods: ['one', 'two'].flatMap((app, at) =>
          ofAnApp(app, 2, { topologySpread: [evenly(app, HOSTNAME)], ...more[at] }),
        ),
      }).claims.length;
    const arch = (value: string) => ({ nodeSelector: { 'kubernetes.io/arch': value } });

    expect(apps([])).toBe(2);
    expect(apps([arch('amd64'), arch('arm64')])).toBe(4);
  });

  it('54: a capacity type that the pool has left holds back a hard spread, not a soft one', () => {
    const with5 = (whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway') =>
      stand({
        nodePools: [restricted(`${CAPACITY_TYPE} In on-demand`)],
        nodes: [host('spot', { [CAPACITY_TYPE]: 'spot' }, 1)],
        pods: web(5, { topologyKey: CAPACITY_TYPE, whenUnsatisfiable }),
      });

    expect(skewOf(with5('DoNotSchedule'), 'web', CAPACITY_TYPE)).toEqual([1, 2]);
    expect(skewOf(with5('ScheduleAnyway'), 'web', CAPACITY_TYPE)).toEqual([1, 5]);
  });

  it('55: a node that the pod may not use is not counted', () => {
    const nodes = [host('old', { [CAPACITY_TYPE]: 'on-demand', [ZONE]: 'us-east-1a' }, 1)];
    const over = { topologyKey: CAPACITY_TYPE };
    const picky = stand({
      nodes,
      pods: web(5, over, {
        nodeSelector: { [ZONE]: 'us-east-1b', [CAPACITY_TYPE]: 'spot' },
      }),
    });
    const free = stand({
      nodePools: [restricted(`${CAPACITY_TYPE} In spot`)],
      nodes,
      pods: web(5, over),
    });

    expect(skewOf(picky, 'web', CAPACITY_TYPE)).toEqual([1, 5]);
    expect(skewOf(free, 'web', CAPACITY_TYPE)).toEqual([1, 2]);
  });

  it('56: the architecture may be spread over, one that cannot be had included', () => {
    const after = stand({
      catalog: aCatalog([anInstanceType('c6g.large', { arch: 'arm64' })]),
      nodePools: [restricted('kubernetes.io/arch In arm64')],
      nodes: [host('old', { 'kubernetes.io/arch': 'amd64' }, 1)],
      pods: web(5, { topologyKey: 'kubernetes.io/arch' }),
    });

    expect(skewOf(after, 'web', 'kubernetes.io/arch')).toEqual([1, 2]);
  });

  it('59: two constraints hold together, batch after batch', () => {
    const both = (count: number, name: string) =>
      ofAnApp('web', count, {
        meta: { name },
        topologySpread: [evenly('web', CAPACITY_TYPE), evenly('web', ZONE)],
      });
    let standing = aSnapshot();
    for (const [batch, count] of [2, 3, 3, 11].entries()) {
      standing = next(standing, both(count, `batch-${batch}`));
    }

    expect(skewOf(standing, 'web', CAPACITY_TYPE).every((count) => count <= 11)).toBe(true);
    expect(skewOf(standing, 'web').every((count) => count <= 7)).toBe(true);
    expect(standing.pods).toEqual([]);
  });

  it('61: pods of different versions are spread apart from each other', () => {
    const version = (k: string | undefined) =>
      ofAnApp('web', 2, {
        meta: { name: `of-${k}`, labels: { app: 'web', ...(k && { k }) } },
        topologySpread: [evenly('web', HOSTNAME, { matchLabelKeys: ['k'] })],
      });

    expect(
      planOf({ pods: [...version('a'), ...version('b')] }).claims.map(({ pods }) => pods.length),
    ).toEqual([2, 2]);
    expect(planOf({ pods: [...version(undefined), ...version('')] }).claims).toHaveLength(4);
  });

  it.each([
    ['taints', 'Ignore', 1],
    ['taints', 'Honor', 5],
    ['labels', 'Ignore', 1],
    ['labels', 'Honor', 5],
  ] as const)(
    '62, 65: nodes that the pods may not use for their %s, policy %s',
    (what, policy, placed) => {
      const minded = what === 'taints' ? { taints: [taint('no=x:NoSchedule')] } : {};
      const after = stand({
        nodePools: [
          aNodePool({ template: { labels: { rack: 'baz' }, requirements: [spec('use In web')] } }),
        ],
        nodes: ['foo', 'bar'].map((rack) => host(rack, { rack, use: 'other' }, 0, minded)),
        pods: web(
          5,
          {
            topologyKey: 'rack',
            ...(what === 'taints' ? { nodeTaintsPolicy: policy } : { nodeAffinityPolicy: policy }),
          },
          what === 'labels' ? { nodeSelector: { use: 'web' } } : {},
        ),
      });

      expect(skewOf(after, 'web', 'rack')).toEqual([placed]);
    },
  );

  it.each([
    ['Ignore', 1],
    ['Honor', 5],
  ] as const)('65: a zone that the pods may not go to, policy %s', (nodeAffinityPolicy, placed) => {
    const after = stand({
      nodes: [inZone('b', 0)],
      pods: web(5, { nodeAffinityPolicy }, { nodeSelector: { [ZONE]: 'us-east-1a' } }),
    });

    expect(skewOf(after, 'web')).toEqual([placed]);
  });

  it('63: domains of pools whose taints a pod minds do not count where taints are honoured', () => {
    const under = (nodeTaintsPolicy: 'Ignore' | 'Honor') =>
      stand({
        nodePools: [
          pool('open', { template: { labels: { rack: 'foo' } } }),
          pool('tainted', {
            template: { labels: { rack: 'bar' }, taints: [taint('no=x:NoSchedule')] },
          }),
        ],
        pods: web(2, { topologyKey: 'rack', nodeTaintsPolicy }),
      });

    expect(skewOf(under('Ignore'), 'web', 'rack')).toEqual([1]);
    expect(skewOf(under('Honor'), 'web', 'rack')).toEqual([2]);
  });

  it('64: each pod spreads over the domains of the pools that it tolerates', () => {
    const over = { topologyKey: 'rack', nodeTaintsPolicy: 'Honor' as const };
    const after = stand({
      nodePools: (['a', 'b'] as const).map((key) =>
        pool(key, {
          template: {
            taints: [taint(`${key}=x:NoSchedule`)],
            requirements: [spec(`rack In foo ${key === 'a' ? 'bar' : 'baz'}`)],
          },
        }),
      ),
      pods: [
        ...web(2, over, { meta: { name: 'like-a' }, tolerations: [tolerating('a')] }),
        ...web(4, over, { meta: { name: 'like-b' }, tolerations: [tolerating('b')] }),
      ],
    });

    expect(after.pods).toEqual([]);
    expect(skewOf(after, 'web', 'rack')).toEqual([1, 2, 3]);
  });

  it('66: each pod is held to its own domains', () => {
    const only = (letter: string, count: number) =>
      web(count, {}, { meta: { name: letter }, nodeSelector: { [ZONE]: `us-east-1${letter}` } });

    expect(skewOf(stand({ pods: [...only('a', 5), ...only('b', 10)] }), 'web')).toEqual([5, 10]);
  });

  it('67: affinity to two zones spreads over the two', () => {
    const among = (count: number, name: string, letters: string) =>
      web(
        count,
        {},
        {
          meta: { name },
          ...(letters &&
            affinity([`${ZONE} In ${[...letters].map((each) => `us-east-1${each}`).join(' ')}`])),
        },
      );
    const six = stand({ pods: among(6, 'ab', 'ab') });
    const seven = next(six, among(1, 'bc', 'bc'));

    expect(skewOf(stand({ pods: among(10, 'ab', 'ab') }), 'web')).toEqual([5, 5]);
    expect(skewOf(six, 'web')).toEqual([3, 3]);
    expect(skewOf(seven, 'web')).toEqual([1, 3, 3]);
    expect(skewOf(next(seven, among(5, 'any', '')), 'web')).toEqual([4, 4, 4]);
  });

  it('68: a preferred zone does not restrict the domains', () => {
    const after = stand({
      pods: web(6, {}, affinity([], [[1, `${ZONE} In us-east-1a us-east-1b`]])),
    });

    expect(skewOf(after, 'web')).toEqual([2, 2, 2]);
  });

  it('69: affinity to capacity types widens batch by batch', () => {
    const of = (count: number, name: string, ...types: string[]) =>
      web(
        count,
        { topologyKey: CAPACITY_TYPE },
        {
          meta: { name },
          ...(types.length > 0 && affinity([`${CAPACITY_TYPE} In ${types.join(' ')}`])),
        },
      );
    const three = stand({ pods: of(3, 'spot', 'spot') });
    const four = next(three, of(1, 'both', 'spot', 'on-demand'));

    expect(skewOf(three, 'web', CAPACITY_TYPE)).toEqual([3]);
    expect(skewOf(four, 'web', CAPACITY_TYPE)).toEqual([1, 3]);
    expect(skewOf(next(four, of(5, 'free')), 'web', CAPACITY_TYPE)).toEqual([4, 5]);
  });

  it('70: the zone of a volume binds its pod, not the count', () => {
    const after = stand({
      nodes: ['a', 'b', 'c'].map((letter) => inZone(letter, 1)),
      persistentVolumeClaims: [aBoundClaim()],
      persistentVolumes: [aVolume({ nodeAffinity: inZones('us-east-1a') })],
      pods: web(1, { minDomains: 3 }, { volumes: [{ volume: 'v', claimName: 'data' }] }),
    });

    expect(skewOf(after, 'web')).toEqual([1, 1, 2]);
    expect(after.pods).toEqual([]);
  });

  it('72: a soft spread that is to be ignored lets pods share a node', () => {
    const { claims } = planOf({
      settings: someSettings({ preferencePolicy: 'Ignore' }),
      pods: web(4, { topologyKey: HOSTNAME, whenUnsatisfiable: 'ScheduleAnyway' }),
    });

    expect(claims).toHaveLength(1);
  });
});
