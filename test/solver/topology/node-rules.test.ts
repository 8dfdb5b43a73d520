import { describe, expect, it } from 'vitest';
import { aNode, aStateNode } from '#test/build/nodes.ts';
import { appPods, perNode, placed } from '#test/build/placing.ts';
import { aRunningPod } from '#test/build/pods.ts';
import { apart, aSpread, aTerm, labelled, NODE_KEY, near } from '#test/build/topology.ts';

const overNodes = (maxSkew: number) => ({
  topologySpread: [aSpread({ topologyKey: NODE_KEY, maxSkew })],
});
const nodeWith = (...running: Parameters<typeof aRunningPod>[0][]) =>
  aStateNode({
    node: aNode(),
    pods: running.map((each, at) =>
      aRunningPod({ requests: { cpu: 100 }, ...each, meta: { ...each?.meta, name: `old-${at}` } }),
    ),
  });

describe('rules over the hostname', () => {
  it.each([
    [1, [1, 1, 1, 1]],
    [2, [2, 2]],
    [4, [4]],
  ])('a spread with maxSkew %i lets as many share a node', (maxSkew, nodes) => {
    expect(perNode(placed({ pods: appPods('web', 4, overNodes(maxSkew)) }).claims)).toEqual(nodes);
  });

  it('count pods that run on a node already', () => {
    const { placements, claims } = placed({
      nodes: [nodeWith({ meta: { labels: { app: 'web' } } })],
      pods: appPods('web', 2, overNodes(2)),
    });

    expect(placements).toHaveLength(1);
    expect(perNode(claims)).toEqual([1]);
  });

  it('let others beside a spread’s owners, but not of its kind', () => {
    const { claims } = placed({
      pods: [...appPods('web', 1, overNodes(1)), ...appPods('other', 3)],
    });

    expect(perNode(claims)).toEqual([4]);
  });

  it('keep pods apart that want it, in both directions', () => {
    const shy = appPods('shy', 1, apart(aTerm()));
    const { claims } = placed({ pods: [...shy, ...appPods('web', 2)] });

    expect(perNode(claims)).toEqual([2, 1]);
  });

  it('give each its own node that wants none of its kind', () => {
    expect(perNode(placed({ pods: appPods('web', 3, apart(aTerm())) }).claims)).toEqual([1, 1, 1]);
  });

  it('keep a pod off a node whose pod will not have it', () => {
    const { placements, claims } = placed({
      nodes: [nodeWith({ ...apart(aTerm()) })],
      pods: appPods('web', 1),
    });

    expect(placements).toEqual([]);
    expect(claims).toHaveLength(1);
  });

  it('keep a pod off a node whose pod it will not have', () => {
    const { placements, claims } = placed({
      nodes: [nodeWith({ meta: { labels: { app: 'web' } } })],
      pods: appPods('shy', 1, apart(aTerm())),
    });

    expect(placements).toEqual([]);
    expect(claims).toHaveLength(1);
  });

  it('let one onto a node that is there, of those that want none of their kind', () => {
    const { placements, claims } = placed({
      nodes: [nodeWith()],
      pods: appPods('web', 2, apart(aTerm())),
    });

    expect(placements).toHaveLength(1);
    expect(perNode(claims)).toEqual([1]);
  });

  it('put a pod where the one runs that it must be near', () => {
    const { placements } = placed({
      nodes: [nodeWith({ meta: { labels: { app: 'web' } } })],
      pods: appPods('cache', 2, near(aTerm())),
    });

    expect(placements).toHaveLength(2);
  });

  it('put a pod on the node of a smaller one that is placed there just now', () => {
    const cache = near(aTerm({ selector: labelled({ app: 'cache' }) }));
    const { placements, refused } = placed({
      nodes: [nodeWith()],
      pods: [
        ...appPods('ui', 1, { ...cache, requests: { cpu: 500 } }),
        ...appPods('cache', 1, { ...near(aTerm()), requests: { cpu: 200 } }),
        ...appPods('web', 1),
      ],
    });

    expect(placements).toHaveLength(3);
    expect(refused).toEqual([]);
  });

  it('give it the room beside that one before others take it', () => {
    const { placements, refused } = placed({
      nodes: [nodeWith()],
      pods: [
        ...appPods('ui', 1, { ...near(aTerm()), requests: { cpu: 1000 } }),
        ...appPods('web', 1, { requests: { cpu: 400 } }),
        ...appPods('other', 9, { requests: { cpu: 100 } }),
      ],
    });

    expect(refused).toEqual([]);
    expect(placements.map(({ pod }) => pod)).toContain('default/ui-1');
  });

  it('gather pods on one node that must be near their own kind', () => {
    expect(perNode(placed({ pods: appPods('web', 6, near(aTerm())) }).claims)).toEqual([6]);
  });

  it('refuse those for whom the one node is too small', () => {
    const { claims, refused } = placed({
      pods: appPods('web', 9, { ...near(aTerm()), requests: { cpu: 15_000 } }),
    });

    expect(claims).toHaveLength(1);
    expect(refused.map(({ by }) => by)).toContain('topology');
  });

  it('bring along whom a pod must be near, and whom that one must be near', () => {
    const { claims, refused } = placed({
      pods: [
        ...appPods('ui', 2, near(aTerm({ selector: labelled({ app: 'cache' }) }))),
        ...appPods('cache', 1, near(aTerm())),
        ...appPods('web', 3),
      ],
    });
    const gathered = claims.find(({ pods }) => pods.includes('default/cache-1'))?.pods ?? [];

    expect(refused).toEqual([]);
    expect(gathered).toEqual(expect.arrayContaining(['default/ui-1', 'default/ui-2']));
    expect(gathered.some((pod) => pod.startsWith('default/web'))).toBe(true);
  });

  it('do not let a pod begin while others of its kind wait who do not ask for it', () => {
    const { claims } = placed({
      pods: [
        ...appPods('web', 1),
        ...appPods('follower', 1, { ...near(aTerm()), meta: { labels: { app: 'web' } } }),
      ],
    });

    expect(perNode(claims)).toEqual([2]);
  });

  it('let it begin after all when those get no node', () => {
    const { claims, refused } = placed({
      pods: [
        ...appPods('web', 1, { nodeSelector: { rack: 'r1' } }),
        ...appPods('follower', 1, { ...near(aTerm()), meta: { labels: { app: 'web' } } }),
      ],
    });

    expect(claims.flatMap(({ pods }) => pods)).toEqual(['default/follower-1']);
    expect(refused.map(({ pod }) => pod)).toEqual(['default/web-1']);
  });

  it('refuse a pod that must be near nobody there is', () => {
    expect(placed({ pods: appPods('cache', 1, near(aTerm())) }).refused).toMatchObject([
      { by: 'topology', because: expect.stringContaining('app=web') },
    ]);
  });

  it('refuse it also where a node is made for others', () => {
    const { claims, refused } = placed({
      pods: [...appPods('cache', 1, near(aTerm())), ...appPods('other', 1)],
    });

    expect(claims.flatMap(({ pods }) => pods)).toEqual(['default/other-1']);
    expect(refused.map(({ pod }) => pod)).toEqual(['default/cache-1']);
  });

  it('want one pod that serves all terms of an affinity, not one for each', () => {
    const { placements, refused } = placed({
      nodes: [nodeWith({ meta: { labels: { app: 'web' } } }, { meta: { labels: { tier: 'db' } } })],
      pods: appPods('cache', 1, near(aTerm(), aTerm({ selector: labelled({ tier: 'db' }) }))),
    });

    expect(placements).toEqual([]);
    expect(refused).toMatchObject([{ by: 'topology' }]);
  });
});
