import { describe, expect, it } from 'vitest';
import type { NodePool } from '#lib/model/node-pool.ts';
import type { Pod } from '#lib/model/pod.ts';
import { sourcesInPlay } from '#lib/solver/prices/weights.ts';
import { spec } from '#test/build/constraints.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { aPod } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';
import { solverParts } from '#test/build/solver-parts.ts';

const light = aNodePool({ meta: { name: 'light' } });
const heavy = (difference: Partial<NodePool> = {}): NodePool =>
  aNodePool({ ...difference, weight: 10, meta: { name: 'heavy' } });
const onlyTypes = (...values: string[]) => ({
  template: { requirements: [spec(`node.kubernetes.io/instance-type In ${values.join(' ')}`)] },
});

const inPlay = (pool: NodePool, pods: readonly Pod[] = [aPod()]): readonly string[] => {
  const parts = solverParts(aSnapshot({ nodePools: [pool, light], pods: [...pods] }));
  return sourcesInPlay(parts.groups, parts).map(({ name }) => name);
};

describe('sourcesInPlay', () => {
  it('are those of the heaviest weight where that can give every node', () => {
    expect(inPlay(heavy())).toEqual(['heavy']);
  });

  it('are all where weights do not differ', () => {
    expect(inPlay(aNodePool({ meta: { name: 'other' } }))).toEqual(['other', 'light']);
  });

  it('are lighter ones too where a pod is too large for the heavy one', () => {
    const small = heavy(aNodePool(onlyTypes('m5.large')));

    expect(inPlay(small, [aPod()])).toEqual(['heavy']);
    expect(inPlay(small, [aPod(), aPod({ meta: { name: 'b' }, requests: { cpu: 7000 } })])).toEqual(
      ['heavy', 'light'],
    );
  });

  it('are lighter ones too where limits may stop the heavy one', () => {
    expect(inPlay(heavy({ limits: { cpu: 1_000_000 } }))).toEqual(['heavy', 'light']);
  });

  it('are lighter ones too where minValues may fail the heavy one', () => {
    const choosy = aNodePool({
      template: { requirements: [spec('node.kubernetes.io/instance-type Exists', 2)] },
    });

    expect(inPlay(heavy(choosy))).toEqual(['heavy', 'light']);
  });

  it('are all where a pod has a say in who shares its node', () => {
    const hostPorts = [{ ip: '0.0.0.0', port: 80, protocol: 'TCP' as const }];

    expect(inPlay(heavy(), [aPod({ hostPorts })])).toEqual(['heavy', 'light']);
  });

  it('are lighter ones too where a pod would rather have what only they give', () => {
    const onDemand = heavy(
      aNodePool({ template: { requirements: [spec('karpenter.sh/capacity-type In on-demand')] } }),
    );
    const preferred = [
      {
        weight: 1,
        term: {
          matchExpressions: [spec('karpenter.sh/capacity-type In spot')],
          hasMatchFields: false,
        },
      },
    ];

    expect(inPlay(onDemand, [aPod({ nodeAffinity: { required: [], preferred } })])).toEqual([
      'heavy',
      'light',
    ]);
  });
});
