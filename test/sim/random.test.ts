import { describe, expect, it } from 'vitest';
import { seededRandom } from '#lib/sim/random.ts';

const draws = (seed: number, name = ''): string => {
  const random = seededRandom(seed, name);
  return [1, 2, 3].map(() => random.next()).join(' ');
};

describe('seededRandom', () => {
  it('repeats itself for one seed and name', () => {
    expect(draws(7, 'ec2')).toBe(draws(7, 'ec2'));
  });

  it('differs between any two seeds, and between any two names', () => {
    const streams = Array.from({ length: 200 }, (_, seed) => draws(seed));

    expect(new Set(streams).size).toBe(200);
    expect(draws(7, 'ec2')).not.toBe(draws(7, 'sqs'));
  });

  it('draws whole numbers from the whole range, both ends included', () => {
    const random = seededRandom(1);
    const seen = new Set(Array.from({ length: 200 }, () => random.between(3, 6)));

    expect([...seen].sort()).toEqual([3, 4, 5, 6]);
  });

  it('is not shifted by what a fork draws', () => {
    const [a, b] = [seededRandom(1), seededRandom(1)];
    a.fork('child').next();

    expect(a.next()).toBe(b.next());
  });
});
