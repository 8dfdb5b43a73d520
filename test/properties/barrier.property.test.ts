import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { releaseOf } from '#lib/lifecycle/joining/barrier.ts';
import { surroundingsOf } from '#lib/lifecycle/surroundings.ts';
import type { StateNode } from '#lib/model/node.ts';
import { aWaitingClaim, aWaitingNode, BARRIER } from '#test/build/barriers.ts';
import { anInFlightNode } from '#test/build/nodes.ts';
import { NOON, SECOND } from '#test/build/objects.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

/** How far one node of a plan has come: seconds since it joined, whether it is up. */
const member = fc.record({
  joinedAgo: fc.option(fc.integer({ min: 0, max: 120 })),
  isReady: fc.boolean(),
  isRegistered: fc.boolean(),
  isOpen: fc.boolean(),
});
type Member = typeof member extends fc.Arbitrary<infer Value> ? Value : never;

const stateOf = ({ joinedAgo, isReady, isRegistered, isOpen }: Member, at: number): StateNode => {
  if (joinedAgo === null) return anInFlightNode(aWaitingClaim(`n${at}`));
  return aWaitingNode(`n${at}`, {
    meta: {
      createdAt: NOON - joinedAgo * SECOND,
      labels: { 'karpenter.sh/registered': String(isRegistered) },
    },
    ready: { status: isReady ? 'True' : 'False', changedAt: NOON },
    taints: isOpen ? [] : [BARRIER],
  });
};
const isUp = ({ joinedAgo, isReady, isRegistered }: Member): boolean =>
  joinedAgo !== null && isReady && isRegistered;

describe('the barrier', () => {
  it('opens for all at once or when time is over, never for ever, and looks again until then', () => {
    fc.assert(
      fc.property(fc.array(member, { minLength: 1, maxLength: 6 }), (members) => {
        const nodes = members.map(stateOf);
        const { nodes: released, lookAgainInMs } = releaseOf(surroundingsOf(aSnapshot({ nodes })));
        const names = new Set(released.map(({ meta }) => meta.name));
        const longest = Math.max(...members.map(({ joinedAgo }) => joinedAgo ?? -1));
        const held = members.flatMap((each, at) =>
          each.joinedAgo !== null && !each.isOpen ? [{ ...each, name: `node-n${at}` }] : [],
        );

        // Nobody is given to the scheduler early.
        if (longest < 45 && !members.every(isUp)) expect(names.size).toBe(0);
        // Nobody who is registered waits past the end of his time, nor the first ones past theirs.
        for (const { name, joinedAgo, isRegistered } of held) {
          const isLate = (joinedAgo ?? 0) < longest - 45;
          if (!isRegistered) expect(names.has(name)).toBe(false);
          else if (members.every(isUp)) expect(names.has(name)).toBe(true);
          else if (longest >= 45 && !isLate) expect(names.has(name)).toBe(true);
          else if ((joinedAgo ?? 0) >= 45) expect(names.has(name)).toBe(true);
        }
        // Whoever still waits is looked at again soon.
        if (held.some(({ name }) => !names.has(name))) {
          expect(lookAgainInMs).toBeGreaterThan(0);
          expect(lookAgainInMs).toBeLessThanOrEqual(2_000);
        }
      }),
    );
  });
});
