import { describe, expect, it } from 'vitest';
import { byName, byNamespacedName, chain, compareText } from '#lib/constraints/order.ts';

const named = (name: string, namespace?: string) => ({
  meta: namespace === undefined ? { name } : { name, namespace },
});

describe('compareText', () => {
  it('goes by code unit, not by any language', () => {
    expect(['ä', 'a1', 'B', 'a-1', 'a'].sort(compareText)).toEqual(['B', 'a', 'a-1', 'a1', 'ä']);
    expect(compareText('a', 'a')).toBe(0);
  });
});

describe('the orders by name', () => {
  it('put names in order, and namespaces before names', () => {
    const objects = [named('b', 'y'), named('c', 'x'), named('a', 'y'), named('z')];

    expect(objects.toSorted(byName).map(({ meta }) => meta.name)).toEqual(['a', 'b', 'c', 'z']);
    expect(objects.toSorted(byNamespacedName).map(({ meta }) => meta.name)).toEqual([
      'z',
      'c',
      'a',
      'b',
    ]);
  });
});

describe('chain', () => {
  it('asks the next order only where the one before sees no difference', () => {
    const pool = (name: string, weight: number) => ({ ...named(name), weight });
    type Pool = ReturnType<typeof pool>;
    const byWeight = (a: Pool, b: Pool) => b.weight - a.weight;
    const pools = [pool('b', 1), pool('a', 1), pool('c', 9)];

    expect(pools.toSorted(chain(byWeight, byName)).map(({ meta }) => meta.name)).toEqual([
      'c',
      'a',
      'b',
    ]);
    expect(chain<number>()(1, 2)).toBe(0);
  });
});
