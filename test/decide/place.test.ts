import { describe, expect, it } from 'vitest';
import { place } from '#lib/decide/place.ts';
import { somePods } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

describe('place', () => {
  it('gives every pod without a node a place on a new one', () => {
    const { claims, refused } = place(aSnapshot({ pods: somePods(3) }));

    expect(claims.flatMap(({ pods }) => pods).sort()).toEqual([
      'default/web-1',
      'default/web-2',
      'default/web-3',
    ]);
    expect(refused).toEqual([]);
  });
});
