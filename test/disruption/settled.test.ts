import { describe, expect, it } from 'vitest';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import { aCluster, aFreePool, aMember, mover, pass, SETTLED } from '#test/build/members.ts';
import { conditionsUpTo } from '#test/build/node-claims.ts';
import { HOUR, MINUTE, NOON } from '#test/build/objects.ts';

/** Why a node stays whose NodeClaim is so, one that holds a pod and one that is empty. */
function whyOf(status: Partial<NodeClaim['status']>, consolidateAfter = HOUR) {
  const nodePools = [aFreePool({ disruption: { consolidateAfter } })];
  const conditions = status.conditions ?? conditionsUpTo('Initialized');
  const difference = { conditions, claim: { status } };
  const nodes = [
    aMember('full', { ...difference, pods: [mover('a', 100)] }),
    aMember('empty', difference),
  ];
  const { why } = pass(aCluster(nodes, { nodePools }));
  return [why('full'), why('empty')];
}

describe('a node that has not settled', () => {
  it('says until when it is left alone', () => {
    const because = 'its pods changed a short while ago: not before 2026-11-20T12:45:00Z';

    expect(whyOf({ lastPodEventAt: NOON - 15 * MINUTE })).toEqual([because, because]);
  });

  it('says that it came up, where no pod has come or gone since', () => {
    expect(whyOf({})[0]).toMatch(/^it came up a short while ago: not before 2026-11-20T1\d:/);
  });

  it('says that nobody has marked it where its time is over', () => {
    const because = 'its NodeClaim is not marked Consolidatable yet';

    expect(whyOf({ lastPodEventAt: NOON - 15 * MINUTE }, 0)).toEqual([because, because]);
  });

  it('is none once it is marked', () => {
    expect(whyOf({ conditions: SETTLED })[0]).toContain('cheaper node');
  });
});
