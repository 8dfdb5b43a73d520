import { describe, expect, it } from 'vitest';
import { seededRandom } from '#lib/sim/random.ts';
import {
  aNodeManifest,
  aPodManifest,
  aSmallCluster,
  MERGE,
  type SmallCluster,
} from '#test/build/small-cluster.ts';

/**
 * A tight plan, as it was tried on a real control plane (kubernetes v1.36.3): ten nodes of two
 * shapes, each exactly filled by its own pods, one useless node, all behind a startup taint.
 */
const STARTUP = { taints: [{ key: 'startup', effect: 'NoSchedule' }] };

interface Planned {
  readonly pod: string;
  readonly node: string;
  readonly cpu: string;
  readonly memory: string;
}

function tightPlan(seed: number): readonly Planned[] {
  const plan: Planned[] = [];
  for (let number = 0; number < 5; number += 1) {
    const add = (count: number, node: string, cpu: string, memory: string) => {
      for (let index = 0; index < count; index += 1) {
        plan.push({ pod: `${node}-${cpu}-${index}`, node, cpu, memory });
      }
    };
    add(4, `flat${number}`, '2', '4Gi');
    add(8, `flat${number}`, '1', '2Gi');
    add(4, `tall${number}`, '1', '8Gi');
    add(1, `tall${number}`, '4', '32Gi');
  }
  // An order of creation that has nothing to do with the plan.
  const random = seededRandom(seed, 'order');
  const draws = new Map(plan.map((planned) => [planned, random.next()]));
  return plan.toSorted((a, b) => (draws.get(a) ?? 0) - (draws.get(b) ?? 0));
}

async function played(
  seed: number,
  how: { nominate: boolean; liftEveryMs: number; never?: boolean },
) {
  const world = aSmallCluster({}, seed);
  const plan = tightPlan(seed);
  world.cluster.apply({
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: 'calm' },
    value: 0,
    preemptionPolicy: 'Never',
  });
  const nodes = [...new Set(plan.map(({ node }) => node))];
  world.cluster.apply(aNodeManifest('useless', { allocatable: { cpu: '0' } }));
  for (const name of nodes) {
    const allocatable = name.startsWith('flat')
      ? { cpu: '16', memory: '32Gi' }
      : { cpu: '8', memory: '64Gi' };
    world.cluster.apply(aNodeManifest(name, { ...STARTUP, allocatable }));
  }
  for (const { pod, cpu, memory } of plan) {
    const containers = [{ name: 'c', resources: { requests: { cpu, memory } } }];
    const policy = how.never === true ? { priorityClassName: 'calm' } : {};
    world.cluster.apply(aPodManifest(pod, { containers, ...policy }));
  }
  await world.wait(30);
  const call = world.cluster.transport('tester');
  if (how.nominate) {
    for (const { pod, node } of plan) {
      const path = `/api/v1/namespaces/default/pods/${pod}/status`;
      void call({ method: 'PATCH', path, body: { status: { nominatedNodeName: node } }, ...MERGE });
    }
    await world.wait(1);
  }
  for (const [index, node] of nodes.entries()) {
    world.clock.after(index * how.liftEveryMs, () => {
      const body = { spec: { taints: null } };
      void call({ method: 'PATCH', path: `/api/v1/nodes/${node}`, body, ...MERGE });
    });
  }
  await world.wait(90);
  return asPlanned(world, plan);
}

function asPlanned({ cluster }: SmallCluster, plan: readonly Planned[]) {
  const places = new Map(
    cluster.all('Pod').map(({ metadata, spec }) => [metadata.name, spec.nodeName]),
  );
  return plan.filter(({ pod, node }) => places.get(pod) === node).length;
}

describe('a tight plan of 85 pods', () => {
  it.each([1, 2, 3])(
    'comes true where pods are nominated just before all taints are lifted',
    async (seed) => {
      expect(await played(seed, { nominate: true, liftEveryMs: 10 })).toBeGreaterThanOrEqual(70);
    },
  );

  it.each([1, 2, 3])('is lost without nominations', async (seed) => {
    expect(await played(seed, { nominate: false, liftEveryMs: 10 })).toBeLessThan(25);
  });

  it.each([1, 2, 3])('is lost where taints are lifted one a second', async (seed) => {
    expect(await played(seed, { nominate: true, liftEveryMs: 1_000 })).toBeLessThan(30);
  });

  it('comes true even so where pods never preempt', async () => {
    expect(await played(1, { nominate: true, liftEveryMs: 1_000, never: true })).toBe(85);
  });
});
