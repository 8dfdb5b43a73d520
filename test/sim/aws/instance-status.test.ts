import { expect, it } from 'vitest';
import { aFleet, anAccount, aTemplate } from '#test/build/embedded-aws.ts';

const asked = (Name: string, ...Values: string[]) => ({ Filters: [{ Name, Values }] });

it('the embedded EC2 tells what ails its running instances, and of those alone', async () => {
  const bench = anAccount();
  await aTemplate(bench);
  await bench.ask('CreateFleet', aFleet({ total: 3 }));
  await bench.pass(20_000);
  const [ill, worked, ended] = bench.aws.machines().map(({ id }) => id);
  const startsAt = bench.clock.now() + 60_000;
  bench.aws.ail(ill ?? '', { systemSince: bench.clock.now() });
  bench.aws.ail(worked ?? '', {
    events: [{ code: 'instance-stop', description: 'It stops.', startsAt }],
  });
  bench.aws.ail(ended ?? '', { instanceSince: bench.clock.now() });
  bench.aws.terminate(ended ?? '');
  const foundBy = async (Name: string, Value: string) =>
    (await bench.ask('DescribeInstanceStatus', asked(Name, Value))).InstanceStatuses;

  expect(await foundBy('system-status.status', 'impaired')).toMatchObject([
    { InstanceId: ill, SystemStatus: { Details: [{ Status: 'failed' }] } },
  ]);
  expect(await foundBy('event.code', 'instance-stop')).toMatchObject([
    { InstanceId: worked, Events: [{ NotBefore: new Date(startsAt) }] },
  ]);
  expect(await foundBy('instance-status.status', 'impaired')).toEqual([]);
});
