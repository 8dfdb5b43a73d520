/**
 * Offerings and prices as Karpenter's AWS provider has them, restated.
 * Source: karpenter AWS provider v1.14, providers/{instancetype,pricing}/suite_test.go.
 */
import { describe, expect, it } from 'vitest';
import { specsOfRequirements } from '#lib/constraints/requirements.ts';
import { withNews } from '#lib/ec2/offerings/market.ts';
import { reservationsTaken } from '#lib/ec2/offerings/reservations-taken.ts';
import type { ReservationsTaken } from '#lib/ec2/offerings/reserved-offerings.ts';
import type { Offering } from '#lib/model/instance-type.ts';
import type { ResolvedCapacityReservation, ResolvedPlacementGroup } from '#lib/model/node-class.ts';
import type { SoldOut } from '#lib/model/sold-out.ts';
import { catalogFor } from '#lib/observe/catalog-cache.ts';
import { aTable, availableOf, factsOfType, typesOf } from '#test/build/markets.ts';
import { aNewClaim } from '#test/build/node-claims.ts';
import { aNodeClass } from '#test/build/node-pools.ts';
import { MINUTE, NOON } from '#test/build/objects.ts';
import { aReservation } from '#test/build/reserved.ts';
import { someSettings } from '#test/build/snapshots.ts';

const mark = (
  capacityType: 'on-demand' | 'spot',
  zone: string,
  instanceType = 'm5.large',
): SoldOut => ({ capacityType, instanceType, zone, until: NOON + 3 * MINUTE });

const reserving = (...capacityReservations: readonly ResolvedCapacityReservation[]) => ({
  nodeClasses: [aNodeClass({ status: { capacityReservations } })],
});

const reservedOf = (offerings: readonly Offering[] = []): readonly Offering[] =>
  offerings.filter(({ capacityType }) => capacityType === 'reserved');

