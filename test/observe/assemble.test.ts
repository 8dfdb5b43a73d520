import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeObjects } from '#lib/kube/decode.ts';
import { assemble } from '#lib/observe/assemble.ts';
import { joinNodes } from '#lib/observe/join-nodes.ts';
import { aNodeClaim } from '#test/build/node-claims.ts';
import { aNode } from '#test/build/nodes.ts';
import { aPod } from '#test/build/pods.ts';
import { someSettings } from '#test/build/snapshots.ts';
import { aWireNodePool, aWirePod } from '#test/build/wire-objects.ts';

const instance = (id: string) => `aws:///us-east-1a/${id}`;
const claim = (name: string, providerId?: string) =>
  aNodeClaim({ meta: { name, uid: name }, status: providerId === undefined ? {} : { providerId } });
const { providerId: _none, ...unlaunchedStatus } = claim('x').status;
const unlaunched = (name: string) => ({ ...claim(name), status: unlaunchedStatus });

describe('joinNodes', () => {
  it('joins a Node and its NodeClaim on the provider id, whatever their names', () => {
    const node = aNode({ meta: { name: 'ip-1' }, providerId: instance('i-1') });
    const { nodes } = joinNodes([node], [claim('default-a', instance('i-1'))], []);

    expect(nodes).toMatchObject([{ name: 'ip-1', claim: { meta: { name: 'default-a' } } }]);
  });

  it('keeps what has only one half, by name', () => {
    const stranger = aNode({ meta: { name: 'b' }, providerId: instance('i-9') });
    const { nodes } = joinNodes([stranger], [unlaunched('c'), claim('a', instance('i-2'))], []);

    expect(nodes.map(({ name, node }) => [name, node !== undefined])).toEqual([
      ['a', false],
      ['b', true],
      ['c', false],
    ]);
  });

  it('gives a NodeClaim to one Node only, when two bear its provider id', () => {
    const twins = ['b', 'a'].map((name) => aNode({ meta: { name }, providerId: instance('i-1') }));
    const { nodes } = joinNodes(twins, [claim('default-a', instance('i-1'))], []);

    expect(nodes.map(({ name, claim: its }) => [name, its?.meta.name])).toEqual([
      ['a', 'default-a'],
      ['b', undefined],
    ]);
  });

  it('puts bound pods under their node, and the others aside', () => {
    const pods = [aPod({ meta: { name: 'b' } }), aPod({ meta: { name: 'a' }, nodeName: 'node-1' })];
    const joined = joinNodes([aNode()], [], pods);

    expect(joined.nodes[0]?.pods.map(({ meta }) => meta.name)).toEqual(['a']);
    expect(joined.pods.map(({ meta }) => meta.name)).toEqual(['b']);
  });
});

describe('assemble', () => {
  const catalog = {
    region: 'us-east-1',
    pricedAt: '2026-11-01',
    spotPricesAreEstimates: true,
    byNodeClass: new Map(),
  };
  const facts = {
    takenAt: 0,
    settings: someSettings(),
    catalog,
    soldOut: [],
    leftOut: [],
    nodeClassFacts: [],
  };

  it('gives the same bytes in whatever order things were read', () => {
    const names = ['a', 'b', 'c', 'd'];
    const objects = names.flatMap((name) =>
      [
        aWirePod({ metadata: { name }, spec: name < 'c' ? { nodeName: 'n' } : {} }),
        aWireNodePool({ metadata: { name } }),
        { ...aWirePod({ metadata: { name } }), kind: 'Service', spec: {} },
        {
          ...aWirePod({ metadata: { name } }),
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          spec: {},
        },
        {
          apiVersion: 'v1',
          kind: 'Node',
          metadata: { name: 'n', uid: name, creationTimestamp: '2026-11-20T11:00:00Z' },
        },
      ].slice(0, name === 'a' ? 5 : 4),
    );
    const expected = JSON.stringify(assemble(decodeObjects(objects).objects, facts));

    fc.assert(
      fc.property(fc.shuffledSubarray(objects, { minLength: objects.length }), (shuffled) => {
        expect(JSON.stringify(assemble(decodeObjects(shuffled).objects, facts))).toBe(expected);
      }),
      { numRuns: 50 },
    );
  });
});
