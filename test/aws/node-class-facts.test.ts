import { describe, expect, it } from 'vitest';
import { nodeClassFacts } from '#lib/aws/node-class-facts.ts';
import { inTime, resolved, settings, unresolved } from '#test/build/aws-callers.ts';
import { anAccount, ZONES } from '#test/build/embedded-aws.ts';
import { aNodeClass } from '#test/build/node-pools.ts';

describe('nodeClassFacts', () => {
  it('finds subnets, security groups, one image per kind, and the profile that was made', async () => {
    const bench = anAccount();
    const nodeClass = await inTime(bench, resolved);

    expect(nodeClass.status.subnets.map(({ zone }) => zone)).toEqual(ZONES);
    expect(nodeClass.status.securityGroups).toEqual([{ id: 'sg-0nodes', name: 'nodes' }]);
    expect(nodeClass.status.amis).toHaveLength(5);
    expect(nodeClass.status.instanceProfile).toMatch(/^demo_/);
    expect(nodeClass.status.conditions.find(({ type }) => type === 'Ready')?.status).toBe('True');
  });

  it('says which part could not be asked, and why, and finds the others', async () => {
    const bench = anAccount();
    bench.aws.failNext({ name: 'DescribeSubnets', code: 'UnauthorizedOperation', times: 1 });
    const facts = await inTime(bench, (call) => nodeClassFacts(call, unresolved, settings));

    expect(facts.subnets).toMatchObject({
      failed: expect.stringContaining('UnauthorizedOperation'),
    });
    expect(facts.securityGroups).toHaveLength(1);
  });

  it('does not take a failed parameter for one that is not there', async () => {
    const bench = anAccount();
    bench.aws.failNext({ name: 'GetParameters', code: 'ThrottlingException', times: 1 });
    const facts = await inTime(bench, (call) => nodeClassFacts(call, unresolved, settings));

    expect(facts.images).toMatchObject({ failed: expect.stringContaining('Throttling') });
  });

  it.each([
    ['an id', (id: string) => ({ id }), 1],
    ['a name', () => ({ name: 'amazon-eks-node-al2023-x86_64-standard-*' }), 2],
    ['a name of nobody', () => ({ name: 'none-*' }), 0],
    ['an owner of nothing', () => ({ name: 'amazon-*', owner: 'self' }), 0],
    ['a parameter that is not there', () => ({ ssmParameter: '/none' }), 0],
  ])('looks images up by %s', async (_what, termOf, count) => {
    const bench = anAccount();
    const [known] = (await inTime(bench, resolved)).status.amis;
    const nodeClass = aNodeClass({ spec: { amiSelectorTerms: [termOf(known?.id ?? '')] } });
    const { images } = await inTime(bench, (call) => nodeClassFacts(call, nodeClass, settings));

    expect(images).toHaveLength(count);
  });

  it('believes in the profile that is named where IAM is out of reach', async () => {
    const bench = anAccount();
    const nodeClass = aNodeClass({ spec: { instanceProfile: 'mine' } });
    const cluster = { ...settings, isolatedVpc: true };
    const { instanceProfiles } = await inTime(bench, (call) =>
      nodeClassFacts(call, nodeClass, cluster),
    );

    expect(instanceProfiles).toMatchObject([{ name: 'mine' }]);
    expect(bench.aws.calls()).not.toHaveProperty('GetInstanceProfile');
  });

  it('looks networks up by id together, and by tags or name each for itself', async () => {
    const bench = anAccount();
    const known = (await inTime(bench, resolved)).status.subnets.map(({ id }) => id);
    const lookUp = async (ids: readonly string[], name: string) => {
      const nodeClass = aNodeClass({
        spec: {
          subnetSelectorTerms: ids.map((id) => ({ id })),
          securityGroupSelectorTerms: [{ name }, { id: 'sg-0nodes' }],
        },
      });
      return await inTime(bench, (call) => nodeClassFacts(call, nodeClass, settings));
    };

    expect((await lookUp(known, 'nodes')).subnets).toMatchObject(known.map((id) => ({ id })));
    const { subnets, securityGroups } = await lookUp(known.slice(1), 'nobody');
    expect(subnets).toMatchObject([{ id: known[1] }]);
    expect(securityGroups).toMatchObject([{ id: 'sg-0nodes', name: 'nodes' }]);
  });
});
