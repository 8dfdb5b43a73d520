import { describe, expect, it } from 'vitest';
import { nodePoolHash } from '#lib/model/node-pool-hash.ts';

const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
const gpu = { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' };
const x = { key: 'x', effect: 'NoExecute' };

const hashOf = (spec: object = {}, metadata: object = {}): string =>
  nodePoolHash({
    wireTemplate: { metadata, spec: { nodeClassRef, expireAfter: '720h', ...spec } },
  });

describe('nodePoolHash', () => {
  // The numbers were made by Karpenter's own hashing library.
  it.each([
    ['6821555240594823858', 'a bare template', hashOf()],
    ['17369979337536258260', 'nodes that never expire', hashOf({ expireAfter: 'Never' })],
    ['15640125381500602090', 'nodes that expire at once', hashOf({ expireAfter: '0s' })],
    ['1617844334411263980', 'a label', hashOf({}, { labels: { team: 'a' } })],
    ['14252226014800573201', 'two labels', hashOf({}, { labels: { team: 'a', env: 'prod' } })],
    [
      '14252226014800573201',
      'them turned round',
      hashOf({}, { labels: { env: 'prod', team: 'a' } }),
    ],
    ['13079033683462012220', 'an annotation', hashOf({}, { annotations: { team: 'a' } })],
    ['13579916569126205748', 'a taint', hashOf({ taints: [gpu] })],
    ['411448575382676992', 'two taints', hashOf({ taints: [gpu, x] })],
    ['411448575382676992', 'them turned round', hashOf({ taints: [x, gpu] })],
    ['10086292261070021787', 'a startup taint', hashOf({ startupTaints: [gpu] })],
    ['15015733878877233177', 'a grace period', hashOf({ terminationGracePeriod: '48h' })],
    ['10356118934572431967', 'no grace', hashOf({ terminationGracePeriod: '0s' })],
    ['1287117484082965808', 'empty labels', hashOf({}, { labels: {} })],
    ['17700736223175069915', 'empty taints', hashOf({ taints: [] })],
    ['17700736223175069915', 'a taint twice', hashOf({ taints: [gpu, gpu] })],
  ])('92: is Karpenter’s %s for %s', (expected, _what, hash) => {
    expect(hash).toBe(expected);
  });

  it('takes the default of a field that only the API server would fill in', () => {
    expect(nodePoolHash({ wireTemplate: { spec: { nodeClassRef } } })).toBe(hashOf());
  });

  it('does not look at requirements, which drift node by node', () => {
    expect(hashOf({ requirements: [{ key: 'a', operator: 'Exists' }] })).toBe(hashOf());
  });

  it('is the same however a duration is spelled', () => {
    expect(hashOf({ expireAfter: '43200m' })).toBe(hashOf());
    expect(hashOf({ terminationGracePeriod: '2880m' })).toBe(
      hashOf({ terminationGracePeriod: '48h0m0s' }),
    );
  });
});
