/**
 * Karpenter's policy Balanced, restated.
 * Source: karpenter v1.14, disruption/balanced_test.go.
 */
import { describe, expect, it } from 'vitest';
import { approvalEvents } from '#lib/decide/commands/events.ts';
import { candidateOf, isBlocked } from '#lib/disruption/candidates.ts';
import {
  balancedJudge,
  balancedScore,
  evictionCost,
} from '#lib/disruption/consolidation/balanced.ts';
import type { DraftCommand } from '#lib/disruption/draft-command.ts';
import type { Action } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { anInstanceType } from '#test/build/instance-types.ts';
import { aCluster, aFreePool, aMember, mover, pass } from '#test/build/members.ts';
import { told } from '#test/build/told.ts';

const BALANCED = { consolidationPolicy: 'Balanced' as const };
const balanced = { nodePools: [aFreePool({ disruption: BALANCED })] };
const of = (cost: number) => ({ usdPerHour: cost, disruption: 90 });
const fill = (name: string, count: number, cpu: number) =>
  Array.from({ length: count }, (_, at) => mover(`${name}-${at}`, cpu));

/** A node for so much an hour with so many pods, which counts one more than these. */
const aNodeFor = (usdPerHour: number, name: string, pods: number) =>
  aMember(name, { type: typeFor(usdPerHour), pods: fill(name, pods, 100) });
const typeFor = (usdPerHour: number) =>
  anInstanceType(`m5.for-${usdPerHour}`, { cpu: 16, usdPerHour });

const approvalsIn = (actions: readonly Action[]) =>
  told(actions).filter((each) => each.includes(' ConsolidationApproved: '));
const approvedAs = (numbers: string) =>
  ['Node', 'NodeClaim'].map((kind) => `${kind} ConsolidationApproved: score ${numbers})`);

/** What the judge says of the removal of these members for so much: who refuses, or what is told. */
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
  const judged = balancedJudge(all, snapshot)(command);
  return 'by' in judged ? judged.by : told(approvalEvents({ ...command, ...judged }));
}

describe('Balanced', () => {
  it('66: weighs the share of cost against the share of pods', () => {
    const nodes = [
      aNodeFor(7.26, 'a', 3),
      aNodeFor(4.84, 'b', 4),
      aNodeFor(2.42, 'c', 8),
      ...Array.from({ length: 9 }, (_, at) => aNodeFor(4.84, `d${at}`, 7)),
    ];
    const pool = aCluster(nodes, { types: [7.26, 4.84, 2.42].map(typeFor), ...balanced });

    expect(verdict(pool, ['a'], 7.26)).toEqual(
      approvedAs('2.81 >= threshold 0.50 (k: 2, savings 12.5%, disruption 4.4%'),
    );
    expect(verdict(pool, ['b'], 4.84)).toEqual(
      approvedAs('1.50 >= threshold 0.50 (k: 2, savings 8.3%, disruption 5.6%'),
    );
    expect(verdict(pool, ['c'], 2.42)).toBe('balanced');
    expect(balancedScore(2.42, 9, of(58.08))).toBeCloseTo(0.417, 3);
  });

  it.each([
    ['half is enough', {}],
    ['of all nodes, whether or not the others may go', { 'karpenter.sh/do-not-disrupt': 'true' }],
  ])('67: %s', (_title, annotations) => {
    const others = Array.from({ length: 19 }, (_, at) =>
      aNodeFor(2.42, `b${at}`, at < 5 ? 4 : 3),
    ).map((state) => ({
      ...state,
      pods: state.pods.map((pod) => ({ ...pod, meta: { ...pod.meta, annotations } })),
    }));
    const pool = aCluster([aNodeFor(2.42, 'a', 8), ...others], {
      types: [typeFor(2.42)],
      ...balanced,
    });

    expect(verdict(pool, ['a'], 2.42)).toEqual(
      approvedAs('0.50 >= threshold 0.50 (k: 2, savings 5.0%, disruption 10.0%'),
    );
  });

  it('69: the only node of its pool may go where its pods fit elsewhere', () => {
    const pools = [aFreePool({ meta: { name: 'lone' }, disruption: BALANCED }), aFreePool()];
    const lone = aMember('a', { pool: 'lone', pods: [mover('web', 100)] });
    const other = aMember('b', { pods: fill('b', 3, 500) });

    const { removed, plan } = pass(aCluster([lone, other], { nodePools: pools }));

    expect(removed).toContain('a');
    expect(approvalsIn(plan.actions)).toEqual(
      approvedAs('1.00 >= threshold 0.50 (k: 2, savings 100.0%, disruption 100.0%'),
    );
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
    expect(verdict(snapshot, ['a'], 0.001)).toEqual([]);
    expect(verdict(snapshot, ['b', 'c'], 0.4)).toEqual([
      'NodePool ConsolidationApproved: score 1.00 >= threshold 0.50 (k: 2, savings 100.0%, disruption 100.0%)',
    ]);
  });

  it('72: a node that is well filled stays, and so does any at a budget of 0%; nothing is told', () => {
    const closed = aFreePool({ disruption: { ...BALANCED, budgets: [{ nodes: '0%' }] } });
    const full = aMember('a', { pods: fill('a', 3, 1200) });
    const idle = [
      aMember('b', { pods: fill('b', 1, 100) }),
      aMember('c', { pods: fill('c', 1, 100) }),
    ];
    const filled = pass(aCluster([full], balanced));
    const shut = pass(aCluster(idle, { nodePools: [closed] }));
    const free = pass(aCluster(idle, balanced));

    expect([...filled.removed, ...approvalsIn(filled.plan.actions)]).toEqual([]);
    expect([...shut.removed, ...approvalsIn(shut.plan.actions)]).toEqual([]);
    expect(approvalsIn(free.plan.actions)).not.toEqual([]);
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
