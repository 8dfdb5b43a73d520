import { describe, expect, it } from 'vitest';
import { driftedActions } from '#lib/lifecycle/health/drifted.ts';
import { conditionOf } from '#lib/model/conditions.ts';
import { aCatalog } from '#test/build/instance-types.ts';
import { aNodeClaim, conditionsUpTo } from '#test/build/node-claims.ts';
import { aCondition, aNodePool } from '#test/build/node-pools.ts';
import { aStateNode } from '#test/build/nodes.ts';
import { HOUR, NOON } from '#test/build/objects.ts';
import { quietWorld } from '#test/build/quiet-world.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

type ClaimDifference = Parameters<typeof aNodeClaim>[0];
type PoolDifference = Parameters<typeof aNodePool>[0];
type World = Parameters<typeof aSnapshot>[0];

/** The reason that is written, 'cleared' where the mark is taken off, undefined where nothing is. */
function mark(claim: ClaimDifference, pool: PoolDifference = {}, world: World = {}) {
  const snapshot = aSnapshot({
    nodePools: [aNodePool(pool)],
    nodes: [aStateNode({ claim: aNodeClaim(claim) })],
    nodeClasses: [],
    ...world,
  });
  const [action] = driftedActions(snapshot);
  if (action?.kind !== 'updateStatus') return undefined;
  return conditionOf(action.status.conditions ?? [], 'Drifted')?.reason ?? 'cleared';
}

const HASH = 'karpenter.sh/nodepool-hash';
const VERSION = 'karpenter.sh/nodepool-hash-version';
const hashed = (hash: string, version = 'v3') => ({
  meta: { annotations: { [HASH]: hash, [VERSION]: version } },
});
const isMarked = {
  status: { conditions: [...conditionsUpTo('Initialized'), aCondition('Drifted')] },
};
const demanding = (key: string, operator: 'In' | 'NotIn' | 'DoesNotExist', values?: string[]) => ({
  template: { requirements: [{ key, operator, ...(values && { values }) }] },
});

describe('drift of the template', () => {
  it('is a hash that differs', () => {
    expect(mark(hashed('1'), hashed('2'))).toBe('NodePoolDrifted');
    expect(mark(hashed('2'), hashed('2'))).toBeUndefined();
  });

  it.each([
    ['the versions differ', hashed('1', 'v2'), hashed('2')],
    ['the NodeClaim has no hash', { meta: { annotations: { [VERSION]: 'v3' } } }, hashed('2')],
    ['the NodePool has none', hashed('1'), {}],
  ])('is none where %s', (_why, claim, pool) => {
    expect(mark(claim, pool)).toBeUndefined();
  });

  it('142: goes before everything else', () => {
    const pool = { ...hashed('2'), ...demanding('kubernetes.io/arch', 'In', ['arm64']) };

    expect(mark(hashed('1'), pool)).toBe('NodePoolDrifted');
  });
});

describe('drift of requirements', () => {
  it.each([
    ['a value that is not wanted any more', demanding('kubernetes.io/arch', 'In', ['arm64'])],
    ['a label that the node lacks', demanding('example.com/team', 'In', ['web'])],
    ['a value that is forbidden', demanding('kubernetes.io/arch', 'NotIn', ['amd64'])],
  ])('is %s', (_what, pool) => {
    expect(mark({}, pool)).toBe('RequirementsDrifted');
  });

  it.each([
    ['more values', demanding('kubernetes.io/arch', 'In', ['amd64', 'arm64'])],
    ['a label that must be missing', demanding('example.com/team', 'DoesNotExist')],
    ['a value that a missing label is not', demanding('example.com/team', 'NotIn', ['web'])],
  ])('is not %s', (_what, pool) => {
    expect(mark({}, pool)).toBeUndefined();
  });
});

describe('drift of the instance type', () => {
  const old = { createdAt: NOON - 2 * HOUR };
  const of = (labels: Readonly<Record<string, string>>, meta = old) => ({
    meta: { ...meta, labels },
  });
  const TYPE = 'node.kubernetes.io/instance-type';

  it('141: is a type that is not sold any more', () => {
    expect(mark(of({ [TYPE]: 'm1.small' }))).toBe('InstanceTypeNotFound');
    expect(mark(of({}))).toBeUndefined();
  });

  it('is a way of buying it that is not there any more', () => {
    expect(mark(of({ 'topology.kubernetes.io/zone': 'us-east-1z' }))).toBe('InstanceTypeNotFound');
  });

  it('is not looked for in the first hour, nor in an empty catalogue', () => {
    const young = { createdAt: NOON - HOUR + 1 };
    expect(mark(of({ [TYPE]: 'm1.small' }, young))).toBeUndefined();
    const catalog = { ...aCatalog(), byNodeClass: new Map() };
    expect(mark(of({ [TYPE]: 'm1.small' }), {}, { catalog })).toBeUndefined();
  });

  it('lets a node of a reservation that ended go on as on-demand, and not as spot', () => {
    const reserved = { 'karpenter.sh/capacity-type': 'reserved' };
    expect(mark(of(reserved))).toBeUndefined();
    const catalog = aCatalog();
    const spotOnly = {
      ...catalog,
      byNodeClass: new Map(
        [...catalog.byNodeClass].map(([name, types]) => [
          name,
          types.map((type) => ({
            ...type,
            offerings: type.offerings.map((each) => ({ ...each, capacityType: 'spot' as const })),
          })),
        ]),
      ),
    };
    expect(mark(of(reserved), {}, { catalog: spotOnly })).toBe('InstanceTypeNotFound');
  });
});

describe('the mark of drift', () => {
  it('goes when the node is what it should be again', () => {
    expect(mark(isMarked)).toBe('cleared');
  });

  it('143: goes where the NodeClaim is not launched', () => {
    const conditions = [
      ...conditionsUpTo('Initialized').map((each) =>
        each.type === 'Launched' ? aCondition('Launched', { status: 'Unknown' }) : each,
      ),
      aCondition('Drifted'),
    ];

    expect(mark({ ...hashed('1'), status: { conditions } }, hashed('2'))).toBe('cleared');
  });

  it('stays as it is where the NodePool is gone', () => {
    expect(mark(isMarked, {}, { nodePools: [] })).toBeUndefined();
  });

  it('stays where only the instance could tell, and nobody asked EC2', () => {
    const told = (reason: string) => ({
      status: { conditions: [...conditionsUpTo('Initialized'), aCondition('Drifted', { reason })] },
    });
    const world = quietWorld();
    const claims = aNodeClaim(told('SubnetDrift'));
    const snapshot = { ...world, nodes: [aStateNode({ claim: claims })] };
    const cleared = driftedActions({
      ...snapshot,
      nodes: [aStateNode({ claim: aNodeClaim(told('RequirementsDrifted')) })],
    });

    expect(driftedActions(snapshot)).toEqual([]);
    expect(cleared).toHaveLength(1);
  });
});
