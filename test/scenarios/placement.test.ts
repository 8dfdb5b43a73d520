import { describe, expect, it } from 'vitest';
import { playBurst, type Way } from '#test/build/burst-world.ts';

const PODS = 40;
const shareOf = async (way: Pick<Way, 'placement'>): Promise<number> => {
  const { asPlanned, planned } = await playBurst({ name: '', ...way }, PODS, 1);
  return asPlanned / planned;
};

describe('the plan for a burst', () => {
  it('survives kube-scheduler where pods are led to their nodes, and is lost where they are not', async () => {
    expect(await shareOf({ placement: 'nominate' })).toBeGreaterThanOrEqual(0.95);
    expect(await shareOf({ placement: 'bind' })).toBeGreaterThanOrEqual(0.95);
    expect(await shareOf({ placement: 'none' })).toBeLessThan(0.7);
  }, 120_000);
});
