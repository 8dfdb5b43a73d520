import { describe, expect, it } from 'vitest';
import { budgetEvents } from '#lib/decide/budget-events.ts';
import { decideDrift } from '#lib/decide/drift.ts';
import type { BudgetSpec } from '#lib/model/node-pool.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { aStateNode } from '#test/build/nodes.ts';
import { HOUR } from '#test/build/objects.ts';
import { quietWorld } from '#test/build/quiet-world.ts';

const aCluster = (budgets: readonly BudgetSpec[], nodes = [aStateNode()]) =>
  quietWorld({ nodes, nodePools: [aNodePool({ disruption: { budgets } })] });
const told = (...given: Parameters<typeof aCluster>) =>
  budgetEvents(aCluster(...given)).map((action) =>
    action.kind === 'recordEvent' ? `${action.about.kind} ${action.reason}: ${action.message}` : '',
  );
const blockedFor = (reason: string): string =>
  `NodePool DisruptionBlocked: No allowed disruptions for disruption reason ${reason} due to blocking budget`;

describe('what a NodePool is told of its budgets', () => {
  it('is for which reasons they let no node go', () => {
    expect(told([{ nodes: '0' }])).toEqual(['Underutilized', 'Empty', 'Drifted'].map(blockedFor));
    expect(told([{ nodes: '0', reasons: ['Drifted'] }])).toEqual([blockedFor('Drifted')]);
  });

  it.each([
    ['they let some go', [{ nodes: '10%' }], [aStateNode()]],
    ['it is not their hour', [{ nodes: '0', schedule: '0 3 * * *', durationMs: HOUR }], undefined],
    ['there is no node', [{ nodes: '0' }], []],
  ])('is nothing where %s', (_why, budgets, nodes) => {
    expect(told(budgets, nodes)).toEqual([]);
  });

  it('is told by drift, whose schedule is not every minute', () => {
    const { actions } = decideDrift(aCluster([{ nodes: '0' }]));

    expect(actions.filter(({ kind }) => kind === 'recordEvent')).toHaveLength(3);
  });
});
