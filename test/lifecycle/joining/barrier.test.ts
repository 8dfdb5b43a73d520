import { describe, expect, it } from 'vitest';
import { overdueLifts, releaseOf } from '#lib/lifecycle/joining/barrier.ts';
import { surroundingsOf } from '#lib/lifecycle/surroundings.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { aWaitingClaim, aWaitingNode, BARRIER } from '#test/build/barriers.ts';
import { anInFlightNode } from '#test/build/nodes.ts';
import { NOON, SECOND } from '#test/build/objects.ts';
import { aSnapshot, someSettings } from '#test/build/snapshots.ts';

const release = (nodes: readonly StateNode[], difference: Partial<Snapshot> = {}) => {
  const found = releaseOf(surroundingsOf(aSnapshot({ nodes, ...difference })));
  return { names: found.nodes.map(({ meta }) => meta.name), lookAgainInMs: found.lookAgainInMs };
};
const unready = { ready: { status: 'False', changedAt: NOON } } as const;
const onItsWay = anInFlightNode(aWaitingClaim('late'));
/** A NodeClaim on its way that another plan made so many seconds later. */
const madeLater = (seconds: number) => {
  const { createdAt } = aWaitingClaim('a').meta;
  const annotations = { 'joinery.dev/batch': 'another' };
  const meta = { name: 'y', annotations, createdAt: createdAt + seconds * SECOND };
  return anInFlightNode(aWaitingClaim('y', { meta }));
};
const joinedAgo = (seconds: number) => ({ meta: { createdAt: NOON - seconds * SECOND } });

describe('releaseOf', () => {
  it('releases the nodes of one plan together, once the last is up', () => {
    const nodes = [aWaitingNode('a'), aWaitingNode('b')];

    expect(release(nodes)).toEqual({ names: ['node-a', 'node-b'], lookAgainInMs: undefined });
    expect(release([...nodes, onItsWay])).toEqual({ names: [], lookAgainInMs: 2_000 });
  });

  it.each([
    ['that is not Ready', unready],
    ['with a startup taint of its own', { taints: [BARRIER, { ...BARRIER, key: 'cilium' }] }],
    [
      'that has just come',
      { taints: [BARRIER, { ...BARRIER, key: 'node.kubernetes.io/not-ready' }] },
    ],
    ['that is not registered', { meta: { labels: { 'karpenter.sh/registered': 'false' } } }],
  ])('waits for a node %s', (_, difference) => {
    const coming = aWaitingNode('b', difference);
    const claim = aWaitingClaim('b', {
      spec: { startupTaints: [BARRIER, { ...BARRIER, key: 'cilium' }] },
    });

    expect(release([aWaitingNode('a'), { ...coming, claim }]).names).toEqual([]);
  });

  it('waits 45 seconds from the first that joins and no longer, whatever happens', () => {
    const first = aWaitingNode('a', joinedAgo(44));
    const slow = aWaitingNode('b', { ...joinedAgo(20), ...unready });

    expect(release([first, slow, onItsWay])).toEqual({ names: [], lookAgainInMs: 1_000 });
    expect(release([first, slow, onItsWay], { takenAt: NOON + SECOND }).names).toEqual([
      'node-a',
      'node-b',
    ]);
  });

  it('waits for a node that comes later by itself, and as long again at most', () => {
    const first = aWaitingNode('a', { ...joinedAgo(90), taints: [] });
    const late = aWaitingNode('b', joinedAgo(5));
    const slow = aWaitingNode('c', { ...joinedAgo(40), ...unready });

    expect(release([first, late, slow]).names).toEqual(['node-b']);
    expect(release([first, slow], { takenAt: NOON + 5 * SECOND }).names).toEqual(['node-c']);
  });

  it('does not wait for a NodeClaim that is going, nor for those of another plan', () => {
    const going = anInFlightNode(aWaitingClaim('x', { meta: { name: 'x', deletedAt: NOON } }));

    expect(release([aWaitingNode('a'), going, madeLater(6)]).names).toEqual(['node-a']);
  });

  it('waits for those of a plan that was made within seconds, for pods of the same burst', () => {
    expect(release([aWaitingNode('a'), madeLater(5)]).names).toEqual([]);
  });

  it('holds nobody back where pods are led nowhere', () => {
    const settings = someSettings({ placement: 'none' });

    expect(release([aWaitingNode('a', unready), onItsWay], { settings }).names).toEqual(['node-a']);
  });
});

describe('overdueLifts', () => {
  it('lifts the taint of nodes whose time is over, and of no other', () => {
    const over = aWaitingNode('a', joinedAgo(45));
    const snapshot = aSnapshot({ nodes: [over, onItsWay] });

    expect(overdueLifts(snapshot)).toEqual([
      {
        kind: 'liftTaint',
        node: expect.objectContaining({ kind: 'Node', name: 'node-a' }),
        taint: BARRIER,
        at: 0,
      },
    ]);
    expect(overdueLifts(aSnapshot({ nodes: [aWaitingNode('a')] }))).toEqual([]);
  });
});
