import { describe, expect, it } from 'vitest';
import { aStack } from '#test/build/embedded-stack.ts';

const startsOf = (bench: ReturnType<typeof aStack>, name: string): number =>
  bench.journal.entries.filter(
    ({ fields, text }) => fields?.functionName === name && text.includes(' starts '),
  ).length;

describe('schedules', () => {
  it('wake provision and consolidate each minute, drift every five', async () => {
    const bench = aStack();
    await bench.pass(3_600_000);

    expect(startsOf(bench, 'provision')).toBe(60);
    expect(startsOf(bench, 'consolidate')).toBe(60);
    expect(startsOf(bench, 'drift')).toBe(12);
  });

  it('cost no real time worth naming: an idle hour is over in under a second', async () => {
    const bench = aStack({
      provision: async ({ kube }) => {
        for (let call = 0; call < 10; call += 1) {
          await kube({ method: 'GET', path: '/api/v1/nodes' });
        }
      },
    });
    await bench.pass(3_600_000);

    expect(bench.kubeCalls).toHaveLength(600);
  });
});

describe('rules', () => {
  it('carry what EC2 announces to interrupt', async () => {
    const heard: unknown[] = [];
    const bench = aStack({
      interrupt: async (_ports, event) => {
        for (const { body } of (event as { Records: { body: string }[] }).Records) {
          heard.push(JSON.parse(body));
        }
      },
      provision: async ({ aws }, event) => {
        if (JSON.stringify(event) !== '{}') return;
        await aws('CreateLaunchTemplate', {
          LaunchTemplateName: 'nodes',
          LaunchTemplateData: { ImageId: String(await newest(aws)) },
        });
        await aws('CreateFleet', {
          Type: 'instant',
          TargetCapacitySpecification: {
            TotalTargetCapacity: 1,
            DefaultTargetCapacityType: 'spot',
          },
          LaunchTemplateConfigs: [
            {
              LaunchTemplateSpecification: { LaunchTemplateName: 'nodes', Version: '$Latest' },
              Overrides: [{ InstanceType: 'm5.large', SubnetId: 'subnet-0use1az1' }],
            },
          ],
        });
      },
    });
    void bench.functions.provision.invoke({}, 'a test');
    await bench.pass(30_000);
    const id = bench.aws.machines()[0]?.id ?? '';
    bench.aws.reclaim(id);
    await bench.pass(5_000);

    expect(JSON.stringify(heard)).not.toContain('"state":"running"');
    expect(heard).toContainEqual(
      expect.objectContaining({
        version: '0',
        source: 'aws.ec2',
        'detail-type': 'EC2 Spot Instance Interruption Warning',
        detail: { 'instance-id': id, 'instance-action': 'terminate' },
      }),
    );
  });
});

const newest = async (aws: (name: string, input: unknown) => Promise<unknown>) =>
  (
    (await aws('GetParameter', {
      Name: '/aws/service/eks/optimized-ami/1.33/amazon-linux-2023/x86_64/standard/recommended/image_id',
    })) as { Parameter: { Value: string } }
  ).Parameter.Value;
