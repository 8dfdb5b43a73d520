import { describe, expect, it } from 'vitest';
import { place } from '#lib/decide/place.ts';
import { withCreated } from '#lib/decide/plan-ahead.ts';
import { decideProvision } from '#lib/decide/provision.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { spec, taint } from '#test/build/constraints.ts';
import { aCatalog, anInstanceType } from '#test/build/instance-types.ts';
import { aCondition, aNodePool } from '#test/build/node-pools.ts';
import { aNode, anUnmanagedNode, aStateNode } from '#test/build/nodes.ts';
import { GIB } from '#test/build/objects.ts';
import { aPod, somePods } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

const TYPES = [
  anInstanceType('c5.large', { cpu: 2, memoryGib: 4 }),
  anInstanceType('r5.large', { cpu: 1, memoryGib: 8 }),
];
const refusedIn = (difference: Partial<Snapshot>) =>
  place(aSnapshot({ catalog: aCatalog(TYPES), ...difference })).refused;
const because = (difference: Partial<Snapshot>) => refusedIn(difference)[0]?.because;
const pool = (name: string, difference: Parameters<typeof aNodePool>[0] = {}): NodePool =>
  aNodePool({ ...difference, meta: { name } });
const tainted = (name: string) =>
  pool(name, { template: { taints: [taint(`team=${name}:NoSchedule`)] } });

describe('why a pod gets no node', () => {
  it('names what it needs on one node and the largest type', () => {
    expect(because({ pods: [aPod({ requests: { memory: 12 * GIB } })] })).toBe(
      'no node has room for it and none can be made: NodePool default: it needs 12 GiB of memory on one node; the largest type that the pool allows, r5.large, has 8 GiB of memory to give',
    );
  });

  it('names the type that comes nearest where each resource alone would fit', () => {
    expect(because({ pods: [aPod({ requests: { cpu: 2000, memory: 6 * GIB } })] })).toContain(
      'no type that the pool allows has 2 cpu, 6 GiB of memory, 1 pods together; the nearest, c5.large, lacks 2 GiB of memory',
    );
  });

  it('wonders about the unit of a million cores', () => {
    expect(because({ pods: [aPod({ requests: { cpu: 1_000_000_000 } })] })).toContain(
      '(CPU request >= 1 Million, m vs M typo?)',
    );
    expect(because({ pods: [aPod({ requests: { cpu: 999_999_999 } })] })).not.toContain('typo');
  });

  it('says that there is no NodePool, and records no event then', () => {
    const snapshot = aSnapshot({ nodePools: [], pods: [aPod()] });
    const plan = decideProvision(snapshot);

    expect(plan.refused).toEqual([
      {
        pod: 'default/web-1',
        by: 'eligibility',
        because: 'no node has room for it and there is no NodePool to make one',
        nodePools: [],
      },
    ]);
    expect(plan.actions.filter(({ kind }) => kind === 'recordEvent')).toEqual([]);
  });

  it('184: holds the reasons of all NodePools that give nodes, heaviest first, each by its phase', () => {
    const nodePools = [
      { ...tainted('light') },
      { ...pool('heavy'), weight: 5 },
      {
        ...pool('unready'),
        status: { ...pool('x').status, conditions: [aCondition('Ready', { status: 'False' })] },
      },
    ];
    const [refusal] = refusedIn({ nodePools, pods: [aPod({ requests: { cpu: 9000 } })] });

    expect(refusal?.because).toBe(
      'no node has room for it and none can be made: NodePool heavy: it needs 9 cpu on one node; the largest type that the pool allows, c5.large, has 2 cpu to give; NodePool light: it does not tolerate the taint team=light:NoSchedule',
    );
    expect(refusal?.by).toBe('resources');
    expect(refusal?.nodePools.map(({ nodePool, by }) => `${nodePool} ${by}`)).toEqual([
      'heavy resources',
      'unready eligibility',
      'light taints',
    ]);
  });

  it('holds the nearest alone where all would be too long for an Event', () => {
    const nodePools = [
      ...Array.from({ length: 40 }, (_, at) => tainted(`other-${at}`)),
      pool('near'),
    ];
    const [refusal] = refusedIn({ nodePools, pods: [aPod({ requests: { cpu: 9000 } })] });

    expect(refusal?.because).toMatch(
      /: NodePool near: it needs 9 cpu .* \(and 40 more NodePools\)$/,
    );
    expect(refusal?.because.length).toBeLessThan(990);
    expect(refusal?.nodePools).toHaveLength(41);
  });

  it('is one reason for equal pods', () => {
    const refused = refusedIn({ pods: somePods(3, { requests: { cpu: 9000 } }) });

    expect(refused.map(({ pod }) => pod)).toEqual([
      'default/web-1',
      'default/web-2',
      'default/web-3',
    ]);
    expect(new Set(refused.map((each) => each.because)).size).toBe(1);
  });
});

describe('the event about a NodePool that can buy nothing', () => {
  const barren = (requirements: readonly ReturnType<typeof spec>[], difference = {}) =>
    decideProvision(
      aSnapshot({
        catalog: aCatalog(TYPES),
        nodePools: [aNodePool({ template: { requirements } })],
        pods: [aPod()],
        ...difference,
      }),
    ).actions.flatMap((action) =>
      action.kind === 'recordEvent' && action.about.kind === 'NodePool' ? [action.message] : [],
    );
  const noTypes = 'NodePool requirements filtered out all compatible available instance types';

  it('186: is recorded where its requirements leave no type', () => {
    expect(barren([spec('node.kubernetes.io/instance-type In m9.none')])).toEqual([noTypes]);
    expect(barren([])).toEqual([]);
  });

  it('186: says so where minValues are the cause', () => {
    const requirements = [spec('node.kubernetes.io/instance-type Exists', 3)];

    expect(barren(requirements)).toEqual([`${noTypes} due to minValues incompatibility`]);
  });
});

describe('what pods are told of nodes that are there', () => {
  const nominations = (difference: Partial<Snapshot>) =>
    decideProvision(aSnapshot({ catalog: aCatalog(TYPES), ...difference })).actions.flatMap(
      (action) =>
        action.kind === 'recordEvent' && action.reason === 'Nominated' ? [action.message] : [],
    );

  it('names the node and its NodeClaim', () => {
    expect(nominations({ nodes: [aStateNode()], pods: [aPod()] })).toEqual([
      'Pod should schedule on: nodeclaim/claim-1, node/node-1',
    ]);
    expect(nominations({ nodes: [anUnmanagedNode(aNode())], pods: [aPod()] })).toEqual([
      'Pod should schedule on: node/node-1',
    ]);
  });

  it('is not told again to those whom a NodeClaim was made for', () => {
    const pods = [aPod({ requests: { cpu: 900 } })];
    const snapshot = aSnapshot({ catalog: aCatalog(TYPES), pods });
    const next = withCreated(snapshot, place(snapshot).creations);

    expect(nominations({ ...snapshot })).toHaveLength(1);
    expect(nominations({ ...next })).toEqual([]);
    const other = aPod({ meta: { name: 'other' }, requests: { cpu: 50 } });
    expect(nominations({ ...next, pods: [...pods, other] })).toEqual([
      expect.stringMatching(/^Pod should schedule on: nodeclaim\/default-[a-z0-9]+$/),
    ]);
  });
});
