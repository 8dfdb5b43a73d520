import { describe, expect, it } from 'vitest';
import { interruptionStep } from '#lib/lifecycle/health/interrupted.ts';
import { maintenanceStep } from '#lib/lifecycle/health/maintenance.ts';
import type { Interruption } from '#lib/model/interruption.ts';
import { formatInstant } from '#lib/model/time.ts';
import { aNodeClaim } from '#test/build/node-claims.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { aNode } from '#test/build/nodes.ts';
import { HOUR, NOON } from '#test/build/objects.ts';

const spotLabels = {
  'node.kubernetes.io/instance-type': 'm5.large',
  'topology.kubernetes.io/zone': 'us-east-1a',
  'karpenter.sh/capacity-type': 'spot',
};
const spot = aNodeClaim({ meta: { labels: spotLabels } });
const announced = (kind: Interruption['kind'], startsAt?: number): Interruption => ({
  kind,
  instanceId: 'i-1',
  announcedAt: NOON,
  ...(startsAt !== undefined && { startsAt }),
});
const stepOf = (interruption: Interruption, claim = spot) =>
  interruptionStep({ claim, node: aNode(), interruption }, NOON);
const reasons = ({ actions }: ReturnType<typeof stepOf>) =>
  actions.flatMap((each) => (each.kind === 'recordEvent' ? [`${each.type} ${each.reason}`] : []));

describe('interruptionStep', () => {
  it.each([
    ['SpotInterruption', 'SpotInterrupted', 'spot_interrupted'],
    ['InstanceStopping', 'InstanceStopping', 'instance_stopped'],
    ['InstanceTerminated', 'InstanceTerminating', 'instance_terminated'],
    [
      'CapacityReservationInterruption',
      'CapacityReservationInstanceInterrupted',
      'capacity_reservation_interrupted',
    ],
    ['ScheduledChange', 'InstanceUnhealthy', 'scheduled_change'],
  ] as const)(
    'deletes the NodeClaim at %s, and says so on it and its Node',
    (kind, event, reason) => {
      const step = stepOf(announced(kind));

      expect(step.goes).toBe(true);
      expect(step.actions[0]).toMatchObject({
        kind: 'delete',
        because: reason,
        needsNoLease: true,
      });
      expect(reasons(step)).toEqual([
        `Warning ${event}`,
        `Warning ${event}`,
        'Warning TerminatingOnInterruption',
        'Warning TerminatingOnInterruption',
      ]);
    },
  );

  it.each([
    ['a spot warning', announced('SpotInterruption'), 5],
    ['work that is far off', announced('ScheduledChange', NOON + 48 * HOUR), 3],
    ['work that is over', announced('ScheduledChangeOver'), 1],
    ['a recommendation to rebalance', announced('RebalanceRecommendation'), 3],
  ])(
    'does and says at once what %s comes to: no look but this one knows of it',
    (_what, interruption, count) => {
      const noted = { 'joinery.dev/maintenance-at': formatInstant(NOON + HOUR) };
      const claim = aNodeClaim({ meta: { labels: spotLabels, annotations: noted } });
      const pool = aNodePool({ meta: { annotations: { 'joinery.dev/rebalance': 'replace' } } });
      const { actions } = interruptionStep({ claim, node: aNode(), pool, interruption }, NOON);

      expect(actions).toHaveLength(count);
      expect(actions.every((each) => 'needsNoLease' in each && each.needsNoLease)).toBe(true);
    },
  );

  it('does not buy again what EC2 takes back', () => {
    expect(stepOf(announced('SpotInterruption')).unavailable).toEqual({
      capacityType: 'spot',
      instanceType: 'm5.large',
      zone: 'us-east-1a',
    });
    expect(stepOf(announced('InstanceStopping')).unavailable).toBeUndefined();
  });

  it('does nothing twice', () => {
    const going = aNodeClaim({ meta: { labels: spotLabels, deletedAt: NOON } });

    expect(stepOf(announced('SpotInterruption'), going)).toEqual({
      actions: [],
      goes: false,
      stays: 'it is going already',
    });
  });

  it('only tells of a recommendation to rebalance', () => {
    const step = stepOf(announced('RebalanceRecommendation'));

    expect(step.goes).toBe(false);
    expect(step.actions.map(({ kind }) => kind)).toEqual(['recordEvent', 'recordEvent']);
    expect(reasons(step)[0]).toBe('Normal SpotRebalanceRecommendation');
  });

  it('writes a recommendation down where the NodePool wants such nodes replaced', () => {
    const pool = aNodePool({ meta: { annotations: { 'joinery.dev/rebalance': 'replace' } } });
    const interruption = announced('RebalanceRecommendation');

    expect(interruptionStep({ claim: spot, pool, interruption }, NOON).actions[0]).toMatchObject({
      kind: 'update',
      meta: {
        annotations: { 'joinery.dev/rebalance-recommended-at': formatInstant(NOON) },
      },
    });
  });

  it('writes down work that is far off, once, and drains in time', () => {
    const startsAt = NOON + 48 * HOUR;
    const step = stepOf(announced('ScheduledChange', startsAt));
    const noted = aNodeClaim({
      meta: { annotations: { 'joinery.dev/maintenance-at': formatInstant(startsAt) } },
    });

    expect(step).toMatchObject({ goes: false });
    expect(step.actions[0]).toMatchObject({
      meta: { annotations: { 'joinery.dev/maintenance-at': formatInstant(startsAt) } },
    });
    expect(
      stepOf(announced('ScheduledChange', startsAt), noted).actions.map(({ kind }) => kind),
    ).not.toContain('update');
    expect(maintenanceStep(noted, startsAt - 2 * HOUR)).toEqual({});
    expect(maintenanceStep(noted, startsAt - HOUR).actions).toMatchObject([
      { kind: 'delete', because: 'scheduled_change' },
    ]);
  });

  it('starts earlier where the node has a grace of its own', () => {
    const patient = aNodeClaim({ spec: { terminationGraceMs: 5 * HOUR } });

    expect(stepOf(announced('ScheduledChange', NOON + 6 * HOUR), patient).goes).toBe(true);
    expect(stepOf(announced('ScheduledChange', NOON + 6 * HOUR + 1), patient).goes).toBe(false);
  });

  it('forgets work that was cancelled or is done', () => {
    const noted = aNodeClaim({
      meta: { annotations: { 'joinery.dev/maintenance-at': formatInstant(NOON + HOUR) } },
    });

    expect(stepOf(announced('ScheduledChangeOver'), noted).actions).toMatchObject([
      { kind: 'update', meta: { annotations: { 'joinery.dev/maintenance-at': null } } },
    ]);
    expect(stepOf(announced('ScheduledChangeOver')).actions).toEqual([]);
  });
});
