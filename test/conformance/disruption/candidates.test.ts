/**
 * Karpenter's rules of who may be disrupted, restated.
 * Source: karpenter v1.14, disruption/suite_test.go (Candidate Filtering).
 */
import { describe, expect, it } from 'vitest';
import { type CandidacyFacts, candidateOf } from '#lib/disruption/candidates.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { aCluster, aMember, mover, pass, SETTLED } from '#test/build/members.ts';
import { aCondition, aNodePool } from '#test/build/node-pools.ts';
import { aNode, anUnmanagedNode } from '#test/build/nodes.ts';
import { type Difference, MINUTE, NOON, ownedBy } from '#test/build/objects.ts';
import { aPodDisruptionBudget } from '#test/build/pods.ts';

const GUARD = { 'karpenter.sh/do-not-disrupt': 'true' };
const guarded = (value = 'true', difference: Difference<Pod> = {}): Pod =>
  mover('guarded', 100, {
    ...difference,
    meta: { annotations: { 'karpenter.sh/do-not-disrupt': value }, ...difference.meta },
  });
const withGrace = (pods: readonly Pod[]): StateNode =>
  aMember('a', { pods, claim: { spec: { terminationGraceMs: MINUTE } } });
const closedBudget = aPodDisruptionBudget({ disruptionsAllowed: 0 });

const why = (
  state: StateNode,
  difference: Partial<Snapshot> = {},
  facts: Partial<CandidacyFacts> = {},
): string | undefined => {
  const snapshot = aCluster([state], difference);
  const result = candidateOf(state, { snapshot, nominated: new Set(), ...facts });
  return 'by' in result ? result.because : undefined;
};

