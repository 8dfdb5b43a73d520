import { describe, expect, it } from 'vitest';
import { anInstance } from '#test/build/instances.ts';
import { aSettledSnapshot, wantedOf } from '#test/build/lives.ts';
import { aNodeClaim } from '#test/build/node-claims.ts';
import { aNode, anInFlightNode, aStateNode } from '#test/build/nodes.ts';
import { HOUR, NOON } from '#test/build/objects.ts';

const owner = (uid: string) => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  name: 'whoever',
  uid,
  controller: false,
});
const one = (difference = {}) => aNodeClaim({ meta: { name: 'one', uid: 'one', ...difference } });
const two = (difference = {}) => aNodeClaim({ meta: { name: 'two', uid: 'two', ...difference } });
/** Both hold the instance of node-1, which stands with the first of them by name. */
const both = (claims: readonly ReturnType<typeof one>[], owners: readonly string[] = []) => {
  const [first = one(), ...others] = claims;
  const node = aNode({ meta: { owners: owners.map(owner) } });
  return aSettledSnapshot({
    nodes: [aStateNode({ node, claim: first }), ...others.map(anInFlightNode)],
    instances: [anInstance()],
  });
};

describe('two NodeClaims that hold one instance', () => {
  it('become one: that stays which the Node names, and the other is told so', () => {
    const snapshot = both([one(), two()], ['two']);

    expect(wantedOf(snapshot, 'two').kinds).not.toContain('delete');
    expect(wantedOf(snapshot, 'one')).toMatchObject({
      kinds: ['delete'],
      events: [expect.stringMatching(/^InstanceHeldTwice: two has the instance i-0123/)],
    });
  });

  it('become one where no Node is: the older stays', () => {
    const snapshot = both([one(), two({ createdAt: NOON - 5 * HOUR })]);

    expect(wantedOf(snapshot, 'one').kinds).toContain('delete');
    expect(wantedOf(snapshot, 'two').kinds).not.toContain('delete');
  });

  it('part without harm: who goes takes neither the Node nor the instance along', () => {
    const snapshot = both([one({ deletedAt: NOON }), two()], ['one']);
    const { kinds, update } = wantedOf(snapshot, 'one');

    expect(kinds).toEqual(['update']);
    expect(update?.meta.finalizers).toEqual([]);
    expect(wantedOf(snapshot, 'node-1').kinds).not.toContain('delete');
    expect(wantedOf(snapshot, 'two').kinds).not.toContain('delete');
  });

  it('end the node once both are deleted', () => {
    const snapshot = both([one({ deletedAt: NOON }), two({ deletedAt: NOON })]);

    expect(wantedOf(snapshot, 'node-1').kinds).toContain('update');
    expect(wantedOf(snapshot, 'node-1').update?.taints).toMatchObject([
      { key: 'karpenter.sh/disrupted' },
    ]);
  });
});
