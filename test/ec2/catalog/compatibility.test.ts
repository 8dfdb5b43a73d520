import { describe, expect, it } from 'vitest';
import { compatibilityWith } from '#lib/ec2/catalog/compatibility.ts';
import type { InstanceTypeFacts } from '#lib/ec2/catalog/table.ts';
import { amiFamilyOf } from '#lib/ec2/images/ami-family.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import { factsOfType } from '#test/build/markets.ts';
import { aNodeClass } from '#test/build/node-pools.ts';

const takes = (
  difference: Parameters<typeof aNodeClass>[0],
  facts: Partial<InstanceTypeFacts> = {},
): boolean => {
  const nodeClass: NodeClass = aNodeClass(difference);
  return compatibilityWith(
    nodeClass,
    amiFamilyOf(nodeClass),
  )({
    ...factsOfType('m5.large'),
    ...facts,
  });
};
const oneInterface = {
  spec: {
    networkInterfaces: [
      { networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' as const },
    ],
  },
};

describe('compatibilityWith', () => {
  it('needs ENA for interfaces of one’s own, and for nothing else', () => {
    expect(takes(oneInterface)).toBe(true);
    expect(takes(oneInterface, { enaSupported: false })).toBe(false);
    expect(takes({}, { enaSupported: false })).toBe(true);
  });

  it('takes an empty list of interfaces for no demand', () => {
    expect(takes({ spec: { networkInterfaces: [] } }, { enaSupported: false })).toBe(true);
  });

  it('takes a placement group to be possible, and nested virtualization not, where nobody told', () => {
    const { placementStrategies: _, processorFeatures: __, ...untold } = factsOfType('m5.large');
    const check = (difference: Parameters<typeof aNodeClass>[0]) => {
      const nodeClass = aNodeClass(difference);
      return compatibilityWith(nodeClass, amiFamilyOf(nodeClass))(untold);
    };
    const placementGroup = { id: 'pg-1', name: 'g', strategy: 'cluster' } as const;

    expect(check({ status: { placementGroup } })).toBe(true);
    expect(check({ spec: { cpuOptions: { nestedVirtualization: 'enabled' } } })).toBe(false);
  });
});
