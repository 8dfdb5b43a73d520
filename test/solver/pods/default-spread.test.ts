import { describe, expect, it } from 'vitest';
import type { TopologySpreadConstraint } from '#lib/model/pod.ts';
import type { WorkloadSelector } from '#lib/model/workload.ts';
import { schedulingCopies } from '#lib/solver/pods/default-spread.ts';
import { aNamespacedMeta } from '#test/build/objects.ts';
import { aPod } from '#test/build/pods.ts';
import { aSnapshot, someSettings } from '#test/build/snapshots.ts';

const OVER_ZONES: TopologySpreadConstraint = {
  topologyKey: 'topology.kubernetes.io/zone',
  maxSkew: 1,
  whenUnsatisfiable: 'DoNotSchedule',
  matchLabelKeys: [],
  nodeAffinityPolicy: 'Honor',
  nodeTaintsPolicy: 'Ignore',
};
const owner = (kind: string, name: string, apiVersion = 'apps/v1') => ({
  apiVersion,
  kind,
  name,
  uid: name,
  controller: true,
});
const selector = (
  kind: WorkloadSelector['kind'],
  name: string,
  rest: Partial<WorkloadSelector>,
): WorkloadSelector => ({ kind, meta: aNamespacedMeta(name), ...rest });
const byLabels = (matchLabels: Record<string, string>) => ({
  selector: { matchLabels, matchExpressions: [] },
});
/** What a pod of app web is spread by, where these select pods. */
function spreadOf(
  workloadSelectors: readonly WorkloadSelector[],
  pod: Parameters<typeof aPod>[0] = {},
) {
  const copy = schedulingCopies(
    aSnapshot({ workloadSelectors, settings: someSettings({ defaultSpread: [OVER_ZONES] }) }),
  );
  const meta = { labels: { app: 'web', tier: 'front' }, owners: [], ...pod.meta };
  return copy(aPod({ ...pod, meta })).topologySpread.map((each) => each.selector);
}

describe('schedulingCopies', () => {
  it('leaves pods as they are where there are no defaults', () => {
    const pod = aPod();

    expect(schedulingCopies(aSnapshot())(pod)).toBe(pod);
  });

  it('spreads the pods of each owner by themselves', () => {
    const owners = [
      selector('ReplicaSet', 'web-1', byLabels({ app: 'web', hash: '1' })),
      selector('StatefulSet', 'db', byLabels({ app: 'db' })),
    ];

    expect(spreadOf(owners, { meta: { owners: [owner('ReplicaSet', 'web-1')] } })).toEqual([
      {
        matchLabels: {},
        matchExpressions: [
          { key: 'app', operator: 'In', values: ['web'] },
          { key: 'hash', operator: 'In', values: ['1'] },
        ],
      },
    ]);
    expect(spreadOf(owners, { meta: { owners: [owner('ReplicaSet', 'other')] } })).toEqual([]);
  });

  it('merges the services that select the pod, but for those that select by nothing', () => {
    const services = [
      selector('Service', 'a', { matchLabels: { app: 'web' } }),
      selector('Service', 'b', { matchLabels: { tier: 'front' } }),
      selector('Service', 'c', { matchLabels: { app: 'db' } }),
      selector('Service', 'd', {}),
      {
        ...selector('Service', 'e', { matchLabels: { app: 'web', far: 'away' } }),
        meta: aNamespacedMeta('e', { namespace: 'other' }),
      },
    ];

    expect(spreadOf(services)).toEqual([
      { matchLabels: { app: 'web', tier: 'front' }, matchExpressions: [] },
    ]);
  });

  it('lets a ReplicationController overwrite what services say, and others add to it', () => {
    const service = selector('Service', 'a', { matchLabels: { app: 'web' } });
    const controller = selector('ReplicationController', 'rc', {
      matchLabels: { app: 'x', v: '1' },
    });
    const replicas = selector('ReplicaSet', 'rs', byLabels({ v: '2' }));

    expect(
      spreadOf([service, controller], {
        meta: { owners: [owner('ReplicationController', 'rc', 'v1')] },
      }),
    ).toEqual([{ matchLabels: { app: 'x', v: '1' }, matchExpressions: [] }]);
    expect(
      spreadOf([service, replicas], { meta: { owners: [owner('ReplicaSet', 'rs')] } }),
    ).toEqual([
      {
        matchLabels: { app: 'web' },
        matchExpressions: [{ key: 'v', operator: 'In', values: ['2'] }],
      },
    ]);
  });

  it('does not spread pods that nothing selects', () => {
    expect(spreadOf([])).toEqual([]);
    expect(spreadOf([selector('Service', 'all', { matchLabels: {} })])).toEqual([]);
    expect(spreadOf([], { meta: { owners: [owner('Job', 'once', 'batch/v1')] } })).toEqual([]);
  });

  it('adds nothing to pods that say themselves how to be spread', () => {
    const service = selector('Service', 'a', { matchLabels: { app: 'web' } });
    const own = { ...OVER_ZONES, topologyKey: 'rack', selector: byLabels({ mine: '1' }).selector };

    expect(spreadOf([service], { topologySpread: [own] })).toEqual([own.selector]);
  });

  it('counts only pods that share the values of matchLabelKeys, where the pod has them', () => {
    const matchLabelKeys = ['hash', 'missing'];
    const own = { ...OVER_ZONES, matchLabelKeys, ...byLabels({ app: 'web' }) };
    const pod = aPod({ meta: { labels: { hash: '7' } }, topologySpread: [own] });

    expect(schedulingCopies(aSnapshot())(pod).topologySpread).toEqual([
      {
        ...OVER_ZONES,
        selector: {
          matchLabels: { app: 'web' },
          matchExpressions: [{ key: 'hash', operator: 'In', values: ['7'] }],
        },
      },
    ]);
  });

  it('lets a missing selector go on selecting nothing, whatever matchLabelKeys say', () => {
    const own = { ...OVER_ZONES, matchLabelKeys: ['app'] };
    const pod = aPod({ meta: { labels: { app: 'web' } }, topologySpread: [own] });

    expect(schedulingCopies(aSnapshot())(pod).topologySpread).toEqual([OVER_ZONES]);
  });
});
