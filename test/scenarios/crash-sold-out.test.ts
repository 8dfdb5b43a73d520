import { describe, expect, it } from 'vitest';
import { manifestsOf } from '#lib/cli/stories/command.ts';
import { inflate } from '#lib/cli/stories/inflate.ts';
import { setStage } from '#lib/cli/stories/stage.ts';
import { type Crash, createFaultPlan } from '#lib/sim/faults.ts';
import { MINUTE } from '#test/build/objects.ts';

/** What a launch that finds no spot consists of, in its order; each is where a function may die. */
const STEPS = /CreateFleet|(create|patch) (nodeclaims|configmaps)/;
/** Every so many of them is tried. */
const STRIDE = 8;

/** Story 1 while spot is sold out everywhere, until its pods run and nothing is left over. */
async function play(crashes: readonly Crash[] = []) {
  const faults = createFaultPlan(crashes);
  const manifests = manifestsOf(inflate);
  const stage = setStage({ seed: 1, region: inflate.region, manifests, faults });
  const { world } = stage;
  await stage.setUp();
  stage.deploy();
  world.aws.sellOut({ capacityType: 'spot', type: '*', zone: '*' });
  const before = faults.calls().length;
  stage.scale('inflate', 5);
  const living = () =>
    world.aws
      .machines()
      .filter(({ state }) => state === 'pending' || state === 'running')
      .map(({ id }) => id)
      .sort();
  const held = () =>
    world.kubernetes
      .list('NodeClaim')
      .map(({ status }) => String(Object(status).providerID).split('/').at(-1) ?? '')
      .sort();
  const isSound = await world.runUntil(
    () =>
      stage.pods('inflate').filter(({ ready }) => ready).length === 5 &&
      living().join() === held().join(),
    12 * MINUTE,
  );
  const steps = faults
    .calls()
    .map(({ name }, at) => ({ name, at: at + 1 }))
    .filter(({ name, at }) => at > before && STEPS.test(name));
  return { isSound, machines: world.aws.machines().length, struck: faults.struck(), steps };
}

describe('a function that dies while spot gives way to on-demand', () => {
  it.each(['never', 'lost'] as const)(
    'ends with the same number of instances, all held, dying at a call that is %s',
    async (how) => {
      const undisturbed = await play();
      expect(undisturbed.isSound).toBe(true);

      const tried = undisturbed.steps.slice(0, 30).filter((_, at) => at % STRIDE === 0);
      for (const { name, at } of tried) {
        const { isSound, machines, struck } = await play([{ at, how }]);
        expect({ name, isSound, machines, struck: struck.length }).toEqual({
          name,
          isSound: true,
          machines: undisturbed.machines,
          struck: 1,
        });
      }
    },
    30 * MINUTE,
  );
});
