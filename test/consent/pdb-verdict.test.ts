import { describe, expect, it } from 'vitest';
import { isFullyBlocking, pdbVerdict } from '#lib/consent/pdb-verdict.ts';
import { aPodDisruptionBudget, aRunningPod } from '#test/build/pods.ts';

const pod = aRunningPod({ meta: { labels: { app: 'web' } } });
const selecting = (app: string) => ({ matchLabels: { app }, matchExpressions: [] });
const exhausted = aPodDisruptionBudget({ selector: selecting('web'), disruptionsAllowed: 0 });

describe('pdbVerdict', () => {
  it('lets go a pod that no budget is about', () => {
    const { selector: _, ...selectsNothing } = exhausted;
    const budgets = [
      aPodDisruptionBudget({ selector: selecting('db'), disruptionsAllowed: 0 }),
      aPodDisruptionBudget({ meta: { namespace: 'other' }, disruptionsAllowed: 0 }),
      selectsNothing,
    ];

    expect(pdbVerdict(pod, budgets)).toEqual({ kind: 'allowed' });
  });

  it('lets go while the budget allows it, and not now when it does not', () => {
    expect(pdbVerdict(pod, [{ ...exhausted, disruptionsAllowed: 1 }])).toEqual({ kind: 'allowed' });
    expect(pdbVerdict(pod, [exhausted])).toEqual({
      kind: 'notNow',
      because: 'pdb prevents pod evictions (PodDisruptionBudget=[default/budget])',
      budgets: ['default/budget'],
    });
  });

  it.each([{ maxUnavailable: '0' }, { maxUnavailable: '0%' }, { minAvailable: '100%' }])(
    'says never of a budget with %j',
    (difference) => {
      const budget = aPodDisruptionBudget({ ...difference, disruptionsAllowed: 0 });

      expect(isFullyBlocking(budget)).toBe(true);
      expect(pdbVerdict(pod, [budget])).toMatchObject({
        kind: 'never',
        because: 'pdb prevents pod evictions (PodDisruptionBudget=[default/budget])',
      });
    },
  );

  it.each([{ maxUnavailable: '1' }, { minAvailable: '3' }, { minAvailable: '99%' }, {}])(
    'does not say never of a budget with %j',
    (difference) => {
      expect(isFullyBlocking(aPodDisruptionBudget(difference))).toBe(false);
    },
  );

  it('says never of a pod under two budgets, whatever they allow', () => {
    const budgets = ['b', 'a'].map((name) => aPodDisruptionBudget({ meta: { name } }));

    expect(pdbVerdict(pod, budgets)).toEqual({
      kind: 'never',
      because:
        'eviction does not support multiple PDBs (PodDisruptionBudget(s)=[default/a default/b])',
      budgets: ['default/a', 'default/b'],
    });
  });

  it('lets an unhealthy pod go where the budget says always', () => {
    const always = { ...exhausted, unhealthyPodEvictionPolicy: 'AlwaysAllow' as const };
    const unhealthy = aRunningPod({ meta: pod.meta, ready: 'False' });

    expect(pdbVerdict(unhealthy, [always]).kind).toBe('allowed');
    expect(pdbVerdict(unhealthy, [{ ...always, maxUnavailable: '0' }]).kind).toBe('allowed');
    expect(pdbVerdict(pod, [always]).kind).toBe('notNow');
    expect(pdbVerdict(unhealthy, [exhausted]).kind).toBe('notNow');
  });
});
