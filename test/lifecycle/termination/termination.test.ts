import { describe, expect, it } from 'vitest';
import { decideProvision } from '#lib/decide/provision.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { taint } from '#test/build/constraints.ts';
import { anInstance } from '#test/build/instances.ts';
import { aSettledSnapshot, wantedOf } from '#test/build/lives.ts';
import { aNodeClaim } from '#test/build/node-claims.ts';
import { aNodeClass, aNodePool } from '#test/build/node-pools.ts';
import { aNode, anInFlightNode, anUnmanagedNode, aStateNode } from '#test/build/nodes.ts';
import { MINUTE, NOON } from '#test/build/objects.ts';

const leftOut = (kind: string, name: string): Snapshot['leftOut'] => [
  { object: { apiVersion: 'v1', kind, name }, field: 'spec', problem: 'is no object' },
];
const deletedAt = NOON - MINUTE;
const foreign = { group: 'example.com', kind: 'OtherClass', name: 'default' };

describe('what could not be read', () => {
  const claim = aNodeClaim({ meta: { deletedAt } });
  const nodes = [anInFlightNode(claim)];

  it('keeps the instance of a NodeClaim whose Node is there, so that its pods are asked first', () => {
    const { nodeName = '' } = claim.status;
    const seen = (unread: Snapshot['leftOut']) =>
      wantedOf(
        aSettledSnapshot({ nodes, instances: [anInstance()], leftOut: unread }),
        claim.meta.name,
      ).kinds;

    expect(nodeName).not.toBe('');
    expect(seen(leftOut('Node', nodeName))).not.toContain('terminateInstance');
    expect(seen(leftOut('Node', 'another'))).toContain('terminateInstance');
  });

  it('keeps a NodeClaim whose Node may be Ready, though its instance is not listed', () => {
    const living = aNodeClaim();
    const seen = (unread: Snapshot['leftOut']) =>
      wantedOf(
        aSettledSnapshot({ nodes: [anInFlightNode(living)], instances: [], leftOut: unread }),
        living.meta.name,
      ).kinds;

    expect(seen(leftOut('Node', living.status.nodeName ?? ''))).not.toContain('delete');
    expect(seen([])).toContain('delete');
  });

  it('keeps a Node that goes with its NodeClaim', () => {
    const owners = [
      {
        apiVersion: 'karpenter.sh/v1',
        kind: 'NodeClaim',
        name: 'claim-1',
        uid: 'u',
        controller: false,
      },
    ];
    const node = aNode({ meta: { deletedAt, owners } });
    const seen = (unread: Snapshot['leftOut']) =>
      wantedOf(
        aSettledSnapshot({ nodes: [anUnmanagedNode(node)], leftOut: unread }),
        node.meta.name,
      ).kinds;

    expect(seen(leftOut('NodeClaim', 'claim-1'))).toEqual([]);
    expect(seen([])).toContain('update');
  });

  it('keeps an EC2NodeClass that it may refer to', () => {
    const nodeClass = aNodeClass({
      meta: { deletedAt, finalizers: ['karpenter.k8s.aws/termination'] },
    });
    const seen = (unread: Snapshot['leftOut']) =>
      wantedOf(
        aSettledSnapshot({
          nodes: [],
          nodeClasses: [nodeClass],
          leftOut: unread,
          nodeClassRemains: [
            {
              nodeClass: nodeClass.meta.name,
              leftBehind: { instanceProfiles: [], launchTemplates: [] },
            },
          ],
        }),
        nodeClass.meta.name,
      );

    expect(seen(leftOut('NodeClaim', 'claim-1')).events).toEqual([
      'WaitingOnNodeClaimTermination: Waiting on NodeClaim termination for claim-1',
    ]);
    expect(seen([]).update?.meta).toEqual({ finalizers: [] });
  });
});

describe('a NodeClaim of a foreign NodeClass', () => {
  it('is not deleted when its Node is', () => {
    const seen = (spec = {}) =>
      wantedOf(
        aSettledSnapshot({
          nodes: [
            aStateNode({ claim: aNodeClaim({ spec }), node: aNode({ meta: { deletedAt } }) }),
          ],
        }),
        'claim-1',
      ).kinds;

    expect(seen({ nodeClassRef: foreign })).toEqual([]);
    expect(seen()).toContain('delete');
  });

  it('keeps the taint that its own controller gave its Node', () => {
    const node = aNode({ taints: [taint('karpenter.sh/disrupted:NoSchedule')] });
    const given = (spec = {}) =>
      decideProvision(
        aSettledSnapshot({ nodes: [aStateNode({ claim: aNodeClaim({ spec }), node })] }),
      ).actions.filter((action) => action.kind === 'update' && action.object.kind === 'Node');

    expect(given({ nodeClassRef: foreign })).toEqual([]);
    expect(given()).toHaveLength(1);
  });
});

describe('a NodePool of a foreign NodeClass', () => {
  it('is left to its own controller', () => {
    const nodePool = aNodePool({ template: { nodeClassRef: foreign } });
    const snapshot = aSettledSnapshot({ nodes: [], nodePools: [nodePool] });

    expect(wantedOf(snapshot, nodePool.meta.name).kinds).toEqual([]);
  });
});
