import { describe, expect, it } from 'vitest';
import { ensureInstanceProfile } from '#lib/aws/instance-profile.ts';
import { inTime } from '#test/build/aws-callers.ts';
import { anAccount } from '#test/build/embedded-aws.ts';

describe('ensureInstanceProfile', () => {
  const wanted = { profile: 'demo_x', path: '/karpenter/', role: 'nodes', tags: { a: '1' } };

  it('finishes what was left half done, and then changes nothing', async () => {
    const bench = anAccount();
    bench.aws.failNext({ name: 'AddRoleToInstanceProfile', code: 'ServiceFailure', times: 1 });
    const ensure = () => inTime(bench, (call) => ensureInstanceProfile(call, wanted));

    await expect(ensure()).rejects.toThrow();
    await ensure();
    const before = bench.aws.calls();
    await ensure();

    expect(bench.aws.calls()).toEqual({
      ...before,
      GetInstanceProfile: (before.GetInstanceProfile ?? 0) + 1,
    });
  });
});
