import { describe, expect, it } from 'vitest';
import { spec, taint } from '#test/build/constraints.ts';
import { aNewClaim, aNodeClaim } from '#test/build/node-claims.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { aNode, anInFlightNode, anUnmanagedNode, aStateNode } from '#test/build/nodes.ts';
import { NOON } from '#test/build/objects.ts';
import { appPods, byZone, placed } from '#test/build/placing.ts';
import { aRunningPod } from '#test/build/pods.ts';
import { apart, aSpread, aTerm, labelled, near, ZONE_KEY } from '#test/build/topology.ts';

/** A NodeClaim that may become a node in either of two zones. */
function openClaim() {
  const claim = aNewClaim({
    meta: { name: 'open' },
    spec: {
      requirements: [
        spec(`${ZONE_KEY} In us-east-1a us-east-1b`),
        spec('node.kubernetes.io/instance-type In m5.large'),
      ],
    },
  });
  const { [ZONE_KEY]: _zone, ...labels } = claim.meta.labels;
  return anInFlightNode({ ...claim, meta: { ...claim.meta, labels } });
}

/** A pod labelled app=web that is about to be bound to it. */
const promised = appPods('web', 1, { nominatedNodeName: 'open' });
const shy = (count: number) =>
  appPods('shy', count, { ...apart(aTerm({ topologyKey: ZONE_KEY })), requests: { cpu: 100 } });

describe('pods on a node of which the zone is not known yet', () => {
  it('keep away, in every zone that it may be in, those who keep away from them', () => {
    const { placements, claims } = placed({ nodes: [openClaim()], pods: [...promised, ...shy(1)] });

    expect(placements).toEqual([]);
    expect(byZone(claims)).toEqual(['us-east-1c 1']);
  });

  it('do not count where a spread wants pods, but count where it has enough', () => {
    const spread = { topologySpread: [aSpread()], meta: { labels: { app: 'web' } } };
    const { placements, claims } = placed({
      nodes: [openClaim()],
      pods: [...promised, ...appPods('like-web', 3, { ...spread, requests: { cpu: 1900 } })],
    });

    expect(placements).toEqual([]);
    expect(byZone(claims)).toEqual(['us-east-1c 1']);
  });
});

describe('pods that are ending', () => {
  const inZone = (...running: Parameters<typeof aRunningPod>[0][]) =>
    aStateNode({ node: aNode(), pods: running.map((each) => aRunningPod(each)) });
  const only = aNodePool({ template: { requirements: [spec(`${ZONE_KEY} In us-east-1a`)] } });
  const ending = { meta: { name: 'old', labels: { app: 'web' }, deletedAt: NOON } };

  it('keep nobody away who keeps away from them', () => {
    const { refused } = placed({ nodes: [inZone(ending)], nodePools: [only], pods: shy(1) });

    expect(refused).toEqual([]);
  });

  it('keep those away whom they do not want, until they are gone', () => {
    const { refused } = placed({
      nodes: [inZone({ ...ending, ...apart(aTerm({ topologyKey: ZONE_KEY })) })],
      nodePools: [only],
      pods: appPods('web', 1),
    });

    expect(refused).toMatchObject([{ pod: 'default/web-1', by: 'topology' }]);
  });
});

describe('circles of affinity', () => {
  const nearApp = (app: string) =>
    near(aTerm({ topologyKey: ZONE_KEY, selector: labelled({ app }) }));

  it('are refused where nobody of them runs', () => {
    const { claims, refused } = placed({
      pods: [...appPods('a', 1, nearApp('b')), ...appPods('b', 1, nearApp('a'))],
    });

    expect(claims).toEqual([]);
    expect(refused).toHaveLength(2);
  });

  it('are refused also where one of them looks for the other on its own node', () => {
    const { claims, refused } = placed({
      pods: [
        ...appPods('a', 1, near(aTerm({ selector: labelled({ app: 'b' }) }))),
        ...appPods('b', 1, nearApp('a')),
      ],
    });

    expect(claims).toEqual([]);
    expect(refused).toHaveLength(2);
  });

  it('are no reason against whoever is in one, where somebody of them runs', () => {
    const { refused } = placed({
      nodes: [
        aStateNode({ node: aNode(), pods: [aRunningPod({ meta: { labels: { app: 'a' } } })] }),
      ],
      pods: [
        ...appPods('a', 1, { ...nearApp('b'), requests: { cpu: 1900 } }),
        ...appPods('b', 1, { ...nearApp('a'), requests: { cpu: 1900 } }),
      ],
    });

    expect(refused).toEqual([]);
  });
});

