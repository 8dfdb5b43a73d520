import { describe, expect, it } from 'vitest';
import { resolvedAnnotation } from '#lib/ec2/node-class/resolved-annotation.ts';
import { decodeNodeClass } from '#lib/kube/decode/decode-node-class.ts';
import { encodeStatus } from '#lib/kube/encode-change.ts';
import { aNodeClassSpec, aWrittenNodeClass } from '#test/build/node-class-facts.ts';
import { aReservation } from '#test/build/reserved.ts';

const RESOLVED = 'joinery.dev/resolved';
const resolved = {
  subnets: [{ id: 'subnet-a', zone: 'us-east-1a', zoneId: 'use1-az1', freeAddresses: 9 }],
  capacityReservations: [aReservation({ availableInstances: 3, endsAt: 1_800_000_000_000 })],
  placementGroup: { id: 'pg-1', name: 'a', strategy: 'partition', partitions: 3 },
} as const;

const read = (annotation: string) =>
  decodeNodeClass({
    metadata: {
      name: 'default',
      uid: 'u',
      creationTimestamp: '2026-11-20T12:00:00Z',
      annotations: { [RESOLVED]: annotation },
    },
    spec: aNodeClassSpec(),
    status: encodeStatus(resolved),
  }).status;

describe('decodeNodeClass', () => {
  it('reads back what was resolved, the numbers from beside the status included', () => {
    expect(read(resolvedAnnotation(resolved))).toMatchObject(resolved);
  });

  it.each([
    ['of another version', '{"version":2,"freeAddresses":{"subnet-a":9}}'],
    ['that is no JSON', '{'],
    ['of the wrong shape', '{"version":1,"freeAddresses":[]}'],
  ])('does without what stands beside the status in a text %s', (_what, annotation) => {
    const { subnets, placementGroup } = read(annotation);

    expect(subnets).toEqual([{ id: 'subnet-a', zone: 'us-east-1a', zoneId: 'use1-az1' }]);
    expect(placementGroup).toBeUndefined();
  });

  it('reads every field of the spec that changes a launch', () => {
    const fields = {
      capacityReservationSelectorTerms: [{ id: 'cr-1' }, { ownerID: '1', tags: { a: 'b' } }],
      placementGroupSelector: { name: 'a' },
      networkInterfaces: [{ networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' }],
      connectionTracking: { udpTimeout: 30, udpStreamTimeout: 60, tcpEstablishedTimeout: 90 },
      cpuOptions: { nestedVirtualization: 'enabled' },
      ipPrefixCount: 2,
      context: 'c',
    };

    expect(aWrittenNodeClass(fields).spec).toMatchObject(fields);
    expect(aWrittenNodeClass({ networkInterfaces: [] }).spec.networkInterfaces).toEqual([]);
    expect(aWrittenNodeClass().spec).not.toHaveProperty('networkInterfaces');
  });

  it('leaves a kubelet setting of the wrong type to validation, and tells expressions apart', () => {
    const kubelet = {
      maxPods: 'vcpus',
      podsPerCore: 'x',
      kubeReserved: { cpu: {}, memory: '1Gi' },
    };

    expect(aWrittenNodeClass({ kubelet })).toMatchObject({
      spec: { kubelet: { maxPodsExpression: 'vcpus', kubeReserved: { memory: '1Gi' } } },
      wire: { kubelet },
    });
    expect(aWrittenNodeClass({ kubelet }).spec.kubelet).not.toHaveProperty('podsPerCore');
  });
});
