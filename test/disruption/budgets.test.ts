import { describe, expect, it } from 'vitest';
import { budgetProblem, disruptionsAllowed, disruptionsLeft } from '#lib/disruption/budgets.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { BudgetSpec } from '#lib/model/node-pool.ts';
import { aNodeClaim, conditionsUpTo } from '#test/build/node-claims.ts';
import { aCondition, aNodePool } from '#test/build/node-pools.ts';
import { aNode, anUnmanagedNode, aStateNode } from '#test/build/nodes.ts';
import { HOUR, NOON } from '#test/build/objects.ts';

const allowed = (
  budgets: readonly BudgetSpec[],
  reason: 'Empty' | 'Drifted' | 'Underutilized' = 'Empty',
  total = 100,
): number => disruptionsAllowed(budgets, total, reason, NOON);

describe('disruptionsAllowed', () => {
  it.each([
    ['10%', 1, 1],
    ['10%', 10, 1],
    ['10%', 11, 2],
    ['30%', 10, 3],
    ['0%', 10, 0],
    ['100%', 10, 10],
    ['5', 3, 5],
    ['0', 3, 0],
  ])('%s of %i nodes is %i', (nodes, total, expected) => {
    expect(allowed([{ nodes }], 'Empty', total)).toBe(expected);
  });

  const several: readonly BudgetSpec[] = [
    { nodes: '10' },
    { nodes: '100' },
    { nodes: '100%' },
    { nodes: '15', reasons: ['Drifted', 'Underutilized'] },
    { nodes: '5', reasons: ['Drifted'] },
    { nodes: '4', reasons: ['Empty'] },
  ];

  it.each([
    ['Drifted', 5],
    ['Underutilized', 10],
    ['Empty', 4],
  ] as const)('is the least of those that speak of the reason: %s %i', (reason, expected) => {
    const closed = { nodes: '0', schedule: '0 0 * * sun', durationMs: HOUR };

    expect(allowed([...several, closed], reason)).toBe(expected);
  });

  it('is nothing while a window of 0 is open', () => {
    const open = { nodes: '0', schedule: '0 12 * * *', durationMs: HOUR };

    expect(allowed([...several, open])).toBe(0);
  });

  it.each([
    ['no budget', []],
    ['only closed windows', [{ nodes: '1', schedule: '0 0 * * *', durationMs: HOUR }]],
    ['only budgets of other reasons', [{ nodes: '1', reasons: ['Drifted'] as const }]],
    ['only budgets of no reason', [{ nodes: '1', reasons: [] }]],
  ])('is unlimited where there is %s', (_what, budgets) => {
    expect(allowed(budgets)).toBe(Number.POSITIVE_INFINITY);
  });

  it.each([
    { nodes: '1000a%' },
    { nodes: '50%', schedule: '@wrongly', durationMs: HOUR },
    { nodes: '50%', durationMs: HOUR },
  ])('is nothing when a budget cannot be read: %o', (bad) => {
    expect(allowed([{ nodes: '100%' }, bad])).toBe(0);
  });
});

describe('disruptionsLeft', () => {
  const pool = aNodePool({ disruption: { budgets: [{ nodes: '100%' }] } });
  const aMember = (name: string, difference: Partial<StateNode> = {}) =>
    aStateNode({
      node: aNode({ meta: { name }, providerId: `aws:///us-east-1a/i-${name}` }),
      ...difference,
    });
  const ten = Array.from({ length: 10 }, (_, at) => aMember(`n${at}`));
  const left = (members: readonly StateNode[]) =>
    disruptionsLeft(pool, members, { reason: 'Empty', now: NOON });

  it('counts the nodes of the pool', () => {
    expect(left(ten)).toBe(10);
  });

  it.each([
    ['unmanaged', anUnmanagedNode(aNode({ meta: { name: 'other' } }))],
    [
      'uninitialized',
      aMember('new', {
        node: aNode({ meta: { name: 'new', labels: { 'karpenter.sh/initialized': 'false' } } }),
      }),
    ],
    [
      'terminating',
      aMember('old', {
        claim: aNodeClaim({
          status: {
            conditions: [...conditionsUpTo('Initialized'), aCondition('InstanceTerminating')],
          },
        }),
      }),
    ],
  ])('does not count a node that is %s', (_what, node) => {
    expect(left([...ten, node])).toBe(10);
  });

  it.each([
    ['not ready', { node: aNode({ ready: { status: 'False', changedAt: NOON } }) }],
    ['being deleted', { claim: aNodeClaim({ meta: { deletedAt: NOON } }) }],
    [
      'marked',
      {
        claim: aNodeClaim({
          status: {
            conditions: [...conditionsUpTo('Initialized'), aCondition('DisruptionReason')],
          },
        }),
      },
    ],
  ])('takes off a node that is %s', (_what, difference) => {
    expect(left([...ten.slice(1), aMember('away', difference)])).toBe(9);
  });

  it('is never negative', () => {
    const gone = ten.map(({ node }) => ({
      ...aStateNode({
        ...(node ? { node } : {}),
        claim: aNodeClaim({ meta: { deletedAt: NOON } }),
      }),
    }));
    const strict = aNodePool({ disruption: { budgets: [{ nodes: '10%' }] } });

    expect(disruptionsLeft(strict, gone, { reason: 'Empty', now: NOON })).toBe(0);
  });
});

describe('budgetProblem', () => {
  it.each([
    [{ nodes: '150%' }, 'nodes: expected at most 100%, found "150%"'],
    [{ nodes: '-1' }, 'nodes: expected a number or a percentage, found "-1"'],
    [{ nodes: '1', durationMs: HOUR }, 'duration: it stands without a schedule'],
    [{ nodes: '1', schedule: '@daily' }, 'schedule "@daily": it stands without a duration'],
    [
      { nodes: '1', schedule: '0 0 31 2 *', durationMs: HOUR },
      'schedule "0 0 31 2 *": it never fires',
    ],
    [
      { nodes: '1', schedule: 'often', durationMs: HOUR },
      'schedule: expected five fields such as "0 9 * * mon-fri", found "often"',
    ],
  ])('says of %j what is wrong, and such a budget lets nothing go', (budget, problem) => {
    expect(budgetProblem(budget)).toBe(problem);
    expect(allowed([{ nodes: '100%' }, budget])).toBe(0);
  });

  it('finds nothing wrong with what fires on the last day of February', () => {
    expect(budgetProblem({ nodes: '1', schedule: '0 0 29 2 *', durationMs: HOUR })).toBeUndefined();
    expect(
      budgetProblem({ nodes: '1', schedule: '0 0 31 2 mon', durationMs: HOUR }),
    ).toBeUndefined();
  });
});
