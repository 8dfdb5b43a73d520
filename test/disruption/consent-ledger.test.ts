import { describe, expect, it } from 'vitest';
import { candidateOf, isBlocked } from '#lib/disruption/candidates.ts';
import { openLedger } from '#lib/disruption/consent-ledger.ts';
import type { Pod } from '#lib/model/pod.ts';
import { aCluster, aMember, mover } from '#test/build/members.ts';
import type { Difference } from '#test/build/objects.ts';
import { aPodDisruptionBudget } from '#test/build/pods.ts';

const guarded: Difference<Pod> = {
  meta: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } },
};

/** What keeps `b` from going while `a` is in flight, where a budget over all pods allows so many. */
function keeps(allowed: number, goingWith: readonly Pod[]): string | undefined {
  return asked(allowed, goingWith).objection;
}

function asked(allowed: number, goingWith: readonly Pod[]) {
  const snapshot = aCluster(
    [aMember('a', { pods: goingWith }), aMember('b', { pods: [mover('on-b', 100)] })],
    { podDisruptionBudgets: [aPodDisruptionBudget({ disruptionsAllowed: allowed })] },
  );
  const ledger = openLedger({ snapshot, inFlight: new Set(['a']) });
  const candidates = snapshot.nodes
    .filter(({ name }) => name === 'b')
    .map((state) => candidateOf(state, { snapshot, nominated: new Set() }))
    .flatMap((each) => (isBlocked(each) ? [] : [each]));
  return {
    objection: ledger.objection(candidates, 'Underutilized')?.by,
    shared: ledger.sharedBudget(candidates),
  };
}

describe('what a PodDisruptionBudget allows', () => {
  it('is drawn on by nodes that are on their way out', () => {
    expect(keeps(1, [mover('on-a', 100)])).toBe('pdb');
    expect(keeps(2, [mover('on-a', 100)])).toBeUndefined();
  });

  it('is drawn on by their pods that were protected since: that may pass', () => {
    expect(keeps(1, [mover('on-a', 100, guarded)])).toBe('pdb');
  });

  it('does not stand against a renewal where it is large enough for all that go', () => {
    expect(asked(1, [mover('on-a', 100)]).shared).toBe('default/budget');
    expect(asked(2, [mover('on-a', 100)]).shared).toBeUndefined();
    expect(asked(1, []).shared).toBeUndefined();
  });

  it('is not drawn on by pods that are being deleted already, which it counts itself', () => {
    expect(keeps(1, [mover('on-a', 100, { meta: { deletedAt: 0 } })])).toBeUndefined();
  });
});
