/**
 * What Karpenter's AWS provider v1.14 does about errors and upkeep, restated. The numbers are those
 * of our list of its behaviours; upstream's own suites are providers/instance, errors and
 * controllers/nodeclaim. Numbers that are missing here stand with the code that they are about:
 * 1, 2, 10–12, 91–108 in launch-cases, 20, 126, 127 in ec2/drift, 23 in lifecycle/account-garbage.
 */
import { describe, expect, it } from 'vitest';
import { createFleet } from '#lib/aws/fleet.ts';
import { catalogOf } from '#lib/ec2/catalog/catalog.ts';
import { fleetFailure, fullSubnetsOf, reasonOf, soldOutOf } from '#lib/ec2/launch/fleet-errors.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { aLaunch, inTime } from '#test/build/aws-callers.ts';
import { anAccount } from '#test/build/embedded-aws.ts';
import { anInstance } from '#test/build/instances.ts';
import { wantedOf } from '#test/build/lives.ts';
import { aNewClaim, aNodeClaim } from '#test/build/node-claims.ts';
import { aCondition, aNodeClass } from '#test/build/node-pools.ts';
import { anInFlightNode } from '#test/build/nodes.ts';
import { NOON, SECOND } from '#test/build/objects.ts';
import { recordedTable } from '#test/build/recorded-launches.ts';
import { aSnapshot, someSettings } from '#test/build/snapshots.ts';

const anError = (code: string, zone = 'us-east-1a') => ({
  code,
  message: 'said EC2',
  capacityType: 'on-demand' as const,
  instanceType: 'm5.large',
  zone,
});
const option = { capacityType: 'on-demand' as const, instanceType: 'm5.large', zone: 'us-east-1a' };

describe('errors of a fleet', () => {
  it('13: a template that EC2 does not know is made again, and nobody hears of it', async () => {
    const bench = anAccount();
    const launch = await aLaunch(bench);
    const code = 'InvalidLaunchTemplateName.NotFoundException';
    bench.aws.failNext({ name: 'CreateFleet', code, times: 1 });

    expect(await inTime(bench, (call) => createFleet(call, launch))).toMatchObject({
      instances: [{}],
      errors: [],
    });
  });

  it('15: a quota is missing capacity, and only of the type and zone that it was met for', () => {
    const errors = [anError('MaxFleetCountExceeded')];
    const others = [option, { ...option, zone: 'us-east-1b' }];

    expect(fleetFailure(errors)).toMatchObject({ kind: 'soldOut', reason: 'FleetQuotaExceeded' });
    expect(soldOutOf(errors, others)).toEqual([option]);
  });

  it('17: a reservation that is used up is missing capacity, a throttled request is not', () => {
    const reserved = {
      ...anError('ReservationCapacityExceeded'),
      capacityType: 'reserved' as const,
    };

    expect(fleetFailure([reserved])).toMatchObject({ kind: 'soldOut' });
    expect(soldOutOf([reserved], [])).toEqual([{ ...option, capacityType: 'reserved' }]);
    expect(fleetFailure([anError('RequestLimitExceeded')])).toMatchObject({
      kind: 'failed',
      reason: 'RequestLimitExceeded',
    });
    expect(soldOutOf([anError('RequestLimitExceeded')], [option])).toEqual([]);
  });

  it('18: an unknown error is a failed launch, and blames no offering', () => {
    const errors = [anError('SomethingNew', 'nowhere')];

    expect(fleetFailure(errors)).toMatchObject({ kind: 'failed', reason: 'LaunchFailed' });
    expect(soldOutOf(errors, [option])).toEqual([]);
  });

  it('is no capacity only where every one of them says so', () => {
    const mixed = [anError('InsufficientInstanceCapacity'), anError('UnauthorizedOperation')];

    expect(fleetFailure(mixed)).toMatchObject({ kind: 'failed', reason: 'Unauthorized' });
  });

  it.each([
    ['InvalidAMIID.Malformed', 'InvalidAMIID'],
    ['not eligible for Free Tier', 'FreeTierIneligible'],
    ['PendingVerification', 'AccountPendingVerification'],
    ['MaxSpotInstanceCountExceeded', 'SpotQuotaExceeded'],
    ['User data is limited to 16384 bytes', 'UserDataSizeLimitExceeded'],
    ['InvalidLaunchTemplateId.NotFound', 'LaunchTemplateNotFound'],
  ])('tells a NodeClaim of %s as %s', (said, reason) => {
    expect(reasonOf(said)).toBe(reason);
  });
});