describe('12.4 instance types and offerings', () => {
  it('67: a type can be had in every zone and both ways, but for what is sold out', () => {
    const marks = [
      mark('spot', 'us-east-1a'),
      mark('on-demand', 'us-east-1b'),
      mark('on-demand', 'us-east-1c'),
    ];

    expect(availableOf('m5.large')).toHaveLength(6);
    expect(
      availableOf('m5.large', { soldOut: [mark('spot', 'us-east-1a', 'm5.xlarge')] }),
    ).toHaveLength(6);
    expect(availableOf('m5.large', { soldOut: marks.slice(0, 1) })).toHaveLength(5);
    expect(availableOf('m5.large', { soldOut: marks })).toHaveLength(3);
  });

  it('67: nothing is bought in a zone that traffic is shifted away from', () => {
    expect(availableOf('m5.large', { shiftedZones: ['use1-az1'] })).toHaveLength(4);
    expect(availableOf('m5.large', { shiftedZones: [] })).toHaveLength(6);
    expect(
      availableOf('m5.large', {
        ...reserving(aReservation()),
        shiftedZones: ['use1-az1'],
      }),
    ).toHaveLength(4);
  });

  it('67: with all of spot sold out only on-demand is left', () => {
    const soldOut = ['us-east-1a', 'us-east-1b', 'us-east-1c'].map((zone) => mark('spot', zone));

    expect(availableOf('m5.large', { soldOut }).map(({ capacityType }) => capacityType)).toEqual([
      'on-demand',
      'on-demand',
      'on-demand',
    ]);
  });

  it('69: a catalogue is made anew only where something that it depends on has changed', () => {
    const inputs = {
      market: { table: aTable(), memory: [] },
      settings: someSettings(),
      nodeClasses: [aNodeClass()],
      soldOut: [],
      shiftedZones: [],
      reservationsTaken: new Map(),
      now: NOON,
    };
    const first = catalogFor(inputs);
    const same = catalogFor({ ...inputs, now: NOON + MINUTE });
    const others = [
      { nodeClasses: [aNodeClass({ meta: { generation: 2 } })] },
      { nodeClasses: [aNodeClass({ status: { subnets: [] } })] },
      reserving(aReservation()),
      { soldOut: [mark('spot', 'us-east-1a')] },
      { shiftedZones: ['use1-az1'] },
      { reservationsTaken: new Map([['cr-1', { launched: 1, promised: 0 }]]) },
      { market: { table: aTable(), memory: [] } },
      { market: { ...inputs.market, warning: 'old' } },
    ].map((difference) => catalogFor({ ...inputs, ...difference }));

    expect(same).toBe(first);
    for (const [at, other] of others.entries()) expect(other, `difference ${at}`).not.toBe(first);
  });

  it('80: spot is not sold where EC2 has no price for it, once it was asked', () => {
    const spot = new Map([['m5.large', new Map([['us-east-1b', 0.05]])]]);
    const asked = { table: withNews(aTable(), { spot }, '2026-11-20') };
    const spotOf = (difference = {}) =>
      availableOf('m5.large', difference).filter(({ capacityType }) => capacityType === 'spot');

    expect(spotOf()).toHaveLength(3);
    expect(spotOf(asked)).toMatchObject([{ zone: 'us-east-1b', usdPerHour: 0.05 }]);
    expect(
      availableOf('m5.xlarge', asked).filter(({ capacityType }) => capacityType === 'spot'),
    ).toEqual([]);
  });

  it('81: what is priced anew is laid over the old prices, and the rest keeps them', () => {
    const onDemand = { usdByType: new Map([['m5.large', 0.1]]), byZone: new Map() };
    const table = withNews(aTable(), { onDemand }, '2026-11-20');
    const onDemandOf = (name: string) =>
      new Set(
        availableOf(name, { table }).flatMap(({ capacityType, usdPerHour }) =>
          capacityType === 'on-demand' ? [usdPerHour] : [],
        ),
      );

    expect(onDemandOf('m5.large')).toEqual(new Set([0.1]));
    expect(onDemandOf('m5.xlarge')).toEqual(new Set([0.192]));
    expect(table.pricedAt).toBe('2026-11-20');
  });

  it.each([
    ['an active capacity block', { reservationType: 'capacity-block' }, true],
    ['a capacity block that is about to end', { state: 'expiring' }, false],
    ['one that has nothing left', { availableInstances: 0 }, false],
    ['one in a zone without a subnet', { zone: 'us-east-1f' }, undefined],
    ['one of another type', { instanceType: 'c5.large' }, undefined],
  ] as const)('83: %s', (_what, difference, available) => {
    const offerings = typesOf(reserving(aReservation(difference))).get('m5.large')?.offerings;

    expect(reservedOf(offerings).map((offering) => offering.available)).toEqual(
      available === undefined ? [] : [available],
    );
  });

  it('84: a reservation costs next to nothing, in the order of its on-demand price', () => {
    const [reserved] = availableOf('m5.large', reserving(aReservation()));
    const table = aTable();
    const unpriced = table.types.map((type) => ({ ...type, onDemandUsdPerHour: 0 }));
    const offered = availableOf('m5.large', {
      ...reserving(aReservation()),
      table: { ...table, types: unpriced },
    });

    expect(reserved).toMatchObject({ capacityType: 'reserved', reservationId: 'cr-1' });
    expect(reserved?.usdPerHour).toBeCloseTo(0.096 / 1e7, 15);
    expect(offered[0]).toMatchObject({ capacityType: 'reserved', usdPerHour: 0 });
    expect(offered.map(({ capacityType }) => capacityType)).not.toContain('on-demand');
  });

  it('88b: a mark counts from its start to its end, for every NodeClass', () => {
    const until = NOON + MINUTE;
    const soldOut = [{ ...mark('spot', 'us-east-1a'), until }];
    const nodeClasses = [aNodeClass(), aNodeClass({ meta: { name: 'other' } })];

    expect(availableOf('m5.large', { soldOut, nodeClasses, now: until - 1 })).toHaveLength(5);
    expect(availableOf('m5.large', { soldOut, nodeClasses, now: until })).toHaveLength(6);
  });

  it('136: what is sold out is so for every NodeClass, whoever looks first', () => {
    const soldOut = [mark('spot', 'us-east-1a')];
    const nodeClasses = [aNodeClass(), aNodeClass({ meta: { name: 'other' } })];
    const names = ['default', 'other'];
    const { byNodeClass } = catalogFor({
      market: { table: aTable(), memory: [] },
      settings: someSettings(),
      nodeClasses,
      soldOut,
      shiftedZones: [],
      reservationsTaken: new Map(),
      now: NOON,
    });

    expect(
      names.map(
        (name) =>
          byNodeClass
            .get(name)
            ?.find((type) => type.name === 'm5.large')
            ?.offerings.filter(({ available }) => available).length,
      ),
    ).toEqual([5, 5]);
  });
});

