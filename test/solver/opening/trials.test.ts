import { describe, expect, it } from 'vitest';
import { isRejection } from '#lib/constraints/rejection.ts';
import type { Choice } from '#lib/solver/admission.ts';
import type { Amounts } from '#lib/solver/amounts.ts';
import { openDraft } from '#lib/solver/opening/draft.ts';
import { bestTrial } from '#lib/solver/opening/trials.ts';
import { aCatalog, anInstanceType } from '#test/build/instance-types.ts';
import { GIB } from '#test/build/objects.ts';
import { somePods } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';
import { solverParts } from '#test/build/solver-parts.ts';

const CATALOG = aCatalog([
  anInstanceType('m5.large', { cpu: 2, usdPerHour: 0.1 }),
  anInstanceType('m5.xlarge', { cpu: 4, usdPerHour: 0.2 }),
  anInstanceType('m5.2xlarge', { cpu: 8, usdPerHour: 0.4 }),
]);

/** Tries all types, the largest first, each filled with this; tells which, and what came of it. */
function trials(usedOf: (choice: Choice) => Amounts) {
  const pods = somePods(9, { requests: { cpu: 500, memory: GIB } });
  const { sources, admissions } = solverParts(aSnapshot({ catalog: CATALOG, pods }));
  const [source] = sources;
  const admission = source && admissions.open(source);
  if (!admission || isRejection(admission)) throw new Error('expected a pool that gives nodes');
  const largestFirst = [...admission.choices.values()].sort((a, b) => b.usdPerHour - a.usdPerHour);
  const tried: string[] = [];
  const best = bestTrial(
    () => {
      const choice = largestFirst.shift();
      return choice && { choice, promise: 1e6 };
    },
    {
      fill: (choice) => {
        tried.push(choice.sourceType.type.name);
        return { ...openDraft(admission, choice, undefined), used: usedOf(choice) };
      },
      worthOf: ({ used: [cpu = 0] }) => cpu,
      costOf: ({ usdPerHour }) => usdPerHour,
      boost: 1,
    },
  );
  return { tried, best: best?.shape.sourceType.type.name };
}

describe('bestTrial', () => {
  it('tries one shape after the other while they are filled, and takes what yields most', () => {
    const full = ({ sourceType: { roomAmounts } }: Choice): Amounts =>
      roomAmounts.map((room, axis) => (axis === 0 && room < 3000 ? room : room * 0.8));

    expect(trials(full)).toEqual({
      tried: ['m5.2xlarge', 'm5.xlarge', 'm5.large'],
      best: 'm5.large',
    });
  });

  it('passes over shapes that hold what a larger one was half empty with', () => {
    expect(trials(() => [3000, GIB, 1])).toEqual({
      tried: ['m5.2xlarge', 'm5.large'],
      best: 'm5.large',
    });
  });
});
