import { describe, expect, it } from 'vitest';
import { moversIn } from '#lib/disruption/consolidation/movers.ts';
import { openRooms } from '#lib/disruption/consolidation/rooms.ts';
import type { Pod } from '#lib/model/pod.ts';
import { hostsOf } from '#lib/solver/hosts/hosts.ts';
import { aCluster, aMember, mover } from '#test/build/members.ts';

const AXES = ['cpu', 'memory'];
const apart = {
  required: [
    {
      topologyKey: 'kubernetes.io/hostname',
      selector: { matchLabels: { app: 'web' }, matchExpressions: [] },
      namespaces: [],
    },
  ],
  preferred: [],
};

/** Which of these pods go where beside what stands on the nodes. */
function fitted(pods: readonly Pod[], standing: Readonly<Record<string, readonly Pod[]>>) {
  const nodes = Object.entries(standing).map(([name, own]) => aMember(name, { pods: own }));
  const snapshot = aCluster([...nodes, aMember('source', { pods })]);
  const { moverOf, apartnessOf } = moversIn(snapshot, AXES);
  const rooms = openRooms(hostsOf(snapshot, new Map(), AXES), apartnessOf);
  const { placed, left } = rooms.fit(pods.map(moverOf), new Set(['source']));
  return {
    placed: placed.map(({ mover: { pod }, host }) => `${pod.meta.name} on ${host}`),
    left: left.map(({ pod }) => pod.meta.name),
  };
}

describe('openRooms', () => {
  it('fills nodes in their order, and tells who has no room', () => {
    const pods = ['x', 'y', 'z'].map((name) => mover(name, 1500));

    expect(fitted(pods, { a: [mover('on-a', 2000)], b: [mover('on-b', 2000)] })).toEqual({
      placed: ['x on a', 'y on b'],
      left: ['z'],
    });
  });

  it('asks selectors and taints of nodes', () => {
    const picky = mover('x', 100, { nodeSelector: { 'kubernetes.io/hostname': 'b' } });

    expect(fitted([picky], { a: [], b: [] }).placed).toEqual(['x on b']);
  });

  it('keeps pods off nodes where others are that they, or that want them, away', () => {
    const web = (name: string) => mover(name, 100, { meta: { labels: { app: 'web' } } });
    const loner = (name: string) => mover(name, 100, { podAntiAffinity: apart });
    const both = (name: string) =>
      mover(name, 100, { meta: { labels: { app: 'web' } }, podAntiAffinity: apart });

    expect(fitted([loner('x')], { a: [web('on-a')], b: [] }).placed).toEqual(['x on b']);
    expect(fitted([web('x')], { a: [loner('on-a')], b: [] }).placed).toEqual(['x on b']);
    expect(fitted([both('x'), both('y'), both('z')], { a: [], b: [] })).toEqual({
      placed: ['x on a', 'y on b'],
      left: ['z'],
    });
  });
});
