import { describe, expect, it } from 'vitest';
import { accountGarbage } from '#lib/lifecycle/health/account-garbage.ts';
import { surroundingsOf } from '#lib/lifecycle/surroundings.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { anInstance } from '#test/build/instances.ts';
import { aNewClaim, aNodeClaim } from '#test/build/node-claims.ts';
import { aNode, anInFlightNode } from '#test/build/nodes.ts';
import { HOUR, MINUTE, NOON } from '#test/build/objects.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

const found = (difference: Partial<Snapshot>) =>
  accountGarbage(surroundingsOf(aSnapshot(difference)));

const aged = (ageMs: number, difference: Parameters<typeof anInstance>[0] = {}) =>
  anInstance({ id: 'i-1', launchedAt: NOON - ageMs, ...difference });

const holder = (id: string) => aNodeClaim({ status: { providerId: `aws:///us-east-1a/${id}` } });

describe('an instance that no NodeClaim holds', () => {
  it('23: is ended, its Node with it, once no call can still be on its way', () => {
    const node = aNode({ meta: { name: 'node-1' }, providerId: 'aws:///us-east-1a/i-1' });
    const nodes = [{ name: 'node-1', node, pods: [] }];

    expect(found({ instances: [aged(2 * MINUTE)], nodes })).toMatchObject([
      { kind: 'terminateInstance', instanceId: 'i-1' },
      { kind: 'delete', object: { name: 'node-1' } },
    ]);
    expect(found({ instances: [aged(MINUTE)], nodes })).toEqual([]);
  });

  it('23: stays where a NodeClaim does hold it', () => {
    const nodes = [anInFlightNode(holder('i-1'))];

    expect(found({ instances: [aged(HOUR)], nodes })).toEqual([]);
  });

  it('stays while a NodeClaim of its launch group may yet get it', () => {
    const tags = { 'joinery.dev/launch-group': 'g' };
    const waiting = aNewClaim({ meta: { annotations: { 'joinery.dev/launch-group': 'g/2' } } });

    expect(found({ instances: [aged(HOUR, { tags })], nodes: [anInFlightNode(waiting)] })).toEqual(
      [],
    );
    expect(found({ instances: [aged(HOUR, { tags })] })).toHaveLength(1);
  });

  it('goes although others of its launch group, which have theirs, are still there', () => {
    const tags = { 'joinery.dev/launch-group': 'g' };
    const other = aNodeClaim({
      meta: { annotations: { 'joinery.dev/launch-group': 'g/2' } },
      status: { providerId: 'aws:///us-east-1a/i-2' },
    });

    expect(found({ instances: [aged(HOUR, { tags })], nodes: [anInFlightNode(other)] })).toEqual([
      { kind: 'terminateInstance', instanceId: 'i-1' },
    ]);
  });

  it('stays where it is ending already, where a NodeClaim could not be read, or EC2 was not asked', () => {
    const unread = {
      object: { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name: 'c' },
      field: 'spec',
      problem: 'odd',
    };

    expect(found({ instances: [aged(HOUR, { state: 'shutting-down' })] })).toEqual([]);
    expect(found({ instances: [aged(HOUR)], leftOut: [unread] })).toEqual([]);
    expect(found({})).toEqual([]);
  });
});

describe('a launch template', () => {
  const template = (id: string, ageMs: number) => ({ id, name: id, createdAt: NOON - ageMs });

  it('goes an hour after it was made where no instance was launched with it', () => {
    const instances = [aged(HOUR, { tags: { 'aws:ec2launchtemplate:id': 'lt-used' } })];
    const launchTemplates = [
      template('lt-new', HOUR / 2),
      template('lt-old', HOUR),
      template('lt-used', 2 * HOUR),
    ];

    expect(found({ instances, launchTemplates, nodes: [anInFlightNode(holder('i-1'))] })).toEqual([
      { kind: 'deleteLaunchTemplate', name: 'lt-old', because: 'no instance was launched with it' },
    ]);
  });

  it('stays where EC2 did not say what runs', () => {
    expect(found({ launchTemplates: [template('lt-old', HOUR)] })).toEqual([]);
  });
});
