import { describe, expect, it } from 'vitest';
import { embeddedTable } from '#lib/aws/embedded-table.ts';
import { catalogLines } from '#lib/cli/catalog-encode.ts';
import { decodeCatalog } from '#lib/cli/catalog-file.ts';
import type { OfferedTypes } from '#lib/cli/file-catalog.ts';
import { isRejection } from '#lib/constraints/rejection.ts';
import {
  intersectRequirements,
  requirementsOf,
  specsOfRequirements,
} from '#lib/constraints/requirements.ts';
import { catalogOf } from '#lib/ec2/catalog/catalog.ts';
import type { InstanceType, Offering } from '#lib/model/instance-type.ts';
import { spec } from '#test/build/constraints.ts';
import { anInstanceType } from '#test/build/instance-types.ts';
import { aNodeClass } from '#test/build/node-pools.ts';
import { NOON } from '#test/build/objects.ts';

const offered = (instanceTypes: readonly InstanceType[]): OfferedTypes => ({
  region: 'us-east-1',
  pricedAt: '2026-11-01',
  spotPricesAreEstimates: true,
  instanceTypes,
});

const readBack = (catalog: OfferedTypes): OfferedTypes =>
  decodeCatalog(JSON.parse([...catalogLines(catalog)].join('\n')));

/** What a node that is bought this way carries, whichever of type and offering says it. */
function labelsOf(type: InstanceType, offering: Offering): unknown {
  const labels = intersectRequirements(type.requirements, offering.requirements);
  return isRejection(labels) ? labels : specsOfRequirements(labels);
}

const told = ({ instanceTypes, ...head }: OfferedTypes): unknown => [
  head,
  instanceTypes.map(({ requirements, offerings, ...type }) => [
    type,
    specsOfRequirements(requirements),
    offerings.map(({ requirements: _, ...offering }) => offering),
    offerings.map((offering) => labelsOf({ ...type, requirements, offerings }, offering)),
  ]),
];

describe('catalogLines', () => {
  it('are read back as what was printed, whatever the NodeClass', () => {
    const table = embeddedTable('us-east-1');
    if (table === undefined) throw new Error('expected us-east-1 to be embedded');
    const nodeClass = aNodeClass({
      spec: { amiFamily: 'Windows2022', kubelet: { kubeReserved: { memory: 'max_pods' } } },
      status: {
        capacityReservations: [
          {
            id: 'cr-1',
            instanceType: 'm5.large',
            zone: 'us-east-1a',
            ownerId: '1',
            instanceMatchCriteria: 'targeted',
            reservationType: 'default',
            interruptible: false,
            state: 'active',
            availableInstances: 2,
          },
        ],
      },
    });
    const types = catalogOf({
      table: {
        ...table,
        types: table.types.filter(({ facts }, at) => at % 20 === 0 || facts.name === 'm5.large'),
      },
      nodeClasses: [nodeClass],
      soldOut: [],
      settings: { vmMemoryOverheadPercent: 0.075, kubeletExpressions: true },
      now: NOON,
    }).byNodeClass.get('default');
    const catalog = offered(types ?? []);

    expect(types?.length).toBeGreaterThan(50);
    expect(told(readBack(catalog))).toEqual(told(catalog));
  });

  it('keep what an offering says beyond its fields and its type', () => {
    const type = anInstanceType('m5.large', {
      zones: ['us-east-1a'],
      capacityTypes: ['on-demand'],
    });
    const [offering] = type.offerings;
    if (offering === undefined) throw new Error('expected an offering, found none');
    const requirements = requirementsOf([
      spec('topology.kubernetes.io/zone In us-east-1a'),
      spec('karpenter.sh/capacity-type In reserved'),
      spec('karpenter.k8s.aws/capacity-reservation-id In cr-1'),
      spec('karpenter.k8s.aws/capacity-reservation-type In default'),
      spec('kubernetes.io/os In linux'),
    ]);
    const reserved: Offering = {
      ...offering,
      capacityType: 'reserved',
      available: false,
      reservationId: 'cr-1',
      reservationCapacity: 3,
      requirements,
    };
    const [, line = ''] = catalogLines(offered([{ ...type, offerings: [reserved] }]));

    expect(JSON.parse(line).offerings).toEqual([
      {
        zone: 'us-east-1a',
        zoneId: 'use1-az1',
        capacityType: 'reserved',
        usdPerHour: 0.1,
        available: false,
        reservationId: 'cr-1',
        reservationCapacity: 3,
        requirements: [
          {
            key: 'karpenter.k8s.aws/capacity-reservation-type',
            operator: 'In',
            values: ['default'],
          },
        ],
      },
    ]);
  });
});
