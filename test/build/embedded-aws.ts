import { type AwsOptions, createAws, type EmbeddedAws } from '#lib/sim/aws/aws.ts';
import { amazonImages } from '#lib/sim/aws/images.ts';
import { privateNetwork, zonesOf } from '#lib/sim/aws/network.ts';
import type { Queue } from '#lib/sim/aws/queue.ts';
import { type Clock, virtualClock } from '#lib/sim/clock.ts';
import { createJournal, type Journal } from '#lib/sim/journal.ts';
import type { MachineType } from '#lib/sim/machine.ts';
import { seededRandom } from '#lib/sim/random.ts';

export const START = Date.UTC(2026, 10, 20, 12);
export const ZONES = ['us-east-1a', 'us-east-1b'];

/** A machine type sold in both zones at one price; `difference` says what is unlike m5.large. */
export function aMachineType(
  difference: Partial<MachineType> & { usd?: number } = {},
): MachineType {
  const { usd = 0.096, ...rest } = difference;
  const inEachZone = (price: number) => Object.fromEntries(ZONES.map((zone) => [zone, price]));
  return {
    name: 'm5.large',
    vcpus: 2,
    memoryMib: 8192,
    architecture: 'x86_64',
    interfaces: 3,
    addressesPerInterface: 10,
    gpus: undefined,
    onDemandUsd: inEachZone(usd),
    spotUsd: inEachZone(usd * 0.4),
    ...rest,
  };
}

/** An embedded AWS with a clock, a journal, and `ask` that lets time pass until the answer is in. */
export interface AwsBench {
  readonly clock: Clock;
  readonly journal: Journal;
  readonly aws: EmbeddedAws;
  readonly events: unknown[];
  readonly ask: (name: string, input: unknown) => Promise<Record<string, unknown>>;
  readonly pass: (ms: number) => Promise<void>;
}

/** An account with m5.large (0.096), c5.large (0.085) and m6g.large (arm64, 0.077) in two zones. */
export function anAccount(
  difference: Partial<AwsOptions> & { seed?: number; queueList?: readonly Queue[] } = {},
): AwsBench {
  const { seed = 1, queueList = [], ...rest } = difference;
  const clock = rest.clock ?? virtualClock(START);
  const journal = createJournal();
  const events: unknown[] = [];
  const zones = zonesOf('us-east-1', ZONES);
  const aws = createAws({
    clock,
    random: seededRandom(seed),
    journal,
    region: 'us-east-1',
    zones,
    types: [
      aMachineType(),
      aMachineType({ name: 'c5.large', memoryMib: 4096, usd: 0.085 }),
      aMachineType({ name: 'm6g.large', architecture: 'arm64', usd: 0.077 }),
    ],
    ...privateNetwork(zones, { 'karpenter.sh/discovery': 'demo' }),
    images: amazonImages('1.33', [START - 86_400_000 * 40, START - 86_400_000 * 10]),
    clusters: () => [
      {
        name: 'demo',
        endpoint: 'https://embedded',
        ca: 'Q0E=',
        serviceCidr: '10.100.0.0/16',
        kubernetesVersion: '1.33',
      },
    ],
    queues: () => queueList,
    onEvent: (event) => events.push(event),
    ...rest,
  });
  const pass = async (ms: number): Promise<void> => {
    clock.after(ms, () => undefined);
    await clock.run(() => false, clock.now() + ms);
  };
  const ask: AwsBench['ask'] = async (name, input) => {
    let answer: { value: unknown } | { error: unknown } | undefined;
    aws
      .call('test')(name, input)
      .then(
        (value) => {
          answer = { value };
        },
        (error: unknown) => {
          answer = { error };
        },
      );
    await clock.run(() => answer !== undefined, clock.now() + 60_000);
    if (answer === undefined) throw new Error(`${name} was not answered within a minute`);
    if ('error' in answer) throw answer.error;
    return answer.value as Record<string, unknown>;
  };
  return { clock, journal, aws, events, ask, pass };
}

/** The id of the newest AL2023 image of an architecture. */
export async function newestImage(bench: AwsBench, architecture = 'x86_64'): Promise<string> {
  const { Parameter } = await bench.ask('GetParameter', {
    Name: `/aws/service/eks/optimized-ami/1.33/amazon-linux-2023/${architecture}/standard/recommended/image_id`,
  });
  return (Parameter as { Value: string }).Value;
}

/** Creates a launch template that can be launched; `difference` overlays its data. */
export async function aTemplate(
  bench: AwsBench,
  name = 'nodes',
  difference: Record<string, unknown> = {},
): Promise<string> {
  await bench.ask('CreateLaunchTemplate', {
    LaunchTemplateName: name,
    LaunchTemplateData: {
      ImageId: await newestImage(bench),
      UserData: Buffer.from('join demo').toString('base64'),
      SecurityGroupIds: ['sg-0nodes'],
      ...difference,
    },
  });
  return name;
}

/** A CreateFleet request for `total` of `types` in both zones from the template `nodes`. */
export const aFleet = (
  difference: {
    total?: number;
    capacityType?: 'on-demand' | 'spot';
    types?: readonly string[];
    template?: string;
    token?: string;
    zones?: readonly string[];
  } = {},
): Record<string, unknown> => {
  const { total = 1, capacityType = 'on-demand', types = ['m5.large', 'c5.large'] } = difference;
  const subnets = (difference.zones ?? ['a', 'b']).map((zone) =>
    zone === 'a' ? 'subnet-0use1az1' : 'subnet-0use1az2',
  );
  return {
    Type: 'instant',
    ...(difference.token === undefined ? {} : { ClientToken: difference.token }),
    TargetCapacitySpecification: {
      TotalTargetCapacity: total,
      DefaultTargetCapacityType: capacityType,
    },
    ...(capacityType === 'spot'
      ? { SpotOptions: { AllocationStrategy: 'price-capacity-optimized' } }
      : { OnDemandOptions: { AllocationStrategy: 'lowest-price' } }),
    LaunchTemplateConfigs: [
      {
        LaunchTemplateSpecification: {
          LaunchTemplateName: difference.template ?? 'nodes',
          Version: '$Latest',
        },
        Overrides: types.flatMap((InstanceType) =>
          subnets.map((SubnetId) => ({ InstanceType, SubnetId })),
        ),
      },
    ],
    TagSpecifications: [
      { ResourceType: 'instance', Tags: [{ Key: 'karpenter.sh/nodepool', Value: 'default' }] },
    ],
  };
};
