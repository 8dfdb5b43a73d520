import { describe, expect, it } from 'vitest';
import { nodeClassHash } from '#lib/ec2/node-class/node-class-hash.ts';
import { aNodeClass } from '#test/build/node-pools.ts';

const hashOf = (wire: Record<string, unknown>, { amiFamily = '', clusterCa = 'Q0E=' } = {}) => {
  const spec = amiFamily === '' ? {} : { amiFamily };
  return nodeClassHash(aNodeClass({ spec, wire }), { clusterCa });
};

const plain = {
  role: 'nodes',
  tags: { a: '1' },
  blockDeviceMappings: [{ deviceName: 'a' }, { deviceName: 'b' }],
};

describe('nodeClassHash', () => {
  it.each([
    [
      'another order of keys',
      { tags: plain.tags, blockDeviceMappings: plain.blockDeviceMappings, role: 'nodes' },
    ],
    [
      'another order of disks',
      { ...plain, blockDeviceMappings: plain.blockDeviceMappings.toReversed() },
    ],
    [
      'a field set to nothing',
      { ...plain, detailedMonitoring: false, userData: '', networkInterfaces: [] },
    ],
    ['another subnet selector', { ...plain, subnetSelectorTerms: [{ id: 'subnet-1' }] }],
    ['another image selector', { ...plain, amiSelectorTerms: [{ id: 'ami-1' }] }],
    ['prefixes, as upstream', { ...plain, ipPrefixCount: 2 }],
  ])('does not change by %s', (_what, wire) => {
    expect(hashOf(wire)).toBe(hashOf(plain));
  });

  it.each([
    ['a tag', { ...plain, tags: { a: '2' } }],
    ['the role', { ...plain, role: 'other' }],
    ['user data', { ...plain, userData: 'echo' }],
    ['any kubelet setting', { ...plain, kubelet: { maxPods: 0 } }],
  ])('changes by %s', (_what, wire) => {
    expect(hashOf(wire)).not.toBe(hashOf(plain));
  });

  it('counts the family that is meant, not the field that says so', () => {
    expect(hashOf(plain, { amiFamily: 'AL2023' })).toBe(hashOf(plain));
    expect(hashOf(plain, { amiFamily: 'Custom' })).not.toBe(hashOf(plain));
  });

  it("changes with the cluster's CA, which every node was given", () => {
    expect(hashOf(plain, { clusterCa: 'bmV3' })).not.toBe(hashOf(plain));
  });
});
