import { describe, expect, it } from 'vitest';
import { type DriftInputs, ec2Drift } from '#lib/ec2/drift.ts';
import { anInstanceType } from '#test/build/instance-types.ts';
import { anInstance } from '#test/build/instances.ts';
import { aNodeClaim } from '#test/build/node-claims.ts';
import { aNodeClass } from '#test/build/node-pools.ts';
import { aReservation } from '#test/build/reserved.ts';

const HASH = 'karpenter.k8s.aws/ec2nodeclass-hash';
const VERSION = 'karpenter.k8s.aws/ec2nodeclass-hash-version';
const usual = aNodeClass();
const IMAGE = usual.status.amis[0]?.id ?? '';
const GROUPS = usual.status.securityGroups.map(({ id }) => id);
const SUBNET = usual.status.subnets[0]?.id ?? '';

type Annotations = Readonly<Record<string, string>>;

const hashed = (made: Annotations, wanted: Annotations): Partial<DriftInputs> => ({
  claim: aNodeClaim({ meta: { annotations: made }, status: { imageId: IMAGE } }),
  nodeClass: aNodeClass({ meta: { annotations: wanted } }),
});

const drift = (difference: Partial<DriftInputs> = {}) =>
  ec2Drift({
    claim: aNodeClaim({ status: { imageId: IMAGE } }),
    nodeClass: usual,
    instanceTypes: [anInstanceType('m5.large')],
    instance: anInstance({ subnetId: SUBNET, securityGroupIds: GROUPS }),
    ...difference,
  });

describe('ec2Drift', () => {
  it('finds nothing in an instance that is as its NodeClass would launch it', () => {
    expect(drift()).toBeUndefined();
  });

  it.each([
    ['NodeClassDrift', { [HASH]: 'a', [VERSION]: 'v' }, { [HASH]: 'b', [VERSION]: 'v' }],
    [undefined, { [HASH]: 'a', [VERSION]: 'v' }, { [HASH]: 'b', [VERSION]: 'w' }],
    [undefined, { [HASH]: 'a' }, { [HASH]: 'b', [VERSION]: 'v' }],
    [undefined, { [HASH]: 'a', [VERSION]: 'v' }, { [VERSION]: 'v' }],
  ])('20: is %s for hashes %j and %j', (expected, made, wanted) => {
    expect(drift(hashed(made, wanted))).toBe(expected);
  });

  it('sees another image, also where none fits the type any more', () => {
    expect(drift({ claim: aNodeClaim({ status: { imageId: 'ami-old' } }) })).toBe('AMIDrift');
    const requirements = [
      { key: 'kubernetes.io/arch', operator: 'In' as const, values: ['arm64'] },
    ];
    const ami = { id: IMAGE, name: 'arm', deprecated: false, requirements };
    expect(drift({ nodeClass: aNodeClass({ status: { amis: [ami] } }) })).toBe('AMIDrift');
  });

  it.each([
    ['SecurityGroupDrift', { subnetId: SUBNET, securityGroupIds: [...GROUPS, 'sg-more'] }],
    ['SecurityGroupDrift', { subnetId: SUBNET, securityGroupIds: [] }],
    ['SubnetDrift', { subnetId: 'subnet-other', securityGroupIds: GROUPS }],
    ['CapacityReservationDrift', { capacityType: 'reserved' as const, reservationId: 'cr-gone' }],
    [undefined, { capacityType: 'on-demand' as const, reservationId: 'cr-gone' }],
  ])('126: is %s for %j', (expected, difference) => {
    expect(drift({ instance: anInstance(difference) })).toBe(expected);
  });

  it('126: finds nothing in an instance of a reservation that is still selected', () => {
    const nodeClass = aNodeClass({ status: { capacityReservations: [aReservation()] } });
    const instance = anInstance({ capacityType: 'reserved', reservationId: 'cr-1' });

    expect(drift({ nodeClass, instance })).toBeUndefined();
  });

  it('127: sees that the placement group was added, taken away or changed', () => {
    const key = 'karpenter.k8s.aws/placement-group-id';
    const inGroup = (id?: string) =>
      aNodeClaim({
        meta: { labels: id === undefined ? {} : { [key]: id } },
        status: { imageId: IMAGE },
      });
    const withGroup = aNodeClass({
      status: { placementGroup: { id: 'pg-1', name: 'p', strategy: 'cluster' } },
    });

    expect(drift({ claim: inGroup(), nodeClass: withGroup })).toBe('PlacementGroupDrift');
    expect(drift({ claim: inGroup('pg-1') })).toBe('PlacementGroupDrift');
    expect(drift({ claim: inGroup('pg-0'), nodeClass: withGroup })).toBe('PlacementGroupDrift');
    expect(drift({ claim: inGroup('pg-1'), nodeClass: withGroup })).toBeUndefined();
  });

  it('names the first of several', () => {
    const instance = anInstance({ subnetId: 'subnet-other', securityGroupIds: ['sg-other'] });

    expect(drift({ instance })).toBe('SecurityGroupDrift');
    const claim = aNodeClaim({ status: { imageId: 'ami-old' } });
    expect(drift({ claim, instance })).toBe('AMIDrift');
  });

  it.each([
    ['no image', { nodeClass: aNodeClass({ status: { amis: [] } }) }],
    ['no security group', { nodeClass: aNodeClass({ status: { securityGroups: [] } }) }],
    ['no subnet', { nodeClass: aNodeClass({ status: { subnets: [] } }) }],
    ['NodeClaim claim-1 has no image', { claim: aNodeClaim({ status: { imageId: '' } }) }],
    ['m5.large is not known', { instanceTypes: [] }],
  ])('cannot tell, and calls nothing drift, where there is %s', (why, difference) => {
    expect(drift(difference)).toEqual({ unknown: expect.stringContaining(why) });
  });

  it('judges without EC2 what needs no EC2', () => {
    const { instance: _, ...inputs } = {
      claim: aNodeClaim({ status: { imageId: 'ami-old' } }),
      nodeClass: usual,
      instanceTypes: [anInstanceType('m5.large')],
      instance: undefined,
    };

    expect(ec2Drift(inputs)).toBe('AMIDrift');
  });

  it('leaves the nodes of a NodeClass alone that is being deleted', () => {
    const claim = aNodeClaim({ status: { imageId: 'ami-old' } });

    expect(drift({ claim, nodeClass: aNodeClass({ meta: { deletedAt: 1 } }) })).toBeUndefined();
  });
});
