import { describe, expect, it } from 'vitest';
import { grantedCapacity } from '#lib/ec2/catalog/granted-capacity.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import { anInstanceType } from '#test/build/instance-types.ts';
import { aNewClaim } from '#test/build/node-claims.ts';
import { aNodeClass } from '#test/build/node-pools.ts';

const EFA = 'vpc.amazonaws.com/efa';
const type = anInstanceType('p4d.24xlarge', { cpu: 96, more: { [EFA]: 4 } });

function granted(requests: Record<string, number>, nodeClass?: NodeClass) {
  const { capacity, allocatable } = grantedCapacity(
    type,
    aNewClaim({ spec: { requests } }),
    nodeClass,
  );
  return [capacity[EFA], allocatable[EFA], capacity.cpu];
}

describe('grantedCapacity', () => {
  it('has the EFA interfaces that were asked for', () => {
    expect(granted({ [EFA]: 1 }, aNodeClass())).toEqual([4, 4, 96_000]);
  });

  it('has those that the NodeClass lists', () => {
    const primary = { networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' } as const;
    const nodeClass = aNodeClass({ spec: { networkInterfaces: [primary] } });

    expect(granted({ cpu: 1 }, nodeClass)).toEqual([4, 4, 96_000]);
  });

  it('has none where nobody wants any, though the type could', () => {
    expect(granted({ cpu: 1, [EFA]: 0 }, aNodeClass())).toEqual([undefined, undefined, 96_000]);
    expect(granted({ cpu: 1 })).toEqual([undefined, undefined, 96_000]);
  });
});
