import { describe, expect, it } from 'vitest';
import type { SeamCall } from '#lib/sim/call-faults.ts';
import { createFaultPlan } from '#lib/sim/faults.ts';

const call = (actor: string, name: string): SeamCall => ({ actor, seam: 'kube', name });
const CALLS = [
  call('provision/1', 'list pods'),
  call('consolidate/1', 'list pods'),
  call('provision/1', 'create nodeclaims'),
  call('provision/2', 'list pods'),
];

describe('a fault plan', () => {
  it('lets every call pass and remembers it, where nothing is planned', () => {
    const plan = createFaultPlan();

    expect(CALLS.map(plan.on)).toEqual(['pass', 'pass', 'pass', 'pass']);
    expect(plan.calls()).toEqual(CALLS);
  });

  it.each([
    ['of all calls', { at: 2, how: 'lost' }, ['pass', 'lost', 'pass', 'pass']],
    [
      'of one function',
      { at: 3, how: 'never', of: { function: 'provision' } },
      ['pass', 'pass', 'pass', 'never'],
    ],
    [
      'of one run',
      { at: 1, how: 'lost', of: { actor: 'provision/2' } },
      ['pass', 'pass', 'pass', 'lost'],
    ],
    [
      'of one name',
      { at: 2, how: 'lost', of: { name: 'list pods' } },
      ['pass', 'lost', 'pass', 'pass'],
    ],
  ] as const)('strikes once, at the call counted %s', (_what, crash, fates) => {
    const plan = createFaultPlan([crash]);

    expect(CALLS.map(plan.on)).toEqual(fates);
    expect(plan.struck()).toHaveLength(1);
  });
});
