import { describe, expect, it } from 'vitest';
import { taint } from '#test/build/constraints.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { affinity, named, planOf, ZONE } from '#test/build/plans.ts';
import { aDaemonSet, aPod, somePods } from '#test/build/pods.ts';

describe('10.8 daemons', () => {
  it.each([[[]], [[taint('starting=x:NoSchedule')]]])(
    '145: room for a daemon is kept on a new node, startup taints %j or not',
    (startupTaints) => {
      const { claims } = planOf({
        nodePools: [aNodePool({ template: { startupTaints } })],
        daemonSets: [aDaemonSet({ pod: aPod({ requests: { cpu: 2000 } }) })],
        pods: [named('web')],
      });

      expect(claims[0]?.cheapest.instanceType).toBe('m5.xlarge');
    },
  );

  it('146: a host port that a daemon takes on other nodes only is free', () => {
    const hostPorts = [{ ip: '0.0.0.0', port: 8080, protocol: 'TCP' as const }];
    const size = (name: string) => ({ 'karpenter.k8s.aws/instance-size': name });
    const { refused } = planOf({
      daemonSets: [
        aDaemonSet({
          pod: aPod({ requests: { cpu: 1 }, hostPorts, nodeSelector: size('xlarge') }),
        }),
      ],
      pods: [named('web', { hostPorts, nodeSelector: size('large') })],
    });

    expect(refused).toEqual([]);
  });

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
