import { describe, expect, it } from 'vitest';
import { embeddedTable } from '#lib/aws/embedded-table.ts';
import { formatResources, type Resources } from '#lib/constraints/resources.ts';
import { nodeNumbersOf } from '#lib/ec2/catalog/node-numbers.ts';
import { type NumberSettings, nodeSettingsOf } from '#lib/ec2/catalog/node-settings.ts';
import type { InstanceTypeFacts } from '#lib/ec2/catalog/table.ts';
import type { KubeletSettings, NodeClass } from '#lib/model/node-class.ts';
import { aNodeClass } from '#test/build/node-pools.ts';

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;

function factsOf(name: string): InstanceTypeFacts {
  const facts = embeddedTable('us-east-1')?.types.find((type) => type.facts.name === name)?.facts;
  if (facts === undefined) throw new Error(`expected ${name} in the embedded table, found none`);
  return facts;
}

const numbers = (
  name: string,
  spec: Partial<NodeClass['spec']> = {},
  settings: Partial<NumberSettings> = {},
) =>
  nodeNumbersOf(
    factsOf(name),
    nodeSettingsOf(aNodeClass({ spec }), { vmMemoryOverheadPercent: 0.075, ...settings }),
  );

const byExpression = (name: string, kubelet: KubeletSettings, kubeletExpressions = true) =>
  numbers(name, { kubelet }, { kubeletExpressions });

describe('nodeNumbersOf', () => {
  it.each<[string, Partial<NodeClass['spec']>, Resources]>([
    ['m5.large', {}, { cpu: 1930, memory: 6903 * MIB, 'ephemeral-storage': 17 * GIB, pods: 29 }],
    ['c6g.xlarge', {}, { cpu: 3920, memory: 6525 * MIB, 'ephemeral-storage': 17 * GIB, pods: 58 }],
    ['p4d.24xlarge', {}, { cpu: 95_690, memory: 1_082_712 * MIB, 'nvidia.com/gpu': 8, pods: 737 }],
    [
      'p4d.24xlarge',
      { instanceStorePolicy: 'RAID0' },
      { 'ephemeral-storage': 7_198_926_258_176, 'vpc.amazonaws.com/efa': 4 },
    ],
    ['t3.nano', {}, { memory: 74 * MIB, pods: 4 }],
    ['a1.medium', {}, { memory: 1392 * MIB, pods: 8 }],
    ['inf2.xlarge', {}, { memory: 14_162 * MIB, pods: 58 }],
    ['g4dn.xlarge', {}, { memory: 14_481 * MIB, pods: 29 }],
    ['m5.metal', {}, { memory: 355_262 * MIB, pods: 737 }],
  ])('leaves to the pods of a %s, to the byte, what it has over (%#)', (name, spec, expected) => {
    expect(numbers(name, spec).allocatable).toMatchObject(expected);
  });

  it('believes what nodes told of their memory more than the estimate', () => {
    const settings = nodeSettingsOf(
      aNodeClass(),
      { vmMemoryOverheadPercent: 0.075 },
      new Map([['m5.large', 7_700 * MIB]]),
    );
    const { capacity, allocatable } = nodeNumbersOf(factsOf('m5.large'), settings);

    expect(capacity.memory).toBe(7_700 * MIB);
    expect(allocatable.memory).toBe((7_700 - 574 - 100) * MIB);
  });

  it.each<[KubeletSettings, number]>([
    [{ maxPodsExpression: 'vcpus * 10' }, 20],
    [{ maxPodsExpression: 'max_pods + 1' }, 30],
    [{ maxPodsExpression: '2.9' }, 2],
    [{ maxPodsExpression: 'max_pods + 1', podsPerCore: 4 }, 8],
    [{ maxPodsExpression: 'instance_type == "m5.large" ? 7 : 8' }, 7],
    [{ maxPodsExpression: '0 - 1' }, 0],
    [{ maxPodsExpression: '2147483648' }, 0],
    [{ maxPodsExpression: '1 / (vcpus - 2)' }, 0],
  ])('counts pods by an expression: %j', (kubelet, expected) => {
    expect(byExpression('m5.large', kubelet).capacity.pods).toBe(expected);
    expect(byExpression('m5.large', kubelet, false).capacity.pods).toBe(
      kubelet.podsPerCore === undefined ? 29 : 8,
    );
  });

  it('keeps expressions that come to nothing from what kubelet is told', () => {
    const kubeReserved = { cpu: '100m', memory: '0 - 1', 'ephemeral-storage': '1 / 0', pid: '3' };
    const systemReserved = { memory: 'double(memory_mib) / 0.0' };
    const { reserves, overhead } = byExpression('m5.large', { kubeReserved, systemReserved });

    expect(reserves).toEqual({
      kubeReserved: { cpu: '100m', pid: '3' },
      systemReserved: {},
    });
    expect(overhead).toMatchObject({ cpu: 100, memory: (574 + 100) * MIB });
  });

  it('tells kubelet no numbers of its own where nothing is an expression', () => {
    expect(byExpression('m5.large', { kubeReserved: { cpu: '100m' } }).reserves).toBeUndefined();
  });

  it('has no room for pods on a node that keeps more than it has', () => {
    const { allocatable } = numbers('t3.nano', { kubelet: { systemReserved: { memory: '1Gi' } } });

    expect(allocatable).toMatchObject({ memory: 0, pods: 0, cpu: 1930 });
  });

  it('is with maxPods 110 and RAID0 what golden/node-numbers.txt says, by family', async () => {
    const types = ['m5.large', 'c6g.xlarge', 'i4i.large', 'p4d.24xlarge'];
    const spec = { kubelet: { maxPods: 110 }, instanceStorePolicy: 'RAID0' };
    const families = ['AL2', 'AL2023', 'Bottlerocket', 'Windows2022', 'Custom'];
    const rows = families.flatMap((amiFamily) =>
      types.map((name) => {
        const { capacity, allocatable } = numbers(name, { ...spec, amiFamily });
        const told = [formatResources(capacity), formatResources(allocatable)].map((amounts) =>
          Object.entries(amounts)
            .map(([resource, quantity]) => `${resource.replace(/^.*\//, '')} ${quantity}`)
            .join(', '),
        );
        return `${amiFamily} ${name}\n  has    ${told[0]}\n  leaves ${told[1]}\n`;
      }),
    );

    await expect(rows.join('\n')).toMatchFileSnapshot('golden/node-numbers.txt');
  });
});
