import { describe, expect, it } from 'vitest';
import { aNodePool } from '#test/build/node-pools.ts';
import { aStateNode } from '#test/build/nodes.ts';
import { named, planOf, ZONE } from '#test/build/plans.ts';

describe('10.10 limits', () => {
  it('159: nodes that exist count', () => {
    const nodePools = [aNodePool({ limits: { cpu: 3000 } })];
    const web = named('web', { requests: { cpu: 1500 }, nodeSelector: { [ZONE]: 'us-east-1b' } });

    expect(planOf({ nodePools, pods: [web] }).claims).toHaveLength(1);
    expect(planOf({ nodePools, nodes: [aStateNode()], pods: [web] }).refused).toMatchObject([
      { by: 'limits' },
    ]);
  });

  it('160: any resource can be limited', () => {
    const { refused } = planOf({
      nodePools: [aNodePool({ limits: { pods: 1 } })],
      pods: [named('web')],
    });

    expect(refused).toMatchObject([{ by: 'limits' }]);
  });
});
