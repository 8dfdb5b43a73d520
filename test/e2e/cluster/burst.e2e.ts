import { describe, expect, it } from 'vitest';
import { burst as burstStory } from '#lib/cli/stories/burst.ts';
import { deployments } from '#test/build/placement.ts';
import { type Burst, burst } from '../stack/burst.ts';
import { realWorld } from '../stack/real-world.ts';
import { givePool, untilIdle } from '../stack/scene.ts';
import { play } from './play.ts';

const PODS = 1_000;
const DEPLOYMENTS = 31;
/** Nominated pods that end up elsewhere all the same: some per cent, by measurement. */
const SHARE_AS_PLANNED = 0.85;

describe('a thousand pods on a real control plane', () => {
  it('play story 13, burst', () => play(burstStory, { pace: { glanceMs: 1_000 } }), 420_000);

  it('of 31 Deployments run, nearly all where they were planned', async () => {
    const world = await realWorld();
    try {
      await givePool(world);
      await untilIdle(world);
      const seen = await burst(world, deployments(PODS, DEPLOYMENTS), PODS);
      tell(seen);
      expect(seen.seconds).not.toBeNaN();
      expect(seen.asPlanned / seen.planned).toBeGreaterThan(SHARE_AS_PLANNED);
    } finally {
      await world.end();
    }
  }, 420_000);
});

function tell(seen: Burst): void {
  const share = ((100 * seen.asPlanned) / seen.planned).toFixed(1);
  // biome-ignore lint/suspicious/noConsole: a measurement is for whoever reads the output.
  console.info(
    [
      `${PODS} pods of ${DEPLOYMENTS} Deployments: all run after ${seen.seconds.toFixed(1)} s, ${(seen.parts.launching + seen.parts.leading).toFixed(1)} s of it waiting for Joinery`,
      `  ${Object.entries(seen.parts)
        .map(([part, seconds]) => `${part} ${seconds.toFixed(1)}`)
        .join(', ')}; looks, decisions and calls ${seen.ourSeconds.toFixed(1)} s in all`,
      `  the first instance after ${seen.firstInstanceAfterSeconds.toFixed(1)} s; ${seen.claims} NodeClaims, ${seen.nodes} nodes`,
      `  ${share} % of ${seen.planned} pods where planned; $${seen.plannedUsdPerHour.toFixed(2)}/h, half a minute later $${seen.settledUsdPerHour.toFixed(2)}/h`,
      ...seen.timeline,
    ].join('\n'),
  );
}
