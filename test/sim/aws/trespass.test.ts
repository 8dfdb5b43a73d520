import { describe, expect, it } from 'vitest';
import { type AwsBench, aFleet, anAccount, aTemplate } from '#test/build/embedded-aws.ts';

/** What a call in a cluster's name is noted for. */
async function notedFor(bench: AwsBench, clusterName: string, name: string, input: unknown) {
  const before = bench.aws.trespasses().length;
  bench.aws
    .call('test', clusterName)(name, input)
    .catch(() => undefined);
  await bench.pass(5_000);
  return bench.aws.trespasses().slice(before);
}

const CLUSTER_TAG = 'eks:eks-cluster-name';
const tagged = (cluster: string) => [
  {
    ResourceType: 'instance',
    Tags: [{ Key: CLUSTER_TAG, Value: cluster }],
  },
];

/** An account with one instance of the cluster demo. */
async function anInstanceOfDemo() {
  const bench = anAccount();
  await aTemplate(bench);
  await bench.ask('CreateFleet', { ...aFleet(), TagSpecifications: tagged('demo') });
  await bench.pass(10_000);
  const [machine] = bench.aws.machines();
  return { bench, id: machine?.id ?? '' };
}

describe('what a cluster touches of others', () => {
  it('is noted, and done all the same', async () => {
    const { bench, id } = await anInstanceOfDemo();
    const noted = await notedFor(bench, 'till', 'TerminateInstances', { InstanceIds: [id] });

    expect(noted).toEqual([`till: TerminateInstances of ${id}, of demo`]);
    expect(bench.aws.machines()[0]?.state).not.toBe('running');
  });

  it('is nothing where it is its own, is not there, or nothing is changed', async () => {
    const { bench, id } = await anInstanceOfDemo();
    const ids = { InstanceIds: [id] };

    expect(await notedFor(bench, 'till', 'DescribeInstances', ids)).toEqual([]);
    expect(
      await notedFor(bench, 'till', 'DeleteLaunchTemplate', { LaunchTemplateName: 'x' }),
    ).toEqual([]);
    expect(await notedFor(bench, 'demo', 'TerminateInstances', ids)).toEqual([]);
  });

  it('is what a fleet is launched by, too', async () => {
    const { bench } = await anInstanceOfDemo();
    const noted = await notedFor(bench, 'till', 'CreateFleet', aFleet());

    expect(noted).toEqual([expect.stringMatching(/^till: CreateFleet of .*, of nobody$/)]);
  });
});
