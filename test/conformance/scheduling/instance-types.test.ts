import { describe, expect, it } from 'vitest';
import { allocatableOf } from '#lib/ec2/kubelet/overhead.ts';
import { decodePod } from '#lib/kube/decode/decode-pod.ts';
import { aCatalog, anInstanceType } from '#test/build/instance-types.ts';
import { aStateNode } from '#test/build/nodes.ts';
import { GIB } from '#test/build/objects.ts';
import { affinity, named, planOf } from '#test/build/plans.ts';
import { somePods } from '#test/build/pods.ts';
import { aPodManifest } from '#test/build/small-cluster.ts';

const IN_DEFAULT = {
  namespace: 'default',
  uid: 'uid-of-web',
  creationTimestamp: '2026-11-20T11:00:00Z',
};
const PENDING = {
  status: {
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }],
  },
};

describe('10.5 types, offerings, resources', () => {
  it.each([
    ['In large', ['c2.large']],
    ['In small', ['c2.small']],
    ['Exists', ['c2.small', 'c2.large']],
    ['DoesNotExist', ['c2.plain']],
  ])('116: types are told apart by their own labels, here %s', (text, types) => {
    const key = 'karpenter.k8s.aws/instance-gpu-name';
    const catalog = aCatalog([
      anInstanceType('c2.small', { requirements: [`${key} In small`] }),
      anInstanceType('c2.large', { cpu: 4, requirements: [`${key} In large`] }),
      anInstanceType('c2.plain', { requirements: [`${key} DoesNotExist`] }),
    ]);
    const { claims } = planOf({ catalog, pods: [named('web', affinity([`${key} ${text}`]))] });

    expect(claims.map(({ instanceTypes }) => instanceTypes)).toEqual([types]);
  });

  it('107: the number of pods on a node is one of its resources', () => {
    const { claims } = planOf({
      catalog: aCatalog([anInstanceType('m5.large', { pods: 5 })]),
      pods: somePods(25, { requests: { cpu: 1 } }),
    });

    expect(claims).toHaveLength(5);
  });

  it('111: a zero quantity of an unknown resource is no demand', () => {
    expect(planOf({ pods: [named('web', { requests: { 'foo.com/bar': 0 } })] }).refused).toEqual(
      [],
    );
  });

  it('114: more memory than any type has is refused, with the nearest miss', () => {
    const { refused } = planOf({ pods: [named('web', { requests: { memory: 2048 * GIB } })] });

    expect(refused[0]).toMatchObject({ by: 'resources' });
    expect(refused[0]?.because).toBe(
      'no node has room for it and none can be made: NodePool default: it needs 2048 GiB of memory on one node; the largest type that the pool allows, m5.4xlarge, has 64 GiB of memory to give',
    );
  });

  it('118: sold out offerings give no node, and existing nodes are still used', () => {
    const soldOut = ['us-east-1a', 'us-east-1b', 'us-east-1c'].flatMap((zone) => [
      `${zone}/spot`,
      `${zone}/on-demand`,
    ]);
    const plan = planOf({
      catalog: aCatalog([anInstanceType('m5.large', { soldOut })]),
      nodes: [aStateNode()],
      pods: somePods(3),
    });

    expect(plan.placements).toHaveLength(2);
    expect(plan.refused).toMatchObject([{ by: 'offerings' }]);
  });

  it('120: a million cores is taken for a slip', () => {
    const { refused } = planOf({ pods: [named('web', { requests: { cpu: 1_000_000_000 } })] });

    expect(refused[0]?.because).toContain('m vs M typo?');
  });

  it('108: the overhead of a runtime class is part of what a pod asks for', () => {
    const pod = decodePod({
      ...aPodManifest(
        'web',
        {
          overhead: { cpu: '2' },
          containers: [{ name: 'main', image: 'pause', resources: { requests: { cpu: '1' } } }],
        },
        IN_DEFAULT,
      ),
      ...PENDING,
    });

    expect(planOf({ pods: [pod] }).claims[0]?.cheapest.instanceType).toBe('m5.xlarge');
  });

  it.each([
    ['2', 'm5.large'],
    ['3', 'm5.xlarge'],
    ['1Ti', undefined],
  ])('109: an init container that asks for %s cpu', (cpu, type) => {
    const of = (quantity: string) => ({ resources: { requests: { cpu: quantity } } });
    const pod = decodePod({
      ...aPodManifest(
        'web',
        {
          initContainers: [{ name: 'first', image: 'pause', ...of(cpu) }],
          containers: [{ name: 'main', image: 'pause', ...of('1') }],
        },
        IN_DEFAULT,
      ),
      ...PENDING,
    });

    expect(planOf({ pods: [pod] }).claims[0]?.cheapest.instanceType).toBe(type);
  });

  it('119: huge pages are taken off the memory', () => {
    const type = anInstanceType('m5.large', { more: { 'hugepages-2Mi': 6 * GIB } });
    const allocatable = allocatableOf(type.capacity, {});
    const web = (gib: number) =>
      planOf({
        catalog: aCatalog([{ ...type, allocatable }]),
        pods: [named('web', { requests: { memory: gib * GIB } })],
      }).refused.length;

    expect([web(2), web(3)]).toEqual([0, 1]);
  });
});
