import { describe, expect, it } from 'vitest';
import { nodeClassHash } from '#lib/ec2/node-class/node-class-hash.ts';
import { aNodeClass } from '#test/build/node-pools.ts';

const SPEC = { role: 'nodes', tags: { a: '1', b: '2' }, subnetSelectorTerms: [{ id: 'subnet-1' }] };

const hashOf = (
  wire: Record<string, unknown>,
  { amiFamily, clusterCa = 'Q0E=' }: { amiFamily?: string; clusterCa?: string } = {},
) =>
  nodeClassHash(aNodeClass({ spec: amiFamily === undefined ? {} : { amiFamily }, wire }), {
    clusterCa,
  });

describe('12.1 most discriminating: the hash', () => {
  it.each([
    ['the family of its alias named too', SPEC, { amiFamily: 'AL2023' }],
    ['tags in another order', { ...SPEC, tags: { b: '2', a: '1' } }, {}],
    ['another subnet selector', { ...SPEC, subnetSelectorTerms: [{ id: 'subnet-2' }] }, {}],
    ['another group selector', { ...SPEC, securityGroupSelectorTerms: [{ id: 'sg-2' }] }, {}],
    ['another image selector', { ...SPEC, amiSelectorTerms: [{ id: 'ami-2' }] }, {}],
    ['a reservation selector', { ...SPEC, capacityReservationSelectorTerms: [{ id: 'cr-2' }] }, {}],
  ])('22: stays the same with %s', (_what, wire, more) => {
    expect(hashOf(wire, more)).toBe(hashOf(SPEC));
  });

  it.each([
    ['another family', { amiFamily: 'Bottlerocket' }],
    ['another CA of the cluster', { clusterCa: 'T1RIRVI=' }],
  ])('22: is another with %s', (_what, more) => {
    expect(hashOf(SPEC, more)).not.toBe(hashOf(SPEC));
  });
});
