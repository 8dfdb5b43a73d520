import { describe, expect, it } from 'vitest';
import { attainableFrom } from '#test/bench/attainable/attainable.ts';
import { consolidationPlan } from '#test/build/consolidating.ts';
import { followed } from '#test/build/followed.ts';
import { recordedConsolidations } from '#test/build/recorded-consolidations.ts';
import { unfairness } from './checker.ts';

const recorded = recordedConsolidations();
const SMALL = recorded.filter(({ name }) => name.includes('-10-'));

describe('the recorded consolidations', () => {
  it.each(recorded)('are fair in their first pass: $name', ({ snapshot }) => {
    const { plan, creations } = consolidationPlan(snapshot);

    expect(unfairness(snapshot, plan, creations)).toEqual([]);
  });

  it.each(SMALL)('end no dearer than Karpenter and move no more pods: $name', (each) => {
    const end = followed(each.snapshot);

    expect(end.usdPerHour).toBeLessThanOrEqual(each.karpenter.usdPerHour * 1.001);
    expect(end.podsMoved).toBeLessThanOrEqual(each.karpenter.podsMoved);
  });

  it.each(SMALL)('end where consent lets them, and not below: $name', ({ snapshot }) => {
    const end = followed(snapshot);
    const { leastUsdPerHour, fewestMoves } = attainableFrom(snapshot);

    expect(end.usdPerHour).toBeGreaterThan(leastUsdPerHour - 0.001);
    expect(end.podsTouched).toBeGreaterThanOrEqual(fewestMoves(end.usdPerHour));
  });
});