describe('reserved offerings', () => {
  it('say all that a node gets when it is bought this way', () => {
    const [reserved] = availableOf(
      'm5.large',
      reserving(aReservation({ interruptible: true, availableInstances: 3 })),
    );

    expect(specsOfRequirements(reserved?.requirements ?? new Map())).toEqual(
      [
        ['karpenter.k8s.aws/capacity-reservation-id', 'cr-1'],
        ['karpenter.k8s.aws/capacity-reservation-interruptible', 'true'],
        ['karpenter.k8s.aws/capacity-reservation-type', 'default'],
        ['karpenter.sh/capacity-type', 'reserved'],
        ['topology.k8s.aws/zone-id', 'use1-az1'],
        ['topology.kubernetes.io/zone', 'us-east-1a'],
      ].map(([key, value]) => ({ key, operator: 'In', values: [value] })),
    );
    expect(reserved).toMatchObject({ reservationCapacity: 3 });
  });

  it('leave open whether a node of the type carries a reservation’s labels', () => {
    const types = typesOf(reserving(aReservation()));
    const key = 'karpenter.k8s.aws/capacity-reservation-id';

    expect(types.get('m5.large')?.requirements.has(key)).toBe(false);
    expect(types.get('m5.xlarge')?.requirements.get(key)).toMatchObject({ complement: false });
  });

  it('count what NodeClaims without an instance are promised', () => {
    const promised = (name: string, ids: readonly string[], capacityTypes = ['reserved']) =>
      aNewClaim({
        meta: { name },
        spec: {
          requirements: [
            { key: 'karpenter.sh/capacity-type', operator: 'In', values: capacityTypes },
            {
              key: 'karpenter.k8s.aws/capacity-reservation-id',
              operator: 'In',
              values: [...ids],
            },
          ],
        },
      });
    const launched = { ...promised('d', ['cr-1']), status: aNewClaim().status };
    const claims = [
      promised('a', ['cr-1']),
      promised('b', ['cr-1', 'cr-2']),
      promised('c', ['cr-2'], ['on-demand', 'reserved']),
      { ...launched, status: { ...launched.status, providerId: 'aws:///us-east-1a/i-1' } },
    ];
    const taken = reservationsTaken(claims, []);

    expect(taken).toEqual(
      new Map([
        ['cr-1', { launched: 0, promised: 2 }],
        ['cr-2', { launched: 0, promised: 1 }],
      ]),
    );
    const left = (reservationsTaken: ReservationsTaken) =>
      reservedOf(
        typesOf({ ...reserving(aReservation({ availableInstances: 3 })), reservationsTaken }).get(
          'm5.large',
        )?.offerings,
      ).map(({ available, reservationCapacity }) => [available, reservationCapacity]);

    expect(left(taken)).toEqual([[true, 1]]);
    expect(left(new Map([['cr-1', { launched: 4, promised: 0 }]]))).toEqual([[false, 0]]);
    expect(left(new Map([['cr-1', { launched: 0, promised: 4 }]]))).toEqual([[true, 0]]);
  });
});

describe('12.7 upkeep of reservations', () => {
  it('130: one that is promised an instance has one less; one that gives it back has it again', () => {
    const claim = aNewClaim({
      spec: {
        requirements: [
          { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['reserved'] },
          { key: 'karpenter.k8s.aws/capacity-reservation-id', operator: 'In', values: ['cr-1'] },
        ],
      },
    });
    const left = (claims: Parameters<typeof reservationsTaken>[0]) =>
      reservedOf(
        typesOf({
          ...reserving(aReservation({ availableInstances: 3 })),
          reservationsTaken: reservationsTaken(claims, []),
        }).get('m5.large')?.offerings,
      ).map(({ reservationCapacity }) => reservationCapacity);

    expect(left([claim])).toEqual([2]);
    expect(left([])).toEqual([3]);
  });

  it('130: one that gave an instance since it was counted has one less until the next count', () => {
    const launched = (changedAt: number) =>
      aNewClaim({
        meta: { labels: { 'karpenter.k8s.aws/capacity-reservation-id': 'cr-1' } },
        status: {
          providerId: 'aws:///us-east-1a/i-1',
          conditions: [
            { type: 'Launched', status: 'True', reason: 'Launched', message: '', changedAt },
          ],
        },
      });
    const capacityReservations = [aReservation({ countedAt: NOON })];
    const nodeClass = aNodeClass({ status: { capacityReservations } });

    expect(reservationsTaken([launched(NOON + 1)], [nodeClass])).toEqual(
      new Map([['cr-1', { launched: 1, promised: 0 }]]),
    );
    expect(reservationsTaken([launched(NOON - 1)], [nodeClass])).toEqual(new Map());
    expect(reservationsTaken([launched(NOON + 1)], [aNodeClass()])).toEqual(new Map());
  });
});

