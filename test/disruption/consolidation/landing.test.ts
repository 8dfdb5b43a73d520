import { describe, expect, it } from 'vitest';
import { type LandingPlace, leftOut } from '#lib/disruption/consolidation/landing.ts';
import { moversIn } from '#lib/disruption/consolidation/movers.ts';
import { hostsOf } from '#lib/solver/hosts/hosts.ts';
import { aCluster, aMember, mover } from '#test/build/members.ts';
import { GIB } from '#test/build/objects.ts';

const AXES = ['cpu', 'memory'];

/** A node of 4 CPUs of which so much is left, as much memory as nobody needs. */
const placesOf = (free: Readonly<Record<string, number>>): readonly LandingPlace[] => {
  const snapshot = aCluster(Object.keys(free).map((name) => aMember(name)));
  return hostsOf(snapshot, new Map(), AXES).map((host) => ({
    host,
    has: [4_000, 16 * GIB],
    free: [free[host.name] ?? 0, 16 * GIB],
  }));
};

/** Who is left out, order by order. */
function leftOutOf(cpus: readonly number[], free: Readonly<Record<string, number>>) {
  const pods = cpus.map((cpu, at) => mover(`p${at}`, cpu));
  const { moverOf } = moversIn(aCluster([aMember('source', { pods })]), AXES);
  return leftOut(pods.map(moverOf), placesOf(free), AXES).map((left) =>
    left.map(({ pod }) => pod.meta.name),
  );
}

describe('leftOut', () => {
  it('is nobody where all fit wherever they are put', () => {
    expect(leftOutOf([500, 500, 1_000], { a: 2_000, b: 2_000 })).toEqual([[], [], []]);
  });

  it('is who finds the large node filled, when the small pods come first', () => {
    expect(leftOutOf([2_000, 500, 500], { a: 2_000, b: 1_000 })).toEqual([[], [], ['p0']]);
  });

  it('is nobody where one node holds them all, whatever others take', () => {
    expect(leftOutOf([1_500, 500, 500, 500], { a: 3_000, b: 900, c: 400 })).toEqual([[], [], []]);
  });

  it('is everybody for whom no node is large enough', () => {
    expect(leftOutOf([3_000, 3_000], { a: 3_500, b: 500 })).toEqual([['p1'], ['p1'], ['p0']]);
  });
});
