import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTrue } from '#lib/model/conditions.ts';
import { SECOND } from '#test/build/objects.ts';
import { type Misfortune, NO_MISFORTUNE, toyWorld } from '#test/build/toy-world.ts';

const GROUPS = [['a-1', 'a-2', 'a-3'], ['b-1']];
const NAMES = GROUPS.flat();

type World = ReturnType<typeof toyWorld>;

/** Looks every second while there is something to do, until there was nothing for two minutes. */
function play(world: World, looks = 400): void {
  let quiet = 0;
  for (let look = 0; look < looks && quiet < 12; look++) {
    const isIdle = world.look() === 0;
    quiet = isIdle ? quiet + 1 : 0;
    expectOneInstanceEach(world);
    world.timePasses(isIdle ? 10 * SECOND : SECOND);
  }
  expect(quiet).toBe(12);
}

/** At no time may two NodeClaims have one instance, or a NodeClaim have had two. */
function expectOneInstanceEach(world: World): void {
  const ids = world.claims().flatMap(({ status }) => status.providerId ?? []);
  expect(new Set(ids).size).toBe(ids.length);
}

/** Every living instance belongs to a ready NodeClaim, every NodeClaim has one. */
function expectOrder(world: World): void {
  const held = world.claims().map(({ status }) => status.providerId);
  const living = world.living().map(({ instance }) => `aws:///us-east-1a/${instance.id}`);
  expect(living.toSorted()).toEqual(held.toSorted());
  for (const { status } of world.claims()) expect(isTrue(status.conditions, 'Ready')).toBe(true);
  expect(world.nodes()).toHaveLength(held.length);
}

const misfortunes: fc.Arbitrary<Misfortune> = fc.record({
  crashes: fc
    .array(fc.tuple(fc.nat({ max: 60 }), fc.constantFrom('before' as const, 'after' as const)), {
      maxLength: 8,
    })
    .map((list) => new Map(list)),
  capacities: fc.array(fc.nat({ max: 3 }), { maxLength: 3 }),
  failsOtherwise: fc.boolean(),
  lagMs: fc.constantFrom(0, 5 * SECOND, 30 * SECOND),
  deletions: fc
    .array(fc.tuple(fc.constantFrom(...NAMES), fc.nat({ max: 25 })), { maxLength: 3 })
    .map((list) => new Map(list)),
});

describe('the life of NodeClaims', () => {
  it('brings each to one ready node when nothing goes wrong', () => {
    const world = toyWorld(GROUPS, NO_MISFORTUNE);
    play(world);

    expectOrder(world);
    expect(world.claims()).toHaveLength(4);
    expect(world.machines()).toHaveLength(4);
  });

  it('comes to the same wherever the caller dies', () => {
    const undisturbed = toyWorld(GROUPS, NO_MISFORTUNE);
    play(undisturbed);
    for (let at = 0; at < undisturbed.calls(); at++) {
      for (const moment of ['before', 'after'] as const) {
        for (const lagMs of [0, 20 * SECOND]) {
          const world = toyWorld(GROUPS, {
            ...NO_MISFORTUNE,
            lagMs,
            crashes: new Map([[at, moment]]),
          });
          play(world);

          expectOrder(world);
          expect(world.claims(), `killed ${moment} call ${at}`).toHaveLength(4);
          expect(world.machines(), `killed ${moment} call ${at}`).toHaveLength(4);
        }
      }
    }
  });

  it('never makes an instance twice nor loses one, whatever goes wrong', () => {
    fc.assert(
      fc.property(misfortunes, (misfortune) => {
        const world = toyWorld(GROUPS, misfortune);
        play(world);

        expectOrder(world);
        expect(world.machines().length).toBeLessThanOrEqual(NAMES.length);
      }),
      { numRuns: 100 },
    );
  });

  it('launches those who never heard that there is no capacity, once others have', () => {
    for (const at of [2, 4, 5, 6, 7, 8, 9, 10, 11, 12]) {
      const world = toyWorld(GROUPS, {
        ...NO_MISFORTUNE,
        crashes: new Map([[at, 'after']]),
        capacities: [0],
      });
      play(world);

      expectOrder(world);
      expect(world.claims(), `killed after call ${at}`).toHaveLength(4);
    }
  });

  it('does not take an instance that nobody can see yet for one that is gone', () => {
    const world = toyWorld(GROUPS, {
      ...NO_MISFORTUNE,
      crashes: new Map([[1, 'after']]),
      capacities: [0, 0],
      lagMs: 30 * SECOND,
      deletions: new Map([['a-3', 12]]),
    });
    play(world);

    expectOrder(world);
  });
});
