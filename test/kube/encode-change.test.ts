import { describe, expect, it } from 'vitest';
import { decodeNodeClaim } from '#lib/kube/decode/decode-node-claim.ts';
import { decodeNodeClass } from '#lib/kube/decode/decode-node-class.ts';
import { encodeChange, encodeStatus } from '#lib/kube/encode-change.ts';
import { encodeNodeClaim } from '#lib/kube/encode-node-claim.ts';
import { aNodeClaim } from '#test/build/node-claims.ts';
import { aCondition, aNodeClass } from '#test/build/node-pools.ts';
import { NOON } from '#test/build/objects.ts';
import { wireMeta } from '#test/build/wire-objects.ts';

describe('encodeStatus', () => {
  it('writes the status of an EC2NodeClass as it is read again', () => {
    const { status } = aNodeClass({
      status: {
        subnets: [{ id: 'subnet-1', zone: 'us-east-1a', zoneId: 'use1-az1' }],
        securityGroups: [{ id: 'sg-1', name: 'nodes' }],
        amis: [
          {
            id: 'ami-1',
            name: 'al2023',
            deprecated: true,
            requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }],
          },
        ],
        instanceProfile: 'demo_123',
        conditions: [aCondition('Ready', { observedGeneration: 3 })],
      },
    });
    const object = { metadata: wireMeta('default'), spec: {}, status: encodeStatus(status) };

    expect(decodeNodeClass(object).status).toEqual(status);
  });

  it('writes the status of a NodeClaim as it is read again', () => {
    const { spec, status } = aNodeClaim({ status: { nodeName: 'n', lastPodEventAt: NOON } });
    const { providerId: _providerId, imageId: _imageId, ...changed } = status;
    const wireSpec = { nodeClassRef: spec.nodeClassRef };
    const object = { metadata: wireMeta('a'), spec: wireSpec, status: encodeStatus(changed) };

    expect(decodeNodeClaim(object).status).toEqual(changed);
  });

  it('names only what is given, so that a merge patch leaves the rest', () => {
    expect(encodeStatus({ nodes: 2 })).toEqual({ nodes: 2 });
  });

  it('writes a condition without a reason with its type for one, as the API demands some', () => {
    const conditions = [aCondition('Drifted', { reason: '' })];

    expect(encodeStatus({ conditions })).toMatchObject({ conditions: [{ reason: 'Drifted' }] });
  });
});

describe('encodeChange', () => {
  it('takes keys away with null, and replaces lists whole', () => {
    const change = { labels: { a: null, b: 'c' }, finalizers: [] };
    const taints = [{ key: 'k', value: '', effect: 'NoSchedule' } as const];

    expect(encodeChange(change, taints)).toEqual({
      metadata: { labels: { a: null, b: 'c' }, finalizers: [] },
      spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] },
    });
  });

  it('leaves taints alone where none are given', () => {
    expect(encodeChange({}, undefined)).toEqual({ metadata: {} });
  });
});

describe('encodeNodeClaim', () => {
  it('writes a NodeClaim as it is read again', () => {
    const { spec, meta } = aNodeClaim({
      spec: {
        taints: [{ key: 'k', value: 'v', effect: 'NoExecute' }],
        startupTaints: [{ key: 's', value: '', effect: 'NoSchedule' }],
        requests: { cpu: 1500, memory: 3 * 2 ** 30, pods: 4 },
        expireAfter: 'Never',
        terminationGraceMs: 5_400_000,
      },
    });
    const owner = { kind: 'NodePool', name: 'default', uid: 'uid-1' } as const;
    const { labels, annotations } = meta;
    const body = encodeNodeClaim({ name: 'a', labels, annotations, owner, spec });
    const stored = { ...body, metadata: { ...wireMeta('a'), ...(body.metadata as object) } };
    const read = decodeNodeClaim(stored);

    expect(read.spec).toEqual(spec);
    expect(read.meta).toMatchObject({
      labels,
      annotations,
      owners: [{ ...owner, controller: false }],
    });
  });
});
