import { describe, expect, it } from 'vitest';
import { spec, taint, tolerating } from '#test/build/constraints.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { about, HOSTNAME, named, near, planOf, pool, ZONE } from '#test/build/plans.ts';
import { aDaemonSet, aPod } from '#test/build/pods.ts';

const NODEPOOL = 'karpenter.sh/nodepool';

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

  it.each([
    [60_000, 60_000],
    [undefined, undefined],
  ])('158: a claim has the grace period of its pool: %s', (terminationGraceMs, expected) => {
    const { creations } = planOf({
      nodePools: [aNodePool({ template: { ...(terminationGraceMs && { terminationGraceMs }) } })],
      pods: [named('web')],
    });
    const [creation] = creations;

    expect(creation?.kind === 'createNodeClaim' && creation.claim.spec.terminationGraceMs).toBe(
      expected,
    );
  });
});

describe('weights, within one pass', () => {
  const heavy = pool('heavy', { weight: 10 });
  const ports = (...numbers: readonly number[]) => ({
    hostPorts: numbers.map((port) => ({ ip: '0.0.0.0', port, protocol: 'TCP' as const })),
  });

  it.each([
    [
      'minValues that no type meets',
      {
        nodePools: [
          pool('heavy', {
            weight: 10,
            template: { requirements: [spec('karpenter.k8s.aws/instance-family Exists', 2)] },
          }),
          pool('light'),
        ],
      },
    ],
    [
      'a daemon that takes their ports',
      {
        daemonSets: [
          aDaemonSet({
            pod: aPod({ ...ports(80, 81), nodeSelector: { [NODEPOOL]: 'heavy' } }),
          }),
        ],
        nodePools: [heavy, pool('light')],
      },
    ],
  ])('pods fill a lighter node where the heavier pool can make none: %s', (_, more) => {
    const { claims } = planOf({
      ...more,
      pods: [named('first', ports(80)), named('second', ports(81))],
    });

    expect(claims.map(({ nodePool, pods }) => [nodePool, pods])).toEqual([
      ['light', ['default/first', 'default/second']],
    ]);
  });

  it('a pod joins its mate on a lighter node: alone it could be on none of the heavier ones', () => {
    const { claims, refused } = planOf({
      nodePools: [heavy, pool('light')],
      pods: [
        named('mate', { nodeSelector: { [NODEPOOL]: 'light' }, meta: { labels: { app: 'db' } } }),
        named('web', near(about('db', HOSTNAME))),
      ],
    });

    expect(refused).toEqual([]);
    expect(claims.map(({ nodePool, pods }) => [nodePool, pods])).toEqual([
      ['light', ['default/mate', 'default/web']],
    ]);
  });

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
