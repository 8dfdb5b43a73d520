import { describe, expect, it } from 'vitest';
import { typedCall } from '#lib/aws/calls/call.ts';
import { nodeClassRemains } from '#lib/aws/node-class-remains.ts';
import { aNodeClass } from '#test/build/node-pools.ts';
import { someSettings } from '#test/build/snapshots.ts';

/** What is found, and what was asked for it. */
async function remains(settings: Parameters<typeof someSettings>[0] = {}) {
  const asked: string[] = [];
  const call = typedCall(async (name) => {
    asked.push(name);
    return name === 'ListInstanceProfiles'
      ? { InstanceProfiles: [{ InstanceProfileName: 'p', Roles: [] }] }
      : { LaunchTemplates: [{ LaunchTemplateName: 'b' }, { LaunchTemplateName: 'a' }] };
  });
  return { found: await nodeClassRemains(call, aNodeClass(), someSettings(settings)), asked };
}

describe('nodeClassRemains', () => {
  it('finds the instance profiles and launch templates that are only there for a NodeClass', async () => {
    const { found, asked } = await remains();

    expect(found).toMatchObject({
      nodeClass: 'default',
      leftBehind: { instanceProfiles: [{ name: 'p' }], launchTemplates: ['a', 'b'] },
    });
    expect(asked.sort()).toEqual(['DescribeLaunchTemplates', 'ListInstanceProfiles']);
  });

  it('65: asks IAM for nothing inside a VPC that reaches nothing else', async () => {
    const { found, asked } = await remains({ isolatedVpc: true });

    expect(found).toMatchObject({
      leftBehind: { instanceProfiles: [], launchTemplates: ['a', 'b'] },
    });
    expect(asked).toEqual(['DescribeLaunchTemplates']);
  });
});
