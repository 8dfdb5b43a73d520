import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Lineup, lineUp, lineUpFewer } from '#lib/solver/opening/lineup.ts';
import type { Prices } from '#lib/solver/prices/prices.ts';
import { GIB } from '#test/build/objects.ts';
import { somePods } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';
import { solverParts } from '#test/build/solver-parts.ts';

const ZONES = ['us-east-1a', 'us-east-1b'];

/** Forty kinds of pods, of two zones and twenty sizes. */
const PODS = Array.from({ length: 40 }, (_, at) =>
  somePods((at % 3) + 1, {
    meta: { name: `web-${at}`, uid: `web-${at}` },
    requests: { pods: 1, cpu: 100 + 50 * (at % 20), memory: (1 + (at % 4)) * GIB },
    nodeSelector: { 'topology.kubernetes.io/zone': ZONES[at % 2] ?? '' },
  }),
).flat();

const { groups, axes, sources, ...found } = solverParts(aSnapshot({ pods: PODS }));
/** Every third group would be cheaper elsewhere. */
const prices: Prices = {
  ...found.prices,
  worthOf: (group) => found.prices.worthOf(group) * (groups.indexOf(group) % 3 === 0 ? 0.5 : 1),
};
const HERE = sources
  .flatMap(({ types }) => types.flatMap(({ offerings }) => offerings))
  .map((offering) => prices.pricesAt(offering) ?? []);

/** All that filling a node looks at; kinds by what they stand for. */
const seen = (lineup: Lineup) => ({
  left: lineup.left,
  amounts: lineup.amounts,
  kinds: Array.from(lineup.kinds, (kind) => lineup.ofKind[kind]),
  runEnds: lineup.runEnds,
  smallest: lineup.smallest,
  total: lineup.total,
  places: groups.map((group) => lineup.placeOf(group)),
  natives: HERE.map((here) => lineup.nativesAt(here)),
});

describe('a lineup of which some have left', () => {
  it('is that of those who remain', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.nat(2), { minLength: 40, maxLength: 40 }), { maxLength: 3 }),
        (takings) => {
          let portions = groups.map((group) => ({
            group,
            asks: group.levels.at(-1)?.asks ?? [],
            left: group.pods.length,
          }));
          let lineup = lineUp(portions, axes, prices);
          for (const taken of takings) {
            portions = portions
              .map((portion, at) => ({ ...portion, left: portion.left - (taken[at] ?? 0) }))
              .filter(({ left }) => left > 0);
            lineup = lineUpFewer(lineup, portions);
          }

          expect(seen(lineup)).toEqual(seen(lineUp(portions, axes, prices)));
        },
      ),
      { numRuns: 60 },
    );
  });
});
