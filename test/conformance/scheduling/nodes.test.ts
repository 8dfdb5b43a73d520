import { describe, expect, it } from 'vitest';
import { place } from '#lib/decide/place.ts';
import { spec, taint } from '#test/build/constraints.ts';
import { aNewClaim, aNodeClaim } from '#test/build/node-claims.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { aNode, anInFlightNode, anUnmanagedNode, aStateNode } from '#test/build/nodes.ts';
import { GIB, NOON, ownedBy } from '#test/build/objects.ts';
import {
  afterwards,
  evenly,
  HOSTNAME,
  named,
  ofAnApp,
  planOf,
  requirementOn,
  skewOf,
  ZONE,
} from '#test/build/plans.ts';
import { aDaemonSet, aPod, aRunningPod, somePods } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

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

  it('123: later pods even out on nodes that are there, or get nodes of their own', () => {
    const over = (key: string, name: string, count: number) =>
      ofAnApp('web', count, { meta: { name }, topologySpread: [evenly('web', key)] });
    const batches = (key: string) => {
      const first = aSnapshot({ pods: over(key, 'first', 4) });
      const second = afterwards(first, place(first), over(key, 'second', 5));
      return { second, plan: place(second), after: afterwards(second, place(second)) };
    };

    expect(batches(ZONE).plan.claims).toEqual([]);
    expect(skewOf(batches(ZONE).after, 'web')).toEqual([3, 3, 3]);
    expect(skewOf(batches(HOSTNAME).after, 'web', HOSTNAME)).toEqual(Array(9).fill(1));
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
