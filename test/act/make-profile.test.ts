import { describe, expect, it } from 'vitest';
import { decodeNodeClass } from '#lib/kube/decode/decode-node-class.ts';
import { conditionOf } from '#lib/model/conditions.ts';
import { nodeClassRef } from '#lib/model/object-ref.ts';
import { anActingBench } from '#test/build/acting.ts';
import { aNodeClassSpec } from '#test/build/node-class-facts.ts';

describe('an instance profile that cannot be made', () => {
  it.each([
    ['NoSuchEntityException', 'retry', 'False RoleNotFound'],
    ['AccessDenied', 'failed', 'False InstanceProfileNotMade'],
    ['Throttling', 'retry', 'undefined undefined'],
  ])('is told in its EC2NodeClass: %s', async (code, result, expected) => {
    const bench = anActingBench();
    bench.api.cluster.apply({
      apiVersion: 'karpenter.k8s.aws/v1',
      kind: 'EC2NodeClass',
      metadata: { name: 'default' },
      spec: aNodeClassSpec(),
    });
    const stored = () => decodeNodeClass(bench.api.cluster.get('EC2NodeClass', '', 'default'));
    const wanted = { profile: 'test_x', path: '/karpenter/', role: 'gone', tags: {} };
    const ensure = () => {
      bench.account.aws.failNext({ name: 'AddRoleToInstanceProfile', code, times: 1 });
      const nodeClass = nodeClassRef(stored());
      return bench.act([{ kind: 'ensureInstanceProfile', nodeClass, ...wanted }]);
    };

    expect(await ensure()).toMatchObject([{ result }]);
    const { meta, status } = stored();
    const told = conditionOf(status.conditions, 'InstanceProfileReady');
    expect(`${told?.status} ${told?.reason}`).toBe(expected);
    await ensure();
    expect(stored().meta.resourceVersion).toBe(meta.resourceVersion);
  });
});
