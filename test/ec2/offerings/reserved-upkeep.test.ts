import { describe, expect, it } from 'vitest';
import { reservedUpkeep } from '#lib/ec2/offerings/reserved-upkeep.ts';
import type { Instance } from '#lib/model/instance.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { anInstance } from '#test/build/instances.ts';
import { aNodeClaim } from '#test/build/node-claims.ts';
import { aNodeClass } from '#test/build/node-pools.ts';
import { aNode, aStateNode } from '#test/build/nodes.ts';
import { NOON } from '#test/build/objects.ts';
import { aReservation } from '#test/build/reserved.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

const RESERVED = {
  'karpenter.sh/capacity-type': 'reserved',
  'karpenter.k8s.aws/capacity-reservation-id': 'cr-1',
  'karpenter.k8s.aws/capacity-reservation-type': 'default',
};

/** A node that was bought from cr-1, as its Node and its NodeClaim say. */
function aReserved(
  difference: { claim?: object; node?: object; deletedAt?: number } = {},
): StateNode {
  const { deletedAt } = difference;
  const node = aNode({ meta: { labels: { ...RESERVED, ...difference.node } } });
  const labels = { ...RESERVED, ...difference.claim };
  const claim = aNodeClaim({
    meta: { labels, ...(deletedAt !== undefined && { deletedAt }) },
    status: { providerId: node.providerId ?? '' },
  });
  return aStateNode({ node, claim });
}

const theInstance = (capacityType: Instance['capacityType']): Instance =>
  anInstance({ id: 'i-0123456789abcdef0', capacityType });

const upkeep = (difference: Partial<Snapshot>) =>
  reservedUpkeep(aSnapshot({ instances: [theInstance('on-demand')], ...difference })).map(
    (action) =>
      'object' in action ? `${action.kind} ${action.object.kind} ${action.object.name}` : '',
  );

describe('128: an instance that EC2 no longer counts to its reservation', () => {
  it('is labelled as bought on demand, on NodeClaim and Node, and of no reservation', () => {
    const actions = reservedUpkeep(
      aSnapshot({ nodes: [aReserved()], instances: [theInstance('on-demand')] }),
    );

    expect(actions).toHaveLength(2);
    expect(actions).toMatchObject(
      ['NodeClaim', 'Node'].map((kind) => ({
        kind: 'update',
        object: { kind },
        meta: {
          labels: {
            'karpenter.sh/capacity-type': 'on-demand',
            'karpenter.k8s.aws/capacity-reservation-id': null,
            'karpenter.k8s.aws/capacity-reservation-type': null,
            'karpenter.k8s.aws/capacity-reservation-interruptible': null,
          },
        },
      })),
    );
  });

  it('is labelled on the Node alone where its NodeClaim was before', () => {
    const claim = { 'karpenter.sh/capacity-type': 'on-demand' };

    expect(upkeep({ nodes: [aReserved({ claim })] })).toEqual(['update Node node-1']);
  });

  it('is labelled on the NodeClaim alone before its Node is registered', () => {
    const node = { 'karpenter.sh/registered': 'false' };

    expect(upkeep({ nodes: [aReserved({ node })] })).toHaveLength(1);
  });

  it.each([
    ['EC2 says that it is reserved', { instances: [theInstance('reserved')] }],
    ['EC2 was not asked', { instances: [] }],
    ['it is being deleted', { nodes: [aReserved({ deletedAt: NOON })] }],
  ])('is left alone where %s', (_why, difference) => {
    expect(upkeep({ nodes: [aReserved()], ...difference })).toEqual([]);
  });

  it('never becomes reserved', () => {
    const own = { 'karpenter.sh/capacity-type': 'on-demand' };
    const nodes = [aReserved({ claim: own, node: own })];

    expect(upkeep({ nodes, instances: [theInstance('reserved')] })).toEqual([]);
  });
});

describe('129: a reservation that ends', () => {
  const ofReservation = (difference: Parameters<typeof aReservation>[0]) =>
    upkeep({
      nodes: [aReserved()],
      instances: [],
      nodeClasses: [aNodeClass({ status: { capacityReservations: [aReservation(difference)] } })],
    });

  it('lets the nodes of a capacity block go before EC2 takes them', () => {
    expect(ofReservation({ reservationType: 'capacity-block', state: 'expiring' })).toEqual([
      expect.stringMatching(/^delete NodeClaim /),
    ]);
    expect(ofReservation({ reservationType: 'capacity-block' })).toEqual([]);
  });

  it('keeps the nodes of any other kind', () => {
    expect(ofReservation({ state: 'expiring' })).toEqual([]);
  });
});
