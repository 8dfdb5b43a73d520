import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type PlanLaunchArguments, planLaunchCommand } from '#lib/cli/plan-launch.ts';
import { RECORDED_LAUNCHES } from '#test/build/recorded-launches.ts';

const folder = mkdtempSync(join(tmpdir(), 'joinery-plan-launch-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(content));
  return path;
}

function recorded(id: string) {
  const found = RECORDED_LAUNCHES.find(([name]) => name === id)?.[1];
  if (found === undefined) throw new Error(`expected a recorded launch ${id}, found none`);
  return found;
}

const { nodeClass, nodeClaim, cluster } = recorded('od-single');
const claimFile = file('claim.json', nodeClaim);
const classFile = file('class.json', nodeClass);
const clusterFile = file('cluster.json', cluster);

async function run(args: Partial<PlanLaunchArguments> = {}) {
  const [out, err]: [string[], string[]] = [[], []];
  const status = await planLaunchCommand(
    { files: [claimFile, classFile], output: 'json', cluster: clusterFile, ...args },
    { out: (line) => out.push(line), err: (line) => err.push(line) },
  );
  return { status, out: out.join('\n'), err: err.join('\n') };
}

describe('joinery plan launch', () => {
  it('prints the requests in full, user data decoded beside the encoded one', async () => {
    const { status, out } = await run();
    const { launchTemplates, createFleet } = JSON.parse(out);
    const [{ LaunchTemplateName, LaunchTemplateData }] = launchTemplates;

    expect(status).toBe(0);
    expect(LaunchTemplateData).toMatchObject({
      ImageId: 'ami-0a12023000000x86',
      IamInstanceProfile: { Name: 'shop_profile' },
      userData: expect.stringContaining('apiServerEndpoint: https://0123456789ABCDEF'),
    });
    expect(Buffer.from(LaunchTemplateData.UserData, 'base64').toString()).toBe(
      LaunchTemplateData.userData,
    );
    expect(createFleet).toMatchObject({
      Type: 'instant',
      ClientToken: expect.stringMatching(/^\w+$/),
      LaunchTemplateConfigs: [{ LaunchTemplateSpecification: { LaunchTemplateName } }],
      TargetCapacitySpecification: { TotalTargetCapacity: 1 },
    });
    expect(createFleet.LaunchTemplateConfigs[0].Overrides).toHaveLength(3);
  });

  it('keeps interfaces from pods where it is told to', async () => {
    const maxPods = async (args: Partial<PlanLaunchArguments>) => {
      const [template] = JSON.parse((await run(args)).out).launchTemplates;
      return Number(/maxPods: (\d+)/.exec(template.LaunchTemplateData.userData)?.[1]);
    };

    expect(await maxPods({ reservedEnis: '1' })).toBeLessThan(await maxPods({}));
    expect(await run({ reservedEnis: 'one' })).toMatchObject({
      status: 2,
      err: '--reserved-enis one: expected a number such as 1',
    });
    expect((await run({ vmMemoryOverheadPercent: '7.5' })).status).toBe(2);
  });

  it('warns of a NodeClass whose instances would have no role', async () => {
    const { instanceProfile: _, ...status } = Object(nodeClass.status);
    const { status: exit, err } = await run({
      files: [claimFile, file('no-profile.json', { ...nodeClass, status })],
    });

    expect(exit).toBe(0);
    expect(err).toContain('warning: EC2NodeClass default has no instanceProfile in its status');
  });

  it('warns of what would keep the NodeClass from being ready', async () => {
    const spec = { ...Object(nodeClass.spec), kubelet: { evictionHard: { cpu: '5%' } } };
    const { status, err } = await run({
      files: [claimFile, file('eviction.json', { ...nodeClass, spec })],
    });

    expect(status).toBe(0);
    expect(err).toContain(
      'warning: EC2NodeClass default would not be ready: InvalidKubeletConfiguration: evictionHard',
    );
    expect((await run()).err).toBe('');
  });

  it('prints the same for the same files', async () => {
    expect(await run()).toEqual(await run());
  });

  it('tells a person what is bought, from where, and what the instance is told', async () => {
    const { out } = await run({ output: 'text' });

    expect(out).toContain('CreateFleet: 1 × on-demand');
    expect(out).toContain('m5.large in us-west-2a, subnet-0aaaaaaaa, 0.096 USD/h');
    expect(out).toContain('kind: NodeConfig');
  });

  it.each([
    ['no cluster is named', 2, { cluster: undefined }, 'name what is launched'],
    ['there is no such cluster file', 1, { cluster: join(folder, 'none') }, 'no such cluster file'],
    ['there is no NodeClaim', 1, { files: [classFile] }, 'expected a NodeClaim'],
    ['its NodeClass is missing', 1, { files: [claimFile] }, 'EC2NodeClass default'],
    [
      'an API server would refuse it',
      1,
      { files: [claimFile, file('tag.json', recorded('restricted-tag').nodeClass)] },
      'restricted tag',
    ],
    [
      'addresses and their family do not agree',
      1,
      { cluster: file('mixed.json', { ...cluster, ipFamily: 'ipv6' }) },
      'ipFamily is ipv6, but 172.20.0.10',
    ],
    [
      'the service network is none',
      1,
      { cluster: file('cidr.json', { ...cluster, serviceCidr: 'nonsense', dnsIp: undefined }) },
      'serviceCidr: found "nonsense", expected a network',
    ],
    [
      'the certificate authority is not base64',
      1,
      { cluster: file('ca.json', { ...cluster, certificateAuthority: '-----BEGIN' }) },
      'certificateAuthority: found what is not base64',
    ],
    [
      'AWS has a tag for itself',
      1,
      {
        files: [
          claimFile,
          file('aws-tag.json', {
            ...nodeClass,
            spec: { ...Object(nodeClass.spec), tags: { 'aws:team': 'a' } },
          }),
        ],
      },
      "The tag aws:team is AWS's own to set",
    ],
    [
      'nothing could be bought',
      1,
      {
        files: [
          classFile,
          file('other.json', {
            ...nodeClaim,
            spec: { ...Object(nodeClaim.spec), resources: { requests: { cpu: '9000' } } },
          }),
        ],
      },
      'nothing is launched: no instance type that fits',
    ],
  ])('says on standard error that %s', async (_what, status, difference, said) => {
    const { cluster: path, ...others } = { cluster: clusterFile, ...difference };
    const outcome = await run(
      path === undefined ? { ...others, cluster: '' } : { ...others, cluster: path },
    );

    expect(outcome.err).toContain(said);
    expect(outcome).toMatchObject({ status, out: '' });
  });
});