describe('subnets without addresses', () => {
  const zones = ['a', 'b', 'c'].map((letter) => `us-west-2${letter}`);
  const subnet = (id: string, zone: string, freeAddresses: number) => ({
    ...{ id, zone, zoneId: `id-${zone}`, freeAddresses },
  });

  /** The zones in which something can be bought, with these subnets. */
  function openZones(subnets: readonly ReturnType<typeof subnet>[]): readonly string[] {
    const all = recordedTable('us-west-2');
    const table = { ...all, types: all.types.filter(({ facts }) => facts.name === 'm5.large') };
    const nodeClass = aNodeClass({ status: { subnets } });
    const sources = { table, nodeClasses: [nodeClass], soldOut: [], settings: someSettings() };
    const [type] = catalogOf({ ...sources, now: 0 }).byNodeClass.get('default') ?? [];
    const open = (type?.offerings ?? []).flatMap(({ zone, available }) =>
      available ? [zone] : [],
    );
    return [...new Set(open)].sort();
  }

  it('3: close their zone only where it has no other', () => {
    const others = [subnet('b', 'us-west-2b', 9), subnet('c', 'us-west-2c', 9)];

    expect(openZones([subnet('a', 'us-west-2a', 0), ...others])).toEqual(zones.slice(1));
    expect(
      openZones([subnet('a', 'us-west-2a', 0), subnet('a2', 'us-west-2a', 5), ...others]),
    ).toEqual(zones);
    expect(
      openZones([subnet('a', 'us-west-2a', 0), subnet('a2', 'us-west-2a', 0), ...others]),
    ).toEqual(zones.slice(1));
  });

  it('3: are those that EC2 named', () => {
    const error = { ...anError('InsufficientFreeAddressesInSubnet'), subnetId: 'subnet-1' };

    expect(fullSubnetsOf([error, error, anError('InternalError')])).toEqual(['subnet-1']);
  });
});

describe('a NodeClass that cannot be launched from', () => {
  const claim = aNewClaim({
    meta: {
      createdAt: NOON - SECOND,
      finalizers: ['karpenter.sh/termination'],
      annotations: { 'joinery.dev/launch-group': 'g/1' },
    },
  });
  const wanted = (nodeClasses: Parameters<typeof aNodeClass>[0] | undefined) =>
    wantedOf(
      aSnapshot({
        nodes: [anInFlightNode(claim)],
        instances: [],
        nodeClasses: nodeClasses === undefined ? [] : [aNodeClass(nodeClasses)],
      }),
      'claim-1',
    );
  const ready = (status: 'True' | 'False' | 'Unknown', observedGeneration = 1) => ({
    status: { conditions: [aCondition('Ready', { status, observedGeneration })] },
  });

  it('19: ends the NodeClaim where it is gone or not ready', () => {
    expect(wanted(undefined)).toMatchObject({ kinds: ['delete'] });
    expect(wanted(undefined).events.join()).toContain('InsufficientCapacityError');
    expect(wanted(ready('False'))).toMatchObject({ kinds: ['delete'], events: [] });
  });

  it('19: is waited for, on purpose, where its latest generation was not resolved yet', () => {
    for (const nodeClass of [ready('Unknown'), ready('True', 0)]) {
      expect(wanted(nodeClass).kinds).not.toContain('delete');
      expect(wanted(nodeClass).condition('Launched')).toMatchObject({
        reason: 'NodeClassReadinessUnknown',
      });
    }
  });

  it('19: ends the NodeClaim where it sets a tag that is ours', () => {
    const nodeClass = { spec: { tags: { 'kubernetes.io/cluster/other': 'owned' } } };

    expect(wanted(nodeClass).kinds).toContain('delete');
  });
});

describe('133: an instance in a zone that traffic is shifted away from', () => {
  const ID = 'i-0123456789abcdef0';
  const shiftedZones = ['use1-az1'];
  const nodeClasses = [
    aNodeClass({
      status: { subnets: [{ id: 'subnet-1', zone: 'us-east-1a', zoneId: 'use1-az1' }] },
    }),
  ];
  const deleted = aNodeClaim({
    meta: { deletedAt: NOON - SECOND },
    status: { providerId: `aws:///us-east-1a/${ID}` },
  });
  const look = (difference: Partial<Snapshot>) =>
    aSnapshot({ nodeClasses, nodes: [anInFlightNode(deleted)], ...difference });
  const stray = look({ nodes: [], instances: [anInstance({ id: ID, launchedAt: 0 })] });

  it('is not ended while that lasts, and then is', () => {
    const instances = [anInstance({ id: ID })];

    expect(wantedOf(look({ instances, shiftedZones }), 'claim-1').kinds).not.toContain(
      'terminateInstance',
    );
    expect(wantedOf(look({ instances }), 'claim-1').kinds).toContain('terminateInstance');
  });

  it('is not taken for gone because EC2 does not list it', () => {
    const finalizersAfter = (difference: Partial<Snapshot>) =>
      wantedOf(look({ instances: [], ...difference }), 'claim-1').update?.meta.finalizers;

    expect(finalizersAfter({ shiftedZones })).toBeUndefined();
    expect(finalizersAfter({})).toEqual([]);
  });

  it('is not collected', () => {
    expect(wantedOf({ ...stray, shiftedZones }, ID).kinds).toEqual([]);
    expect(wantedOf(stray, ID).kinds).toEqual(['terminateInstance']);
  });
});
