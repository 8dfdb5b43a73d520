/**
 * Karpenter's budgets of NodePools, restated.
 * Source: karpenter v1.14, apis/v1/nodepool_budgets_test.go, disruption/helpers_test.go.
 */
import { describe, expect, it } from 'vitest';
import { disruptionsAllowed, disruptionsLeft } from '#lib/disruption/budgets.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { BudgetReason, BudgetSpec } from '#lib/model/node-pool.ts';
import { aFreePool, aMember, SETTLED } from '#test/build/members.ts';
import { aCondition, aNodePool } from '#test/build/node-pools.ts';
import { aNode, anUnmanagedNode } from '#test/build/nodes.ts';
import { HOUR, NOON } from '#test/build/objects.ts';

const REASONS: readonly BudgetReason[] = ['Drifted', 'Underutilized', 'Empty'];
const allowed = (budgets: readonly BudgetSpec[], now = NOON) =>
  REASONS.map((reason) => disruptionsAllowed(budgets, 100, reason, now));
const ten = Array.from({ length: 10 }, (_, at) => aMember(`n${at}`));
const left = (members: readonly StateNode[], nodes = '100%') =>
  disruptionsLeft(aFreePool({ disruption: { budgets: [{ nodes }] } }), members, {
    reason: 'Empty',
    now: NOON,
  });

describe('Budgets', () => {
  it('61: counts nodes that are up and not ending, less those that are away or going', () => {
    const young = aMember('young', { labels: { 'karpenter.sh/initialized': 'false' } });
    const ending = aMember('ending', {
      conditions: [...SETTLED, aCondition('InstanceTerminating')],
    });
    const marked = aMember('n1', { conditions: [...SETTLED, aCondition('DisruptionReason')] });
    const going = (name: string) => aMember(name, { claim: { meta: { deletedAt: NOON } } });
    const unready = ten.map((state, at) =>
      at < 2 && state.node
        ? {
            ...state,
            node: { ...state.node, ready: { status: 'False' as const, changedAt: NOON } },
          }
        : state,
    );

    for (const other of [anUnmanagedNode(aNode()), young, ending]) {
      expect(left([...ten, other])).toBe(10);
    }
    expect(left(unready)).toBe(8);
    expect(left([going('n0'), marked, ...ten.slice(2)])).toBe(8);
    expect(
      left(
        ten.map(({ name }) => going(name)),
        '10%',
      ),
    ).toBe(0);
  });

  it('120: a window is open from its hit until its duration is over', () => {
    const open = (schedule: string, durationMs: number, now = NOON) =>
      allowed([{ nodes: '1', schedule, durationMs }], now)[0] === 1;

    expect(open('@daily', 48 * HOUR)).toBe(true);
    expect(open('30 11 * * *', HOUR)).toBe(true);
    expect(open('0 11 * * *', HOUR)).toBe(false);
  });

  it('121: schedules are meant in UTC', () => {
    const sunday = Date.UTC(2026, 10, 22);
    const budget = [{ nodes: '1', schedule: '30 6 * * SUN', durationMs: 6 * HOUR }];

    expect(allowed(budget, sunday)[0]).toBe(Number.POSITIVE_INFINITY);
    expect(allowed(budget, sunday + 7 * HOUR)[0]).toBe(1);
  });

  it('122: a budget that cannot be read allows nothing, for any reason', () => {
    expect(allowed([{ nodes: '10', schedule: '@wrongly', durationMs: HOUR }])).toEqual([0, 0, 0]);
    expect(allowed([{ nodes: '1000a%' }, { nodes: '100%' }])).toEqual([0, 0, 0]);
  });

  it('123: the strictest that is open and speaks of the reason counts', () => {
    const budgets: readonly BudgetSpec[] = [
      { nodes: '10' },
      { nodes: '100' },
      { nodes: '100%' },
      { nodes: '15', reasons: ['Drifted', 'Underutilized'] },
      { nodes: '5', reasons: ['Drifted'] },
      { nodes: '4', reasons: ['Empty'] },
    ];
    const closed = { nodes: '0', schedule: '@weekly', durationMs: HOUR };

    expect(allowed([...budgets, closed])).toEqual([5, 10, 4]);
    expect(allowed([...budgets, { ...closed, durationMs: 192 * HOUR }])).toEqual([0, 0, 0]);
    expect(allowed([closed])).toEqual(REASONS.map(() => Number.POSITIVE_INFINITY));
    expect(aNodePool().disruption.budgets).toEqual([{ nodes: '10%' }]);
  });
});
