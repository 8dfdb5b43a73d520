import { describe, expect, it } from 'vitest';
import { allowanceOf, allows, nodesAllowed } from '#lib/solver/limits.ts';
import { spec } from '#test/build/constraints.ts';
import { anInstanceType } from '#test/build/instance-types.ts';
import { aNewClaim, aNodeClaim } from '#test/build/node-claims.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { anInFlightNode, aStateNode } from '#test/build/nodes.ts';
import { NOON } from '#test/build/objects.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

const pool = aNodePool({ limits: { cpu: 10_000, nodes: 3 } });

describe('allowanceOf', () => {
  it('is undefined where nothing is limited', () => {
    expect(allowanceOf(aNodePool(), aSnapshot())).toBeUndefined();
  });

  it('counts nodes and claims that stay, and none that go', () => {
    const going = anInFlightNode(aNodeClaim({ meta: { name: 'going', deletedAt: NOON } }));
    const snapshot = aSnapshot({ nodes: [aStateNode(), going] });

    expect(allowanceOf(pool, snapshot)).toEqual({ cpu: 8000, nodes: 2 });
  });

  it('counts a claim that is not launched as the largest type that it lists', () => {
    const requirements = [spec('node.kubernetes.io/instance-type In m5.large m5.xlarge')];
    const snapshot = aSnapshot({ nodes: [anInFlightNode(aNewClaim({ spec: { requirements } }))] });

    expect(allowanceOf(pool, snapshot)).toEqual({ cpu: 6000, nodes: 2 });
  });
});

describe('nodesAllowed', () => {
  it('is the least that any limit leaves, nodes themselves included', () => {
    const large = anInstanceType('m5.large', { cpu: 2 });

    expect(nodesAllowed({ cpu: 7000 }, large)).toBe(3);
    expect(nodesAllowed({ cpu: 7000, nodes: 1 }, large)).toBe(1);
    expect(nodesAllowed({ cpu: 7000, nodes: -1 }, large)).toBe(0);
    expect(nodesAllowed(undefined, large)).toBe(Number.POSITIVE_INFINITY);
    expect([allows({ cpu: 2000 }, large), allows({ cpu: 1999 }, large)]).toEqual([true, false]);
  });
});
