import { describe, expect, it } from 'vitest';
import { podsToPlace } from '#lib/decide/pods-to-place.ts';
import {
  type RecordedScenario,
  recordedScenarios,
  snapshotOfScenario,
} from '#test/build/recorded-scenarios.ts';
import { scheduledByKarpenter } from './karpenter-scheduler.ts';

/**
 * The recorded clusters whose pods ask for nothing but cpu and memory, and how far the model may be
 * from the recording: with 1,000 pods of many sizes Karpenter's own order of nodes with equally many
 * pods is left to chance.
 */
const PLAIN: Readonly<Record<string, number>> = {
  'cost-constrained-any32-100-7005': 0,
  'cost-homogeneous-any32-100-7001': 0,
  'cost-mixed-amd64od32-100-7002': 0,
  'cost-mixed-any-1000-7003': 0,
  'cost-heavy-any32-1000-7004': 0.03,
  'cost-unique-any32-100-7010': 0,
  'cost-unique-amd64od32-1000-7011': 0.03,
  'cost-homogeneous-any-1000-7012': 0,
};

interface Written {
  readonly kind?: string;
  readonly spec?: {
    readonly containers?: readonly { readonly resources?: Record<string, object> }[];
  };
}

/** Whether its pods say nothing but what cpu and memory their containers ask for. */
const isPlain = ({ objects }: RecordedScenario): boolean =>
  objects
    .filter(({ kind }: Written) => kind === 'Pod')
    .every(({ spec: { containers = [], ...others } = {} }: Written) => {
      const asked = containers.flatMap(({ resources }) => Object.values({ ...resources }));
      return (
        Object.keys(others).length === 0 &&
        asked
          .flatMap((each) => Object.keys(each))
          .every((name) => name === 'cpu' || name === 'memory')
      );
    });

describe('scheduledByKarpenter', () => {
  const plain = recordedScenarios('cost').filter(({ name }) => name in PLAIN);

  it('is held against every recorded cluster whose pods are that plain', () => {
    const found = recordedScenarios('cost').filter(isPlain);
    expect(found.map(({ name }) => name).sort()).toEqual(Object.keys(PLAIN).sort());
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
