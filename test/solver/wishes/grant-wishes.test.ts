import { describe, expect, it } from 'vitest';
import { taint, tolerating } from '#test/build/constraints.ts';
import { aCatalog, anInstanceType } from '#test/build/instance-types.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { aNode, aStateNode } from '#test/build/nodes.ts';
import { appPods, byZone, perNode, placed } from '#test/build/placing.ts';
import { aRunningPod } from '#test/build/pods.ts';
import { someSettings } from '#test/build/snapshots.ts';
import { aSpread, aTerm, labelled, NODE_KEY, ratherApart, ZONE_KEY } from '#test/build/topology.ts';

const softly = (topologyKey: string) => ({
  topologySpread: [aSpread({ topologyKey, whenUnsatisfiable: 'ScheduleAnyway' as const })],
});

describe('grantWishes', () => {
  it('grants what costs nothing', () => {
    const { claims, warnings } = placed({
      catalog: aCatalog([anInstanceType('m5.large', { cpu: 2 })]),
      pods: appPods('web', 6, { ...softly(ZONE_KEY), requests: { cpu: 1000 } }),
    });

    expect(byZone(claims)).toEqual(['us-east-1a 2', 'us-east-1b 2', 'us-east-1c 2']);
    expect(warnings).toEqual([]);
  });

  it('makes no nodes for a wish, and says whose it was', () => {
    const { claims, warnings } = placed({ pods: appPods('web', 4, ratherApart(aTerm())) });

    expect(perNode(claims)).toEqual([4]);
    expect(warnings).toEqual([
      expect.stringContaining(
        'without its preferred pod anti-affinity over kubernetes.io/hostname',
      ),
    ]);
  });

  it('spreads pods that would rather stand apart over the nodes that are needed anyway', () => {
    const { claims } = placed({
      catalog: aCatalog([anInstanceType('m5.large', { cpu: 2 })]),
      pods: [
        ...appPods('web', 4, { ...ratherApart(aTerm()), requests: { cpu: 500 } }),
        ...appPods('big', 2, { requests: { cpu: 1000 } }),
      ],
    });
    const webs = claims.map(
      ({ pods }) => pods.filter((pod) => pod.startsWith('default/web')).length,
    );

    expect(webs).toEqual([2, 2]);
  });

  it('rather uses a node that is there than grants a wish on a new one', () => {
    const { claims, placements } = placed({
      nodes: [aStateNode()],
      pods: appPods('web', 2, { ...softly(NODE_KEY), requests: { cpu: 100 } }),
    });

    expect(claims).toEqual([]);
    expect(placements).toHaveLength(2);
  });

  it('gives up the wish of those alone who would get no node for it', () => {
    const { claims, refused } = placed({
      catalog: aCatalog([anInstanceType('m5.large', { cpu: 2 })]),
      pods: [
        ...appPods('cache', 1, {
          podAffinity: { required: [], preferred: [{ weight: 1, term: aTerm() }] },
        }),
        ...appPods('other', 3, {
          topologySpread: [
            aSpread({
              whenUnsatisfiable: 'ScheduleAnyway',
              selector: { matchLabels: { app: 'other' }, matchExpressions: [] },
            }),
          ],
          requests: { cpu: 1900 },
        }),
      ],
    });

    expect(refused).toEqual([]);
    expect(byZone(claims.filter(({ pods }) => pods.some((pod) => /other/.test(pod))))).toHaveLength(
      3,
    );
  });

  it('moves nobody to a lighter NodePool for the wish of another', () => {
    const heavy = aNodePool({
      meta: { name: 'heavy' },
      weight: 10,
      template: { labels: { rack: 'r1' }, taints: [taint('big=x:NoSchedule')] },
    });
    const tolerations = [tolerating('big')];
    const apartFromWeb = aTerm({ topologyKey: 'rack', namespaceSelector: labelled({}) });
    const { claims } = placed({
      nodePools: [heavy, aNodePool({ meta: { name: 'light' } })],
      pods: [
        ...appPods('web', 1, { tolerations }),
        ...appPods('shy', 1, { tolerations, ...ratherApart(apartFromWeb) }),
        ...appPods('small', 1),
      ],
    });
    const ofWeb = claims.find(({ pods }) => pods.includes('default/web-1'));

    expect(ofWeb?.nodePool).toBe('heavy');
  });

  it('says who may be too near where nobody knows which zone it will be', () => {
    const shy = appPods('shy', 1, ratherApart(aTerm({ topologyKey: ZONE_KEY })));
    const full = aNode({ allocatable: { cpu: 0, memory: 0, pods: 0 } });
    const web = aRunningPod({ meta: { labels: { app: 'web' } }, requests: { cpu: 100 } });
    const { warnings } = placed({
      settings: someSettings({ preferencePolicy: 'Ignore' }),
      nodes: [aStateNode({ node: full, pods: [web] })],
      pods: shy,
    });

    expect(warnings).toEqual([
      expect.stringContaining(
        '1 pod (default/shy-1) is placed without its preferred pod anti-affinity',
      ),
    ]);
  });

  it('regards no wish where the policy says so', () => {
    const { claims } = placed({
      settings: someSettings({ preferencePolicy: 'Ignore' }),
      catalog: aCatalog([anInstanceType('m5.large', { cpu: 2 })]),
      pods: appPods('web', 6, { ...softly(ZONE_KEY), requests: { cpu: 1000 } }),
    });

    expect(byZone(claims)).toHaveLength(1);
  });
});
