import { describe, expect, it } from 'vitest';
import { consentWarnings } from '#lib/disruption/consent-warnings.ts';
import { aCluster, aFreePool, aMember, mover, pass } from '#test/build/members.ts';
import { aPodDisruptionBudget } from '#test/build/pods.ts';
import { someSettings } from '#test/build/snapshots.ts';

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

  it('names one that wants all of its pods healthy, as long as it does', () => {
    const strict = { minAvailable: '2', disruptionsAllowed: 0, desiredHealthy: 2 };
    const warned = (expectedPods: number) =>
      consentWarnings(
        aCluster([holding('a')], {
          podDisruptionBudgets: [aPodDisruptionBudget({ ...strict, expectedPods })],
        }),
      );

    expect(warned(2)).toEqual([
      'PodDisruptionBudget default/budget lets no pod go as long as it wants 2 of its 2 pods healthy: node a stays for its sake',
    ]);
    expect(warned(3)).toEqual([]);
  });

  it('names two that select the same pods: these are never evicted', () => {
    const podDisruptionBudgets = ['b', 'c'].map((name) => aPodDisruptionBudget({ meta: { name } }));

    expect(consentWarnings(aCluster([holding('a')], { podDisruptionBudgets }))).toEqual([
      'PodDisruptionBudgets default/b and default/c select the same pods, and so never let them go: node a stays for their sake',
    ]);
  });

  it('leaves out nodes that drift takes all the same, because their end is given a time', () => {
    const podDisruptionBudgets = [aPodDisruptionBudget({ maxUnavailable: '0' })];
    const ending = aMember('a', {
      pods: [mover('on-a', 100)],
      claim: { spec: { terminationGraceMs: 1 } },
    });
    const cluster = aCluster([ending], { podDisruptionBudgets });

    expect(consentWarnings(cluster)).toHaveLength(1);
    expect(consentWarnings(cluster, { forgives: true })).toEqual([]);
  });

  it('names a budget for no reason at all, which limits nothing', () => {
    const nodePools = [aFreePool({ disruption: { budgets: [{ nodes: '0', reasons: [] }] } })];

    expect(consentWarnings(aCluster([], { nodePools }))).toEqual([
      'NodePool "default": budget 1 limits nothing, because its list of reasons is empty',
    ]);
  });

  it('names windows that cannot be read, or never open, and times that mean nothing', () => {
    const annotated = (key: string, value: string) =>
      aFreePool({ meta: { annotations: { [`joinery.dev/${key}`]: value } } });
    const warned = (key: string, value: string) =>
      consentWarnings(aCluster([], { nodePools: [annotated(key, value)] }));

    expect(warned('disruption-windows', '- { schedule: "0 0 31 2 *", duration: 1h }')).toEqual([
      'Disruption windows of NodePool "default" cannot be read, so that none is open: window 1: schedule "0 0 31 2 *": it never fires',
    ]);
    expect(warned('disruption-windows', '- { schedule: "@daily", duration: 1h }')).toEqual([]);
    expect(warned('replace-before-expiry', 'soon')).toEqual([
      'NodePool "default": joinery.dev/replace-before-expiry: expected a time such as 24h, found "soon": no node is replaced before it expires',
    ]);
    expect(warned('replace-before-expiry', '24h')).toEqual([]);
  });

  it('says once what is wrong with windows of the whole cluster', () => {
    const nodePools = ['a', 'b'].map((name) => aFreePool({ meta: { name } }));
    const settings = someSettings({ disruptionWindows: 'none' });

    expect(consentWarnings(aCluster([], { nodePools, settings }))).toEqual([
      'Disruption windows of the cluster cannot be read, so that none is open: expected a list of windows',
    ]);
  });

  it('has nothing to say of budgets that are only used up, or hold nobody', () => {
    const used = aPodDisruptionBudget({ disruptionsAllowed: 0 });
    const idle = aPodDisruptionBudget({ meta: { namespace: 'far' }, maxUnavailable: '0' });

    expect(
      consentWarnings(aCluster([holding('a')], { podDisruptionBudgets: [used, idle] })),
    ).toEqual([]);
  });
});
