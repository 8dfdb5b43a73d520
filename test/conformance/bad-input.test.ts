/**
 * Input that cannot be meant: a sentence for each pod that it concerns, and the rest of the batch
 * is placed. Amounts of work are bounded by counts, never by a clock.
 */
import { describe, expect, it } from 'vitest';
import { snapshotOfFiles } from '#lib/cli/snapshot-of-files.ts';
import { place } from '#lib/decide/place.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { spec } from '#test/build/constraints.ts';
import { about, affinity, evenly, named, near, ofAnApp, planOf } from '#test/build/plans.ts';
import { aPod } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';
import { unsoundness } from './soundness.ts';

const fine = [named('fine-1'), named('fine-2')];
/** The plan for these pods and two that ask for nothing strange, which must be placed. */
function besideFine(pods: readonly Pod[], more: Partial<Snapshot> = {}) {
  const snapshot = aSnapshot({ ...more, pods: [...pods, ...fine] });
  const placing = place(snapshot);
  expect(unsoundness(snapshot, placing)).toEqual([]);
  expect(placing.claims.flatMap((claim) => claim.pods).sort()).toEqual([
    'default/fine-1',
    'default/fine-2',
  ]);
  return placing.refused;
}
const isOneSentence = (because: string): boolean =>
  because.length > 10 && because.length < 1024 && !because.includes('\n');

describe('bad input', () => {
  it.each<[string, Partial<Pod>]>([
    [
      'a selector and an affinity that contradict each other',
      {
        nodeSelector: { team: 'a' },
        ...affinity(['team In b']),
      },
    ],
    [
      'bounds that leave no number',
      {
        nodeAffinity: {
          required: [
            {
              matchExpressions: [
                spec('karpenter.k8s.aws/instance-cpu Gt 8'),
                spec('karpenter.k8s.aws/instance-cpu Lt 8'),
              ],
              hasMatchFields: false,
            },
          ],
          preferred: [],
        },
      },
    ],
    [
      'an affinity whose terms are all empty',
      {
        nodeAffinity: {
          required: [{ matchExpressions: [], hasMatchFields: false }],
          preferred: [],
        },
      },
    ],
    [
      'an operator with values that it does not take',
      {
        nodeAffinity: {
          required: [
            {
              matchExpressions: [{ key: 'team', operator: 'Exists', values: ['a'] }],
              hasMatchFields: false,
            },
          ],
          preferred: [],
        },
      },
    ],
    ['a bound that is no number', affinity(['karpenter.k8s.aws/instance-cpu Gt many'])],
    ['a value that no label can have', { nodeSelector: { team: 'not a value!' } }],
    ['a key that no label can have', { nodeSelector: { '/': 'x' } }],
    [
      'a spread over a key that nobody has',
      {
        topologySpread: [evenly('web', 'nobody.example.com/has-it')],
      },
    ],
    ['nearness over a key that nobody has', near(about('web', 'nobody.example.com/has-it'))],
    ['a claim that points to nothing', { volumes: [{ volume: 'v', claimName: 'nowhere' }] }],
    [
      'more of everything than there is',
      {
        requests: { cpu: Number.MAX_SAFE_INTEGER, memory: 1e39, pods: 1 },
      },
    ],
    ['a resource that nobody offers', { requests: { 'example.com/unicorn': 1, pods: 1 } }],
  ])('%s: one sentence, and the others are placed', (_, difference) => {
    const refused = besideFine([named('odd', { ...difference, meta: { labels: { app: 'web' } } })]);

    expect(refused.map(({ pod }) => pod)).toEqual(['default/odd']);
    expect(refused.every(({ because }) => isOneSentence(because))).toBe(true);
  });

  it.each(['1e30Gi', '-1', '-5Gi', '1e400', 'lots'])(
    'a pod that asks for %s of memory is left out or refused, and the others are placed',
    (memory) => {
      const wire = (name: string, amount: string) => ({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, namespace: 'default', uid: `uid-of-${name}` },
        spec: {
          containers: [
            { name: 'main', image: 'pause', resources: { requests: { cpu: '1', memory: amount } } },
          ],
        },
        status: {
          phase: 'Pending',
          conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }],
        },
      });
      const made = snapshotOfFiles(
        [wire('odd', memory), wire('fine', '1Gi')].map((object) => ({
          file: 'pods.json',
          document: 1,
          object,
        })),
        {},
      );
      if ('problems' in made) throw new Error(JSON.stringify(made.problems));
      const { nodePools, nodeClasses, catalog } = aSnapshot();
      const placing = place({ ...made.snapshot, nodePools, nodeClasses, catalog });
      const told = [
        ...placing.refused.map(({ pod }) => pod),
        ...made.snapshot.leftOut.map(({ object }) => `${object.namespace}/${object.name}`),
      ];

      expect(told).toEqual(['default/odd']);
      expect(placing.claims.flatMap(({ pods }) => pods)).toEqual(['default/fine']);
    },
  );

  it('ten thousand pods that fit nowhere, no two alike, are refused one by one', () => {
    const pods = Array.from({ length: 10_000 }, (_, at) =>
      aPod({
        meta: { name: `odd-${at}` },
        requests: { cpu: 100_000 + at },
        nodeSelector: { team: `team-${at}` },
      }),
    );
    const { claims, refused } = planOf({ pods: [...pods, ...fine] });

    expect(claims.flatMap((claim) => claim.pods)).toHaveLength(2);
    expect(refused).toHaveLength(10_000);
    expect(refused.every(({ because }) => isOneSentence(because))).toBe(true);
  });

  it('thousands of pods alike that fit nowhere are looked at once', () => {
    const { refused } = planOf({
      pods: ofAnApp('web', 3_000, { topologySpread: [evenly('web', 'nobody.example.com/has-it')] }),
    });

    expect(refused).toHaveLength(3_000);
    expect(new Set(refused.map(({ because }) => because)).size).toBe(1);
  });
});