describe('a selector of namespaces', () => {
  it('that is empty means all of them, even one of which nothing else is known', () => {
    const anywhere = aTerm({ topologyKey: ZONE_KEY, namespaceSelector: labelled({}) });
    const stranger = aRunningPod({ meta: { namespace: 'unknown', labels: { app: 'web' } } });
    const { refused } = placed({
      nodes: [aStateNode({ node: aNode(), pods: [stranger] })],
      pods: appPods('cache', 1, near(anywhere)),
    });

    expect(refused).toEqual([]);
  });
});

describe('pods that look for their own kind in a zone', () => {
  const likeWeb = {
    ...near(aTerm({ topologyKey: ZONE_KEY })),
    meta: { labels: { app: 'web' } },
  };

  it('wait for those of their kind who look for nobody', () => {
    const { claims } = placed({
      pods: [
        ...appPods('web', 1, { nodeSelector: { [ZONE_KEY]: 'us-east-1c' } }),
        ...appPods('like-web', 1, { ...likeWeb, requests: { cpu: 1900 } }),
      ],
    });

    expect(byZone(claims)).toEqual(['us-east-1c 2']);
  });

  it('begin after all where those get no node', () => {
    const { refused } = placed({
      pods: [
        ...appPods('web', 1, { nodeSelector: { rack: 'r1' } }),
        ...appPods('like-web', 1, likeWeb),
      ],
    });

    expect(refused.map(({ pod }) => pod)).toEqual(['default/web-1']);
  });
});

describe('a spread that does not count its owner', () => {
  it('lets it in where one more of those whom it counts would be too many', () => {
    const web = aRunningPod({ meta: { labels: { app: 'web' } } });
    const full = aNode({
      meta: { name: 'node-2', labels: { [ZONE_KEY]: 'us-east-1b' } },
      allocatable: { cpu: 0, memory: 0, pods: 0 },
    });
    const { refused } = placed({
      nodes: [aStateNode({ node: aNode(), pods: [web] }), anUnmanagedNode(full)],
      nodePools: [],
      pods: appPods('guest', 1, { topologySpread: [aSpread()] }),
    });

    expect(refused).toEqual([]);
  });
});

describe('the domains that a spread compares', () => {
  const spread = { topologySpread: [aSpread()] };

  it('are not those of nodes on their way out', () => {
    const going = aStateNode({ node: aNode(), claim: aNodeClaim({ meta: { deletedAt: NOON } }) });
    const staying = aNode({ meta: { name: 'node-2', labels: { [ZONE_KEY]: 'us-east-1b' } } });
    const { refused } = placed({
      nodes: [going, anUnmanagedNode(staying)],
      nodePools: [],
      pods: appPods('web', 2, spread),
    });

    expect(refused).toEqual([]);
  });

  it('hold the one that the pod would be in, even where no Node tells of it yet', () => {
    const { refused } = placed({
      nodes: [anInFlightNode(aNodeClaim())],
      nodePools: [],
      pods: appPods('web', 2, spread),
    });

    expect(refused).toEqual([]);
  });
});

describe('which nodes a spread looks at', () => {
  const inRack = (name: string, labels: Readonly<Record<string, string>>, running = 0) =>
    anUnmanagedNode(
      aNode({ meta: { name, labels } }),
      Array.from({ length: running }, () =>
        aRunningPod({ meta: { name: `old-${name}`, labels: { app: 'web' } }, nodeName: name }),
      ),
    );

  it('leaves out nodes that lack the label of another spread of the pod', () => {
    const { placements } = placed({
      nodePools: [],
      nodes: [
        inRack('node-a', { [ZONE_KEY]: 'us-east-1a', rack: 'x' }, 1),
        inRack('node-b', { [ZONE_KEY]: 'us-east-1b' }, 1),
        inRack('node-c', { [ZONE_KEY]: 'us-east-1b', rack: 'x' }),
      ],
      pods: appPods('web', 1, {
        topologySpread: [aSpread(), aSpread({ topologyKey: 'rack', maxSkew: 5 })],
      }),
    });

    expect(placements).toEqual([{ pod: 'default/web-1', node: 'node-c' }]);
  });

  it('sees the emptiness of a node that is on its way', () => {
    const onItsWay = aNodeClaim({
      meta: { name: 'claim-1', labels: { rack: 'y' } },
      spec: { taints: [taint('no=x:NoSchedule')] },
    });
    const { placements, refused } = placed({
      nodePools: [],
      nodes: [inRack('node-a', { rack: 'x' }), anInFlightNode(onItsWay)],
      pods: appPods('web', 2, { topologySpread: [aSpread({ topologyKey: 'rack' })] }),
    });

    expect(placements).toHaveLength(1);
    expect(refused).toHaveLength(1);
  });
});
