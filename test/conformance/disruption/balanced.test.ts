/**
 * Karpenter's policy Balanced, restated.
 * Source: karpenter v1.14, disruption/balanced_test.go.
 */
import { describe, expect, it } from 'vitest';
import { candidateOf, isBlocked } from '#lib/disruption/candidates.ts';
import {
  balancedJudge,
  balancedScore,
  evictionCost,
} from '#lib/disruption/consolidation/balanced.ts';
import type { DraftCommand } from '#lib/disruption/draft-command.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { anInstanceType } from '#test/build/instance-types.ts';
import { aCluster, aFreePool, aMember, mover, pass } from '#test/build/members.ts';

const BALANCED = { consolidationPolicy: 'Balanced' as const };
const balanced = { nodePools: [aFreePool({ disruption: BALANCED })] };
const of = (cost: number) => ({ usdPerHour: cost, disruption: 90 });
const fill = (name: string, count: number, cpu: number) =>
  Array.from({ length: count }, (_, at) => mover(`${name}-${at}`, cpu));

/** What the judge says of the removal of these members for so much. */
function verdict(snapshot: Snapshot, names: readonly string[], savesUsdPerHour: number) {
  const all = snapshot.nodes.map((state) => candidateOf(state, { snapshot, nominated: new Set() }));
  const members = all.flatMap((each) =>
    isBlocked(each) || !names.includes(each.state.name) ? [] : [each],
  );
  const command: DraftCommand = {
    reason: 'Underutilized',
    members,
    replacements: [],
    placements: [],
    podsMoved: 0,
    savesUsdPerHour,
  };
  return balancedJudge(all, snapshot)(command)?.by;
}

describe('Balanced', () => {
  it('66: weighs the share of cost against the share of pods', () => {
    expect(balancedScore(7.26, 4, of(58.08))).toBeGreaterThan(0.5);
    expect(balancedScore(4.84, 5, of(58.08))).toBeGreaterThan(0.5);
    expect(balancedScore(2.42, 9, of(58.08))).toBeCloseTo(0.417, 3);
  });

  it('67: half is enough', () => {
    expect(balancedScore(2.42, 9, of(48.4))).toBeCloseTo(0.5, 12);
  });

  it('69: the only node of its pool may go where its pods fit elsewhere', () => {
    const pools = [aFreePool({ meta: { name: 'lone' }, disruption: BALANCED }), aFreePool()];
    const lone = aMember('a', { pool: 'lone', pods: [mover('web', 100)] });
    const other = aMember('b', { pods: fill('b', 3, 500) });

    expect(pass(aCluster([lone, other], { nodePools: pools })).removed).toContain('a');
  });

  it('70: moves that disturb nobody are worth it if they save; without a whole nothing is', () => {
    expect(balancedScore(1, 0, of(10))).toBe(Number.POSITIVE_INFINITY);
    expect(balancedScore(0, 0, of(10))).toBe(0);
    expect(balancedScore(1, 1, { usdPerHour: 0, disruption: 90 })).toBe(0);
    expect(balancedScore(1, 1, { usdPerHour: 0, disruption: 0 })).toBe(0);
  });

  it('71: each balanced pool of a command has to agree, others have no say', () => {
    const nodePools = [aFreePool(), aFreePool({ meta: { name: 'strict' }, disruption: BALANCED })];
    const snapshot = aCluster(
      [
        aMember('a', { pods: fill('a', 8, 100) }),
        aMember('b', { pool: 'strict', pods: fill('b', 9, 100) }),
        aMember('c', { pool: 'strict', pods: fill('c', 1, 100) }),
      ],
      { nodePools },
    );

    expect(verdict(snapshot, ['a', 'b'], 0.001)).toBe('balanced');
    expect(verdict(snapshot, ['a'], 0.001)).toBeUndefined();
    expect(verdict(snapshot, ['b', 'c'], 0.4)).toBeUndefined();
  });

  it('72: a node that is well filled stays, and so does any at a budget of 0%', () => {
    const closed = aFreePool({ disruption: { ...BALANCED, budgets: [{ nodes: '0' }] } });
    const nodes = [aMember('a', { pods: fill('a', 3, 1200) }), aMember('b', { pods: [] })];

    expect(pass(aCluster(nodes.slice(0, 1), balanced)).removed).toEqual([]);
    expect(pass(aCluster(nodes, { nodePools: [closed] })).removed).toEqual([]);
  });

  it('74: where only on-demand may be bought, what is saved is by its price', () => {
    const large = anInstanceType('m5.2xlarge', { cpu: 8, usdPerHour: 0.4 });
    const other = anInstanceType('m6.2xlarge', { cpu: 8, usdPerHour: 0.38 });
    const node = aMember('a', { type: large, pods: fill('a', 12, 600) });
    const { removed, why } = pass(aCluster([node], { types: [large, other], ...balanced }));

    expect(removed).toEqual([]);
    expect(why('a')).toMatch(/scores 0\.05|would save|cheaper/);
  });

  it('163: a pod counts one, more with its priority and deletion cost, less where they are negative', () => {
    const priced = (value: string) =>
      evictionCost(
        mover('web', 1, {
          meta: { annotations: { 'controller.kubernetes.io/pod-deletion-cost': value } },
        }),
      );

    expect(evictionCost(mover('web', 1))).toBe(1);
    expect(priced('100000000')).toBeGreaterThan(1);
    expect(priced('-100000000')).toBeLessThan(1);
    expect(priced('200000000')).toBeGreaterThan(priced('100000000'));
    expect(priced('dear')).toBe(1);
    expect(priced('99999999999')).toBe(10);
    expect(evictionCost(mover('web', 1, { priority: 2 ** 25 }))).toBe(2);
  });
});
