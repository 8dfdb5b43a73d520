import { describe, expect, it } from 'vitest';
import { podsToPlace } from '#lib/decide/pods-to-place.ts';
import { recordedScenarios, snapshotOfScenario } from '#test/build/recorded-scenarios.ts';
import { scheduledByKarpenter } from './karpenter-scheduler.ts';

/**
 * The recorded clusters whose pods ask for nothing but cpu and memory, and how far the model may be
 * from the recording: with 1,000 pods of many sizes Karpenter's own order of nodes with equally many
 * pods is left to chance.
 */
const PLAIN: Readonly<Record<string, number>> = {
  'cost-homogeneous-any32-100-7001': 0,
  'cost-mixed-amd64od32-100-7002': 0,
  'cost-mixed-any-1000-7003': 0,
  'cost-heavy-any32-1000-7004': 0.03,
  'cost-unique-any32-100-7010': 0,
  'cost-unique-amd64od32-1000-7011': 0.03,
  'cost-homogeneous-any-1000-7012': 0,
};

describe('scheduledByKarpenter', () => {
  const plain = recordedScenarios('cost').filter(({ name }) => name in PLAIN);

  it('is held against all plain clusters that were recorded', () => {
    expect(plain.map(({ name }) => name).sort()).toEqual(Object.keys(PLAIN).sort());
  });

  it.each(plain.map((each) => [each.name, each] as const))(
    'buys for %s what the real Karpenter bought',
    (name, scenario) => {
      const snapshot = snapshotOfScenario(scenario);
      const { claims, placements, refused } = scheduledByKarpenter(
        snapshot,
        podsToPlace(snapshot).pods,
      );
      const usdPerHour = claims.reduce(
        (sum, { cheapest }) => sum + cheapest.offering.usdPerHour,
        0,
      );
      expect(refused).toEqual([]);
      expect(placements).toEqual([]);
      const { karpenter } = scenario;
      const off = Math.abs(usdPerHour / karpenter.usdPerHour - 1);
      expect(off).toBeLessThanOrEqual((PLAIN[name] ?? 0) + 1e-9);
    },
  );
});
