import { describe, expect, it } from 'vitest';
import { matchInstances } from '#lib/cli/stories/match-instances.ts';

const machine = (id: string, state: 'running' | 'shutting-down' | 'terminated' = 'running') => ({
  id,
  state,
});
const claimOf = (id: string, metadata: object = {}) => ({
  metadata,
  status: { providerID: `aws:///us-east-1a/${id}` },
});
const GOING = { deletionTimestamp: '2026-11-20T12:00:00Z' };

describe('matching instances with NodeClaims', () => {
  it('is content when each has its other', () => {
    expect(
      matchInstances([machine('i-1'), machine('i-2')], [claimOf('i-2'), claimOf('i-1')]),
    ).toEqual({ ok: true, found: '2 instances, 2 NodeClaims' });
  });

  it.each([
    ['an instance that nobody claims', [machine('i-1'), machine('i-2')], [claimOf('i-1')]],
    ['a NodeClaim without an instance', [machine('i-1')], [claimOf('i-1'), { status: {} }]],
    ['two NodeClaims of one instance', [machine('i-1')], [claimOf('i-1'), claimOf('i-1')]],
    ['a NodeClaim whose instance is gone', [machine('i-1', 'terminated')], [claimOf('i-1')]],
    ['a swap', [machine('i-1'), machine('i-2')], [claimOf('i-1'), claimOf('i-3')]],
  ])('finds %s', (_what, machines, claims) => {
    expect(matchInstances(machines, claims).ok).toBe(false);
  });

  it('lets a NodeClaim that is being deleted have lost its instance', () => {
    const machines = [machine('i-1'), machine('i-2', 'shutting-down')];
    expect(matchInstances(machines, [claimOf('i-1'), claimOf('i-2', GOING)]).ok).toBe(true);
  });
});
