import { describe, expect, it } from 'vitest';
import { consentWarnings } from '#lib/disruption/consent-warnings.ts';
import { aCluster, aFreePool, aMember, mover, pass } from '#test/build/members.ts';
import { aPodDisruptionBudget } from '#test/build/pods.ts';

const holding = (name: string) => aMember(name, { pods: [mover(`on-${name}`, 100)] });

describe('consentWarnings', () => {
  it('names a budget that cannot be followed, once, and its nodes stay for that reason', () => {
    const nodePools = [aFreePool({ disruption: { budgets: [{ nodes: '150%' }] } })];
    const cluster = aCluster([holding('a'), holding('b')], { nodePools });
    const { plan, removed, why } = pass(cluster);

    expect(plan.warnings).toEqual([
      'NodePool "default": no node is disrupted, because budget 1 cannot be followed: nodes: expected at most 100%, found "150%"',
    ]);
    expect(removed).toEqual([]);
    expect(why('a')).toContain('cannot be followed, so that no node goes');
  });

  it('names a PodDisruptionBudget that never yields, once for all nodes that it holds', () => {
    const podDisruptionBudgets = [
      aPodDisruptionBudget({ maxUnavailable: '0', disruptionsAllowed: 0 }),
    ];
    const cluster = aCluster([holding('a'), holding('b'), aMember('c')], { podDisruptionBudgets });

    expect(consentWarnings(cluster)).toEqual([
      'PodDisruptionBudget default/budget never lets a pod go (maxUnavailable is 0): 2 nodes stay for its sake',
    ]);
    expect(pass(cluster).removed).toEqual(['c']);
  });

  it('has nothing to say of budgets that are only used up, or hold nobody', () => {
    const used = aPodDisruptionBudget({ disruptionsAllowed: 0 });
    const idle = aPodDisruptionBudget({ meta: { namespace: 'far' }, maxUnavailable: '0' });

    expect(
      consentWarnings(aCluster([holding('a')], { podDisruptionBudgets: [used, idle] })),
    ).toEqual([]);
  });
});
