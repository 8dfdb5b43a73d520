import { describe, expect, it } from 'vitest';
import { decodeNodeClaim } from '#lib/kube/decode/decode-node-claim.ts';
import { conditionOf } from '#lib/model/conditions.ts';
import { anInflateWorld } from '#test/build/inflate-world.ts';
import { MINUTE } from '#test/build/objects.ts';

describe('launches that fail', () => {
  it.each(['RequestLimitExceeded', 'UnauthorizedOperation'])(
    'are tried again less and less often after %s, say why, and succeed once they can',
    async (code) => {
      const { world, pass, callsSince, untilSound } = await anInflateWorld();
      world.aws.failNext({ name: 'CreateFleet', code, times: 8 });
      await pass(2 * MINUTE);
      const [claim] = world.kubernetes.list('NodeClaim').map(decodeNodeClaim);

      expect(callsSince().CreateFleet).toBeLessThan(10);
      expect(conditionOf(claim?.status.conditions ?? [], 'Launched')).toMatchObject({
        status: 'Unknown',
        message: expect.stringContaining(code),
      });
      expect(await untilSound(5 * MINUTE)).toBe(true);
    },
  );

  it('end the NodeClaims that have tried for five minutes', async () => {
    const { world, pass, callsSince } = await anInflateWorld();
    const code = 'UnauthorizedOperation';
    world.aws.failNext({ name: 'CreateFleet', code, times: Number.POSITIVE_INFINITY });
    await pass(7 * MINUTE);

    expect(callsSince()).toMatchObject({ 'delete nodeclaims': 2, 'create nodeclaims': 4 });
  });
});

describe('an instance that ends without Joinery', () => {
  it.each([
    ['before its node has joined', 10_000, 3 * MINUTE],
    ['while its node runs pods', 90_000, 5 * MINUTE],
  ])('is replaced, having ended %s', async (_when, afterMs, withinMs) => {
    const { world, pass, livingIds, untilSound } = await anInflateWorld();
    await pass(afterMs);
    const [lost = ''] = livingIds();
    world.aws.terminate(lost);

    expect(await untilSound(withinMs)).toBe(true);
    expect(livingIds()).not.toContain(lost);
  });
});