describe('placement groups', () => {
  const inGroup = (group: ResolvedPlacementGroup) => ({
    nodeClasses: [aNodeClass({ status: { placementGroup: group } })],
  });

  it('are sold out for themselves, and for nobody else', () => {
    const soldOut = [{ ...mark('spot', 'us-east-1a'), placementGroup: 'pg-1' }];
    const spotIn = (group?: string) =>
      [
        ...(typesOf({
          ...(group !== undefined && inGroup({ id: group, name: 'g', strategy: 'cluster' })),
          soldOut,
        }).get('m5.large')?.offerings ?? []),
      ].filter(({ available, capacityType }) => available && capacityType === 'spot').length;

    expect([spotIn('pg-1'), spotIn('pg-2'), spotIn()]).toEqual([2, 3, 3]);
  });

  it('of partitions have an offering for each of them', () => {
    const group = { id: 'pg-1', name: 'g', strategy: 'partition', partitions: 3 } as const;
    const type = typesOf(inGroup(group)).get('m5.large');
    const key = 'karpenter.k8s.aws/placement-group-partition';
    const values = (type?.offerings ?? []).map(({ requirements }) =>
      [...(requirements.get(key)?.values ?? [])].join(),
    );

    expect(values).toHaveLength(18);
    expect([...new Set(values)].sort()).toEqual(['1', '2', '3']);
    expect([...(type?.requirements.get(key)?.values ?? [])]).toEqual(['1', '2', '3']);
  });

  it('of other kinds only name themselves', () => {
    const type = typesOf(inGroup({ id: 'pg-1', name: 'g', strategy: 'spread' })).get('m5.large');

    expect(type?.offerings).toHaveLength(6);
    expect([
      ...(type?.requirements.get('karpenter.k8s.aws/placement-group-id')?.values ?? []),
    ]).toEqual(['pg-1']);
  });
});

describe('local zones', () => {
  const LOCAL = { name: 'us-east-1-bos-1a', id: 'use1-bos1-az1', priceRegion: 'us-east-1-bos-1' };
  const sold = {
    types: [factsOfType('m5.large')],
    zones: [...aTable().zones, LOCAL],
    soldIn: new Map([['m5.large', new Set(['us-east-1a', LOCAL.name])]]),
  };
  const onDemand = {
    usdByType: new Map([['m5.large', 0.096]]),
    byZone: new Map([[LOCAL.name, new Map([['m5.large', 0.12]])]]),
  };
  const subnets = [
    { id: 'subnet-a', zone: 'us-east-1a', zoneId: 'use1-az1' },
    { id: 'subnet-l', zone: LOCAL.name, zoneId: LOCAL.id },
  ];

  it('are zones like any other, at their own price', () => {
    const table = withNews(aTable(), { sold, onDemand }, '2026-11-20');
    const nodeClasses = [aNodeClass({ status: { subnets } })];
    const offered = availableOf('m5.large', { table, nodeClasses });

    expect(offered.map(({ zone, capacityType }) => `${zone} ${capacityType}`)).toEqual([
      'us-east-1a spot',
      'us-east-1a on-demand',
      `${LOCAL.name} on-demand`,
    ]);
    expect(offered.at(-1)).toMatchObject({ usdPerHour: 0.12, zoneId: LOCAL.id });
  });

  it('are not offered where no subnet of the NodeClass lies in one', () => {
    const table = withNews(aTable(), { sold, onDemand }, '2026-11-20');

    expect(availableOf('m5.large', { table }).map(({ zone }) => zone)).toEqual([
      'us-east-1a',
      'us-east-1a',
    ]);
  });
});
