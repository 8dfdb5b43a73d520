import { describe, expect, it } from 'vitest';
import { taggingActions } from '#lib/lifecycle/launch/instance-tagging.ts';
import { surroundingsOf } from '#lib/lifecycle/surroundings.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { anInstance } from '#test/build/instances.ts';
import { aNewClaim, aNodeClaim } from '#test/build/node-claims.ts';
import { anInFlightNode } from '#test/build/nodes.ts';
import { aSnapshot, someSettings } from '#test/build/snapshots.ts';

const ID = 'i-0123456789abcdef0';
const claim = (difference: Parameters<typeof aNodeClaim>[0] = {}) =>
  aNodeClaim({
    ...difference,
    status: { nodeName: 'node-1', providerId: `aws:///us-east-1a/${ID}`, ...difference.status },
  });
const tagged = (claims = [claim()], difference: Partial<Snapshot> = {}) =>
  taggingActions(
    surroundingsOf(
      aSnapshot({
        settings: someSettings({ tagsNodes: true }),
        nodes: claims.map(anInFlightNode),
        instances: [anInstance({ id: ID, tags: {} })],
        ...difference,
      }),
    ),
  );
const ALL = {
  Name: 'node-1',
  'karpenter.sh/nodeclaim': 'claim-1',
  'eks:eks-cluster-name': 'test',
};
const DONE = {
  'karpenter.k8s.aws/tagged': 'true',
  'compatibility.karpenter.k8s.aws/cluster-name-tagged': 'true',
};

describe('131: tagging an instance after its Node', () => {
  it('adds what it lacks, then says so on the NodeClaim', () => {
    expect(tagged()).toMatchObject([
      { kind: 'tagInstance', instanceId: ID, tags: ALL },
      { kind: 'update', meta: { annotations: DONE } },
    ]);
  });

  it('leaves what is there as it is', () => {
    const instances = [anInstance({ id: ID, tags: { Name: 'mine' } })];
    const { Name: _, ...others } = ALL;

    expect(tagged([claim()], { instances })[0]).toMatchObject({ tags: others });
  });

  it('only says so where nothing is missing', () => {
    const instances = [anInstance({ id: ID, tags: { ...ALL, Name: 'mine' } })];

    expect(tagged([claim()], { instances }).map(({ kind }) => kind)).toEqual(['update']);
  });

  it.each([
    ['has no Node yet', aNewClaim({ status: { providerId: `aws:///us-east-1a/${ID}` } })],
    ['is being deleted', claim({ meta: { deletedAt: 1 } })],
    ['is tagged', claim({ meta: { annotations: DONE } })],
    ['EC2 lists no instance of', claim({ status: { providerId: 'aws:///us-east-1a/i-other' } })],
    ['names its instance in a way that nobody can read', claim({ status: { providerId: 'odd' } })],
  ])('passes over a NodeClaim that %s', (_what, one) => {
    expect(tagged([one])).toEqual([]);
  });

  it('is done where the cluster wants it only', () => {
    expect(tagged([claim()], { settings: someSettings() })).toEqual([]);
  });
});
