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

const evenly = {
  meta: { labels: { app: 'web' } },
  topologySpread: [
    {
      topologyKey: 'topology.kubernetes.io/zone',
      maxSkew: 1,
      whenUnsatisfiable: 'DoNotSchedule' as const,
      matchLabelKeys: [],
      nodeAffinityPolicy: 'Honor' as const,
      nodeTaintsPolicy: 'Ignore' as const,
      selector: { matchLabels: { app: 'web' }, matchExpressions: [] },
    },
  ],
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

  it('keeps pods even over zones, counting none that are to move', () => {
    const pods = ['w', 'x', 'y', 'z'].map((name) => mover(name, 100, evenly));
    const standing = [mover('on-b', 100, evenly)];
    const nodes = [
      aMember('a', { zone: 'us-east-1a' }),
      aMember('b', { zone: 'us-east-1b', pods: standing }),
      aMember('source', { zone: 'us-east-1b', pods }),
    ];
    const snapshot = aCluster(nodes);
    const { moverOf, apartnessOf } = moversIn(snapshot, AXES);
    const rooms = openRooms(hostsOf(snapshot, new Map(), AXES), apartnessOf);
    const placed = () =>
      rooms
        .fit(pods.map(moverOf), new Set(['source']))
        .placed.map(({ mover: { pod }, host }) => `${pod.meta.name} on ${host}`);

    expect(placed()).toEqual(['w on a', 'x on a', 'y on b', 'z on a']);

    rooms.take('a', moverOf(mover('more', 100, evenly)).kind);
    expect(placed().slice(0, 2)).toEqual(['w on a', 'x on b']);
  });
});
