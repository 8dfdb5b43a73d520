import { describe, expect, it } from 'vitest';
import type { Resources } from '#lib/constraints/resources.ts';
import { place } from '#lib/decide/place.ts';
import { aCatalog, anInstanceType } from '#test/build/instance-types.ts';
import { GIB } from '#test/build/objects.ts';
import { aPod } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

/** Why a pod that asks for this gets no node of two types with 4 cpu, one of them with 64 GiB. */
function whyNot(requests: Resources): string {
  const catalog = aCatalog([
    anInstanceType('r5.xlarge', { cpu: 4, memoryGib: 64 }),
    anInstanceType('m5.xlarge', { cpu: 4, memoryGib: 16 }),
  ]);
  const { refused } = place(aSnapshot({ pods: [aPod({ requests })], catalog }));
  return refused[0]?.because ?? '';
}

describe('resourceMiss', () => {
  it('names the type with most of what is missing, the first by name of equals', () => {
    expect(whyNot({ cpu: 5000 })).toContain('the largest type that the pool allows, m5.xlarge,');
    expect(whyNot({ memory: 80 * GIB })).toContain(
      'it needs 80 GiB of memory on one node; the largest type that the pool allows, r5.xlarge, has 64 GiB of memory to give',
    );
  });

  it('does not pretend to know an amount that is beyond counting', () => {
    expect(whyNot({ memory: Number.MAX_SAFE_INTEGER })).toContain(
      'it needs 8388608 GiB of memory or more on one node',
    );
  });
});
