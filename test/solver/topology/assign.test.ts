import { describe, expect, it } from 'vitest';
import { spec, taint, tolerating } from '#test/build/constraints.ts';
import { aCatalog, anInstanceType } from '#test/build/instance-types.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { aNode, aStateNode } from '#test/build/nodes.ts';
import { appPods, byZone, perNode, placed } from '#test/build/placing.ts';
import { aRunningPod } from '#test/build/pods.ts';
import { apart, aSpread, aTerm, labelled, near, ZONE_KEY } from '#test/build/topology.ts';

const inZone = (zone: string, pods = 0) =>
  aStateNode({
    node: aNode({ meta: { name: `node-${zone}`, labels: { [ZONE_KEY]: zone } } }),
    pods: Array.from({ length: pods }, (_, at) =>
      aRunningPod({
        meta: { name: `old-${zone}-${at}`, labels: { app: 'web' } },
        requests: { cpu: 100 },
      }),
    ),
  });

describe('assignDomains', () => {
  it('spreads pods evenly over the zones in which nodes could be made', () => {
    const { claims } = placed({ pods: appPods('web', 7, { topologySpread: [aSpread()] }) });

    expect(byZone(claims)).toEqual(['us-east-1a 3', 'us-east-1b 2', 'us-east-1c 2']);
  });

  it('counts what runs already', () => {
    const { claims, placements } = placed({
      nodes: [inZone('us-east-1a', 2)],
      pods: appPods('web', 4, { topologySpread: [aSpread()] }),
    });

    expect(placements).toEqual([]);
    expect(byZone(claims)).toEqual(['us-east-1b 2', 'us-east-1c 2']);
  });

  it('fills room that is there before it makes nodes in other zones', () => {
    const { claims, placements } = placed({
      nodes: [inZone('us-east-1b')],
      pods: appPods('web', 3, { topologySpread: [aSpread({ maxSkew: 3 })] }),
    });

    expect(placements).toHaveLength(3);
    expect(claims).toEqual([]);
  });

  it('uses fewer domains than it could where that saves nodes', () => {
    const { claims } = placed({
      pods: appPods('web', 3, { topologySpread: [aSpread({ maxSkew: 3 })] }),
    });

    expect(perNode(claims)).toEqual([3]);
  });

  it('holds pods back that an empty zone without nodes keeps waiting', () => {
    const sold = anInstanceType('m5.large', {
      soldOut: ['us-east-1c/on-demand', 'us-east-1c/spot'],
    });
    const { claims, refused } = placed({
      catalog: aCatalog([sold]),
      pods: appPods('web', 4, { topologySpread: [aSpread()] }),
    });

    expect(byZone(claims)).toEqual(['us-east-1a 1', 'us-east-1b 1']);
    expect(refused).toMatchObject([
      { by: 'offerings', because: expect.stringContaining('leaves only us-east-1c') },
      { by: 'offerings' },
    ]);
  });

  it('keeps to fewer where limits end the nodes of a zone', () => {
    const onlyIn = (zone: string, nodes: number) =>
      aNodePool({
        meta: { name: zone },
        limits: { nodes },
        template: { requirements: [spec(`${ZONE_KEY} In ${zone}`)] },
      });
    const { claims, refused } = placed({
      catalog: aCatalog([anInstanceType()]),
      nodePools: [onlyIn('us-east-1a', 9), onlyIn('us-east-1b', 1)],
      pods: appPods('web', 8, { topologySpread: [aSpread()], requests: { cpu: 1800 } }),
    });

    expect(byZone(claims).map((line) => line.slice(0, 12))).toEqual([
      'us-east-1a 2',
      'us-east-1b 1',
    ]);
    expect(refused).toHaveLength(5);
  });

  it('keeps those even whom a spread counts, where its owners stand', () => {
    const { claims } = placed({
      catalog: aCatalog([anInstanceType('m5.large', { cpu: 2 })]),
      pods: [
        ...appPods('web', 6, { requests: { cpu: 1900 } }),
        ...appPods('owner', 3, { topologySpread: [aSpread()] }),
      ],
    });
    const zoneOf = (claim: (typeof claims)[number]) =>
      claim.requirements.find(({ key }) => key === ZONE_KEY)?.values?.[0] ?? '';
    const websIn = (zone: string) =>
      claims
        .filter((claim) => zoneOf(claim) === zone)
        .flatMap(({ pods }) => pods.filter((pod) => pod.startsWith('default/web'))).length;
    const zones = ['us-east-1a', 'us-east-1b', 'us-east-1c'];
    const least = Math.min(...zones.map(websIn));
    const owners = claims.filter(({ pods }) => pods.some((pod) => /owner/.test(pod)));

    expect(owners.map((claim) => websIn(zoneOf(claim)) - least <= 1)).not.toContain(false);
  });

  it('sends pods after those whom they must be near', () => {
    const { claims } = placed({
      pods: [
        ...appPods('cache', 2, near(aTerm({ topologyKey: ZONE_KEY }))),
        ...appPods('web', 1, { nodeSelector: { [ZONE_KEY]: 'us-east-1c' } }),
      ],
    });

    expect(byZone(claims)).toEqual(['us-east-1c 3']);
  });

  it('lets the first go where the others can follow', () => {
    const { claims } = placed({
      pods: [
        ...appPods('cache', 2, {
          ...near(aTerm({ topologyKey: ZONE_KEY })),
          nodeSelector: { [ZONE_KEY]: 'us-east-1b' },
        }),
        ...appPods('web', 1),
      ],
    });

    expect(byZone(claims)).toEqual(['us-east-1b 3']);
  });

  it('keeps a group together that wants its own kind in its zone', () => {
    const { claims } = placed({
      pods: appPods('web', 5, near(aTerm({ topologyKey: ZONE_KEY }))),
    });

    expect(byZone(claims)).toHaveLength(1);
    expect(claims.flatMap(({ pods }) => pods)).toHaveLength(5);
  });

  it('gives each its own zone that wants none of its kind there, and says who is left', () => {
    const { claims, refused } = placed({
      pods: appPods('web', 4, apart(aTerm({ topologyKey: ZONE_KEY }))),
    });

    expect(byZone(claims)).toEqual(['us-east-1a 1', 'us-east-1b 1', 'us-east-1c 1']);
    expect(refused).toMatchObject([
      { by: 'topology', because: expect.stringContaining('anti-affinity') },
    ]);
  });

  it('finds a zone for a pod beside those that it keeps away, whoever came first', () => {
    const { claims, refused } = placed({
      pods: [
        ...appPods('web', 1, { requests: { cpu: 1500 } }),
        ...appPods('shy', 1, apart(aTerm({ topologyKey: ZONE_KEY }))),
      ],
    });

    expect(refused).toEqual([]);
    expect(byZone(claims)).toHaveLength(2);
  });

  it('tells a pod apart whose key no node has', () => {
    const { refused } = placed({
      pods: appPods('web', 1, { topologySpread: [aSpread({ topologyKey: 'rack' })] }),
    });

    expect(refused).toMatchObject([
      {
        by: 'topology',
        because: expect.stringContaining('no node has it and no NodePool gives it'),
      },
    ]);
  });

  it('spreads over two keys at once', () => {
    const { claims } = placed({
      pods: appPods('web', 6, {
        topologySpread: [aSpread(), aSpread({ topologyKey: 'karpenter.sh/capacity-type' })],
      }),
    });
    const spot = claims.filter(({ requirements }) =>
      requirements.some(({ values }) => values?.join() === 'spot'),
    );

    expect(byZone(claims).map((line) => line.at(-1))).toEqual(['2', '2', '2']);
    expect(spot.flatMap(({ pods }) => pods)).toHaveLength(3);
  });

  it('leaves a zone to the pods that must have it', () => {
    const pinned = { nodeSelector: { [ZONE_KEY]: 'us-east-1a' } };
    const { refused } = placed({
      pods: [
        ...appPods(
          'web',
          1,
          apart(aTerm({ topologyKey: ZONE_KEY, selector: labelled({ set: 'x' }) })),
        ).map((pod) => ({ ...pod, meta: { ...pod.meta, labels: { set: 'x' } } })),
        ...appPods('db', 1, {
          ...pinned,
          ...apart(aTerm({ topologyKey: ZONE_KEY, selector: labelled({ set: 'x' }) })),
          meta: { labels: { set: 'x' } },
        }),
      ],
    });

    expect(refused).toEqual([]);
  });

  it('64: counts only pods on nodes whose taints the owner tolerates, where it says so', () => {
    const pool = (name: string, ...racks: string[]) =>
      aNodePool({
        meta: { name },
        template: {
          taints: [taint(`${name}=x:NoSchedule`)],
          requirements: [spec(`rack In ${racks.join(' ')}`)],
        },
      });
    const spread = {
      topologySpread: [aSpread({ topologyKey: 'rack', nodeTaintsPolicy: 'Honor' })],
    };
    const { claims, refused } = placed({
      nodePools: [pool('a', 'foo', 'bar'), pool('b', 'foo', 'baz')],
      pods: [
        ...appPods('web', 2, { ...spread, tolerations: [tolerating('a')] }),
        ...appPods('like-b', 4, {
          ...spread,
          tolerations: [tolerating('b')],
          meta: { labels: { app: 'web' } },
        }),
      ],
    });
    const racks = claims.flatMap(({ requirements, pods }) => {
      const rack = requirements.find(({ key }) => key === 'rack')?.values?.join('|') ?? '';
      return pods.map(() => rack);
    });

    expect(refused).toEqual([]);
    expect(racks.sort()).toEqual(['bar', 'baz', 'baz', 'foo', 'foo', 'foo']);
  });
});