describe('Candidates', () => {
  it('2: a protected pod blocks where no grace is set, drifted or not', () => {
    const state = aMember('a', {
      pods: [guarded()],
      conditions: [...SETTLED, aCondition('Drifted')],
    });

    expect(why(state, {}, { forgives: true })).toBe(
      'Pod has "karpenter.sh/do-not-disrupt" annotation (Pod=default/guarded)',
    );
  });

  it('3: a budget that allows nothing is forgiven by eventual methods on nodes with a grace', () => {
    const pods = [mover('web', 100)];
    const budgets = { podDisruptionBudgets: [closedBudget] };
    const because = 'Pdb prevents pod evictions (PodDisruptionBudget=[default/budget])';

    expect(why(withGrace(pods), budgets, { forgives: true })).toBeUndefined();
    expect(why(withGrace(pods), budgets)).toBe(because);
    expect(why(aMember('a', { pods }), budgets, { forgives: true })).toBe(because);
    expect(why(aMember('a', { pods }), budgets)).toBe(because);
  });

  it('4: what the node says is never forgiven, and only the word true counts', () => {
    const claim = { spec: { terminationGraceMs: MINUTE } };
    const no = { 'karpenter.sh/do-not-disrupt': 'false' };

    expect(why(aMember('a', { annotations: GUARD, claim }), {}, { forgives: true })).toBe(
      'Disruption is blocked through the "karpenter.sh/do-not-disrupt" annotation',
    );
    expect(pass(aCluster([aMember('a', { annotations: no })])).removed).toEqual(['a']);
  });

  it('45: DaemonSet and mirror pods protect as well; those that end or have ended do not', () => {
    const owned = (kind: 'DaemonSet' | 'Node') =>
      why(aMember('a', { pods: [guarded('true', { meta: { owners: [ownedBy(kind)] } })] }));

    expect(owned('DaemonSet')).toContain('do-not-disrupt');
    expect(owned('Node')).toContain('do-not-disrupt');
    expect(why(aMember('a', { pods: [guarded('true', { phase: 'Succeeded' })] }))).toBeUndefined();
    const ending = { meta: { deletedAt: NOON } };
    expect(why(aMember('a', { pods: [guarded('true', ending)] }))).toBeUndefined();
  });

  it('46: a budget that never yields blocks for a DaemonSet pod, not for mirror and ended ones', () => {
    const podDisruptionBudgets = [
      aPodDisruptionBudget({ maxUnavailable: '0', disruptionsAllowed: 0 }),
    ];
    const blocked = (difference: Parameters<typeof mover>[2]) =>
      why(aMember('a', { pods: [mover('web', 100, difference)] }), { podDisruptionBudgets });

    expect(blocked({ meta: { owners: [ownedBy('DaemonSet')] } })).toContain('Pdb prevents');
    expect(blocked({ meta: { owners: [ownedBy('Node')] } })).toBeUndefined();
    expect(blocked({ phase: 'Failed' })).toBeUndefined();
    expect(blocked({ meta: { deletedAt: NOON } })).toBeUndefined();
  });

  it('48: a budget that always lets unhealthy pods go lets them go', () => {
    const pods = [mover('web', 100, { ready: 'False' })];
    const always = aPodDisruptionBudget({
      disruptionsAllowed: 0,
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
    });

    expect(why(aMember('a', { pods }), { podDisruptionBudgets: [always] })).toBeUndefined();
    expect(why(aMember('a', { pods }), { podDisruptionBudgets: [closedBudget] })).toContain('Pdb');
  });

  it('50: a protection of some minutes ends, and the last one counts', () => {
    const pod = (name: string, value: string) =>
      mover(name, 100, {
        meta: { annotations: { 'karpenter.sh/do-not-disrupt': value } },
        startedAt: NOON,
      });
    const state = aMember('a', { pods: [pod('short', '2m')] });
    const both = aMember('a', { pods: [pod('short', '2m'), pod('long', '5m')] });

    expect(why(state)).toContain('default/short');
    expect(why(state, { takenAt: NOON + 3 * MINUTE })).toBeUndefined();
    expect(why(both, { takenAt: NOON + 3 * MINUTE })).toContain('default/long');
    expect(why(both, { takenAt: NOON + 6 * MINUTE })).toBeUndefined();
  });

  it('52: a protection of some minutes holds for a pod that has not started', () => {
    const { startedAt: _, ...pod } = guarded('10m');

    expect(why(aMember('a', { pods: [pod] }))).toContain('do-not-disrupt');
  });

  it('98: whoever is not one of ours, whole, up and staying is no candidate', () => {
    const { node, claim, ...rest } = aMember('a');
    const half = claim && { ...rest, claim };
    const unlabelled = aMember('a', { labels: { 'karpenter.sh/initialized': 'false' } });

    expect(half && why(half)).toBe('Nodeclaim does not have an associated node');
    expect(why(anUnmanagedNode(aNode()))).toBe('Node is not managed by a NodeClaim');
    expect(why(aMember('a'), {}, { nominated: new Set(['a']) })).toBe(
      'Node is nominated for a pending pod',
    );
    expect(why(aMember('a', { claim: { meta: { deletedAt: NOON } } }))).toBe(
      'Node is deleting or marked for deletion',
    );
    expect(why(unlabelled)).toBe("Node isn't initialized");
    expect(why(aMember('a', { pool: 'other' }))).toBe('NodePool not found (NodePool=other)');
    const inFlight = { members: new Set(['a']), replacements: new Set<string>() };
    expect(why(aMember('a'), {}, { inFlight })).toBe('Node is part of a command');
  });

  it('99: a NodePool without types, or none that can be read, stops only its own nodes', () => {
    const broken = aNodePool({
      meta: { name: 'broken' },
      template: {
        nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'missing' },
      },
      disruption: { budgets: [] },
    });
    const snapshot = aCluster([aMember('a'), aMember('b', { pool: 'broken' })]);
    const { removed, why: reason } = pass({
      ...snapshot,
      nodePools: [broken, ...snapshot.nodePools],
    });

    expect(removed).toEqual(['a']);
    expect(reason('b')).toBe('NodePool not found (NodePool=broken)');
  });
});
