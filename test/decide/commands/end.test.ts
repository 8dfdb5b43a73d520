import { describe, expect, it } from 'vitest';
import { decideConsolidate } from '#lib/decide/consolidate.ts';
import { writeMemory } from '#lib/disruption/memory-of-moves.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { Pod } from '#lib/model/pod.ts';
import { type Happening, playedBetween } from '#test/build/command-world.ts';
import { aCluster, aMember, mover } from '#test/build/members.ts';
import { NOON, ownedBy, SECOND } from '#test/build/objects.ts';
import { applied } from '#test/build/quiet-world.ts';
import { told } from '#test/build/told.ts';

const webMade = (second: number): Pod =>
  mover('web', 100, {
    meta: {
      createdAt: NOON + second * SECOND,
      owners: [{ ...ownedBy('ReplicaSet'), name: 'web', uid: 'web' }],
    },
  });

/** In the 17th second, just before the taint, a pod comes to `a`; `b` remembers that one was moved. */
const aPodComes = (pod: Pod): Happening => {
  const memory = writeMemory({ by: 'other', at: NOON + 16 * SECOND, from: [], pods: [webMade(0)] });
  const change = (state: StateNode): StateNode => {
    const { claim } = state;
    if (state.name === 'a') return { ...state, pods: [...state.pods, { ...pod, nodeName: 'a' }] };
    if (!claim) return state;
    const annotations = { ...claim.meta.annotations, 'joinery.dev/consolidated': memory };
    return { ...state, claim: { ...claim, meta: { ...claim.meta, annotations } } };
  };
  return (world, second) => (second === 17 ? { ...world, nodes: world.nodes.map(change) } : world);
};

/** What is told while a command that removes `a` is carried out, and a pod comes to it. */
function toldWhen(pod: Pod): readonly string[] {
  const seen = aCluster([
    aMember('a', { pods: [mover('x', 500)] }),
    aMember('b', { pods: [mover('y', 1_500)] }),
  ]);
  const proposed = applied(seen, decideConsolidate(seen).actions);
  return told(playedBetween(0, 40, proposed, aPodComes(pod)).actions);
}

describe('a command that is about to end', () => {
  const ENDS = 'Node DisruptionTerminating: Disrupting Node: Underutilized';

  it('ends where no pod came that was moved within the hour', () => {
    expect(toldWhen(webMade(10))).toContain(ENDS);
  });

  it('does not move a pod again that came between its validation and the taint', () => {
    expect(toldWhen(webMade(17))).not.toContain(ENDS);
  });
});
