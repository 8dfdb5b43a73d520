import { describe, it } from 'vitest';
import { deployments } from '#test/build/placement.ts';
import { burst } from '../stack/burst.ts';
import { realWorld } from '../stack/real-world.ts';
import { givePool, untilIdle } from '../stack/scene.ts';

const WAYS = [
  { name: 'none', placement: 'none', install: {} },
  { name: 'nominate', placement: 'nominate', install: {} },
  {
    name: 'nominate, preemptionPolicy Never',
    placement: 'nominate',
    install: { keepNominations: true },
  },
  { name: 'bind', placement: 'bind', install: { bind: true } },
];
const PODS = (process.env.JOINERY_MEASURE ?? '').split(',').map(Number).filter(Boolean);

/** Not part of the run: JOINERY_MEASURE=100,1000 npm run e2e -- measure. See test/bench/placement.ts. */
describe.skipIf(PODS.length === 0)('whether pods end up where they were planned', () => {
  it.each(PODS.flatMap((pods) => WAYS.map((way) => [pods, way.name, way] as const)))(
    '%i pods, %s',
    async (pods, name, { placement, install }) => {
      const start = { env: { JOINERY_PLACEMENT: placement } };
      const world = await realWorld({ install, start });
      try {
        await givePool(world);
        await untilIdle(world);
        const seen = await burst(world, deployments(pods), pods);
        const share = ((100 * seen.asPlanned) / seen.planned).toFixed(1);
        const usd = [seen.plannedUsdPerHour, seen.settledUsdPerHour];
        const cells = [
          ...[name, pods, `${share} % of ${seen.planned}`, seen.claims],
          ...[usd.map((each) => `$${each.toFixed(2)}`).join(' → '), `${seen.seconds.toFixed(0)} s`],
          Object.entries(seen.parts)
            .map(([part, seconds]) => `${part} ${seconds.toFixed(1)}`)
            .join(', '),
        ];
        // biome-ignore lint/suspicious/noConsole: a measurement is for whoever reads the output.
        console.info(`MEASURED | ${cells.join(' | ')} | ${world.plane.folder}`);
      } finally {
        await world.end();
      }
    },
  );
});
