/**
 * How Karpenter's AWS provider v1.14 counts and labels instance types, restated. The numbers are
 * those of our list of its behaviours; upstream's own suites are providers/instancetype and
 * controllers/nodeclass. Types are EC2's, from the embedded table.
 */
import { describe, expect, it } from 'vitest';
import { embeddedTable } from '#lib/aws/embedded-table.ts';
import { place } from '#lib/decide/place.ts';
import { catalogOf } from '#lib/ec2/catalog/catalog.ts';
import type { NumberSettings } from '#lib/ec2/catalog/node-settings.ts';
import type { InstanceTypeFacts } from '#lib/ec2/catalog/table.ts';
import type { InstanceType } from '#lib/model/instance-type.ts';
import type { KubeletSettings, NodeClass, ResolvedPlacementGroup } from '#lib/model/node-class.ts';
import { aCatalog } from '#test/build/instance-types.ts';
import { aNodeClass } from '#test/build/node-pools.ts';
import { NOON } from '#test/build/objects.ts';
import { aPod } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
const ZONES = ['a', 'b', 'c'].map((letter, at) => ({
  id: `subnet-${letter}`,
  zone: `us-east-1${letter}`,
  zoneId: `use1-az${at + 1}`,
}));

interface Case {
  readonly spec?: Partial<NodeClass['spec']>;
  readonly placementGroup?: ResolvedPlacementGroup;
  readonly settings?: Partial<NumberSettings>;
  /** What is unlike the real type. */
  readonly facts?: Partial<InstanceTypeFacts>;
}

function typeOf(name: string, one: Case = {}): InstanceType {
  const table = embeddedTable('us-east-1');
  const real = table?.types.find(({ facts }) => facts.name === name);
  if (table === undefined || real === undefined) throw new Error(`expected ${name}, found none`);
  const { placementGroup } = one;
  const nodeClass = aNodeClass({
    ...(one.spec && { spec: one.spec }),
    // Before images are known every type counts as one that some image boots on.
    status: { subnets: ZONES, amis: [], ...(placementGroup && { placementGroup }) },
  });
  const sales = ZONES.map(({ zone }) => ({ zone, spotUsdPerHour: 0.1 }));
  const catalog = catalogOf({
    table: { ...table, types: [{ ...real, facts: { ...real.facts, ...one.facts }, sales }] },
    nodeClasses: [nodeClass],
    soldOut: [],
    settings: { vmMemoryOverheadPercent: 0.075, ...one.settings },
    now: NOON,
  });
  const [type] = catalog.byNodeClass.get('default') ?? [];
  if (type === undefined) throw new Error(`expected ${name} to be listed, found it was not`);
  return type;
}

const withKubelet = (name: string, kubelet: KubeletSettings, amiFamily = 'AL2023') =>
  typeOf(name, { spec: { kubelet, amiFamily } });
const byExpression = (kubelet: KubeletSettings, facts: Partial<InstanceTypeFacts> = {}) =>
  typeOf('m5.large', { spec: { kubelet }, settings: { kubeletExpressions: true }, facts });

const isAvailable = (name: string, one: Case): boolean =>
  typeOf(name, one).offerings.some(({ available }) => available);

/** MiB of memory that kubelet keeps, without the 100 of the eviction threshold. */
const kubeMib = ({ overhead }: InstanceType): number => (overhead.memory ?? 0) / MIB - 100;
const podsOf = ({ capacity }: InstanceType): number | undefined => capacity.pods;
const storageOf = ({ capacity }: InstanceType) => capacity['ephemeral-storage'];

describe('12.1 most discriminating', () => {
  it.each([
    ['AL2', 24, 640],
    ['AL2023', 24, 640],
    ['Custom', 24, 640],
    ['Bottlerocket', 24, 519],
    ['Windows2022', 110, 1465],
  ])('4: a reserved interface of t3.large, with %s', (amiFamily, pods, kube) => {
    const type = typeOf('t3.large', { spec: { amiFamily }, settings: { reservedInterfaces: 1 } });

    expect([podsOf(type), kubeMib(type)]).toEqual([pods, kube]);
  });

  it('6: more reserved interfaces than there are leave no pods, not fewer than none', () => {
    expect(podsOf(typeOf('t3.large', { settings: { reservedInterfaces: 1_000_000 } }))).toBe(0);
  });

  it.each([
    ['AL2', {}, 993],
    ['Bottlerocket', {}, 993],
    ['Bottlerocket', { maxPods: 110 }, 1565],
  ])('7: all that an m5.xlarge of %s keeps with %j', (amiFamily, kubelet, mib) => {
    const type = typeOf('m5.xlarge', {
      spec: { amiFamily, kubelet },
      settings: { vmMemoryOverheadPercent: 0 },
    });

    expect(type.overhead.memory).toBe(mib * MIB);
    expect(type.capacity.memory).toBe(16 * GIB);
  });

  it('8: a hard threshold of 100% is off, and soft thresholds keep nothing', () => {
    const kept = (kubelet: KubeletSettings) =>
      (withKubelet('m5.large', kubelet).overhead.memory ?? 0) / MIB - 574;

    expect(kept({ evictionHard: { 'memory.available': '100%' } })).toBe(0);
    expect(kept({ evictionSoft: { 'memory.available': '10%' } })).toBe(100);
  });
});

describe('12.4 instance types and offerings', () => {
  it('70: the first Graviton is not sold to AL2023, nor a type to a group that takes it not', () => {
    const available = (amiFamily: string) => isAvailable('a1.medium', { spec: { amiFamily } });
    expect([available('AL2023'), available('Bottlerocket'), available('Custom')]).toEqual([
      false,
      true,
      true,
    ]);

    const facts = { placementStrategies: ['partition', 'spread'] };
    for (const strategy of ['cluster', 'partition', 'spread'] as const) {
      const placementGroup = { id: 'pg-1', name: 'pg', strategy, partitions: 2 };
      expect(isAvailable('m5.large', { facts, placementGroup })).toBe(strategy !== 'cluster');
    }
    expect(isAvailable('m5.large', { facts: { placementStrategies: [] } })).toBe(true);
  });

  it('71: interfaces need their network card, and EFA a type that has it', () => {
    const primary = { networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' } as const;
    const second = { ...primary, networkCardIndex: 1, deviceIndex: 1 };
    const efa = { ...primary, deviceIndex: 1, interfaceType: 'efa-only' } as const;
    const available = (name: string, own: typeof second | typeof efa) =>
      isAvailable(name, { spec: { networkInterfaces: [primary, own] } });

    expect(available('m5.large', second)).toBe(false);
    expect(available('m6idn.32xlarge', second)).toBe(true);
    expect(available('m5.large', efa)).toBe(false);
    expect(available('m6idn.32xlarge', efa)).toBe(true);
  });

  it('72: nested virtualization is had where the processor lists it', () => {
    const spec = { cpuOptions: { nestedVirtualization: 'enabled' } } as const;
    const facts = { processorFeatures: ['nested-virtualization'] };

    expect(isAvailable('m5.large', { spec })).toBe(false);
    expect(isAvailable('m5.large', { spec, facts })).toBe(true);
    expect(
      isAvailable('m5.large', { spec: { cpuOptions: { nestedVirtualization: 'disabled' } } }),
    ).toBe(true);
  });

  it('73: connection tracking is for the nitro hypervisor alone', () => {
    const spec = { connectionTracking: { udpTimeout: 60 } };

    expect(['m5.large', 'm4.large', 'm5.metal'].map((name) => isAvailable(name, { spec }))).toEqual(
      [true, false, false],
    );
  });

  it('74: an EFA-only interface on card 0 takes the addresses of one', () => {
    const primary = { networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' } as const;
    const pods = (card?: number) => {
      const efa = {
        networkCardIndex: card ?? 0,
        deviceIndex: 1,
        interfaceType: 'efa-only',
      } as const;
      const networkInterfaces = card === undefined ? [primary] : [primary, efa];
      return podsOf(typeOf('m6idn.32xlarge', { spec: { networkInterfaces } }));
    };

    expect([pods(), pods(0), pods(1)]).toEqual([394, 345, 394]);
    expect(
      typeOf('m6idn.32xlarge', { spec: { networkInterfaces: [primary] } }).capacity,
    ).not.toHaveProperty('vpc.amazonaws.com/efa');
  });

  it('75: podsPerCore bounds pods, 0 does not, and Bottlerocket has none', () => {
    const pods = (kubelet: KubeletSettings, family?: string) =>
      podsOf(withKubelet('m5.xlarge', kubelet, family));

    expect(pods({ podsPerCore: 1 })).toBe(4);
    expect(pods({ podsPerCore: 4, maxPods: 20 })).toBe(16);
    expect(pods({ podsPerCore: 6, maxPods: 20 })).toBe(20);
    expect(pods({ podsPerCore: 0 })).toBe(58);
    expect(pods({ podsPerCore: 1 }, 'Bottlerocket')).toBe(58);
  });

  it('76: Windows takes 110 pods, and addresses by name', () => {
    const { capacity } = typeOf('m5.large', { spec: { amiFamily: 'Windows2022' } });

    expect(capacity).toMatchObject({ pods: 110, 'vpc.amazonaws.com/PrivateIPv4Address': 9 });
    expect(typeOf('m5.large').capacity).not.toHaveProperty('vpc.amazonaws.com/PrivateIPv4Address');
  });

  it('77: branch interfaces are there where trunking is', () => {
    expect(typeOf('t3.large').capacity).not.toHaveProperty('vpc.amazonaws.com/pod-eni');
    expect(typeOf('m5.large').capacity['vpc.amazonaws.com/pod-eni']).toBe(9);
  });

  it('78: joined local disks are the storage of pods', () => {
    const joined = typeOf('m6idn.32xlarge', { spec: { instanceStorePolicy: 'RAID0' } });
    const fits = (type: InstanceType) =>
      place(
        aSnapshot({
          catalog: aCatalog([type]),
          pods: [aPod({ requests: { 'ephemeral-storage': 5 * 1024 * GIB } })],
        }),
      ).creations.length === 1;

    expect(storageOf(joined)).toBe(7600 * 1e9);
    expect(storageOf(typeOf('m6idn.32xlarge'))).toBe(20 * GIB);
    expect([fits(joined), fits(typeOf('m6idn.32xlarge'))]).toEqual([true, false]);
  });

  it('79: of Custom the last disk counts, or the one that is the root', () => {
    const disk = (volumeSize?: string, rootVolume = false) => ({
      deviceName: '/dev/xvdf',
      rootVolume,
      ebs: volumeSize === undefined ? {} : { volumeSize },
    });
    const storage = (...blockDeviceMappings: ReturnType<typeof disk>[]) =>
      storageOf(typeOf('m5.large', { spec: { amiFamily: 'Custom', blockDeviceMappings } }));

    expect(storage(disk('20Gi'), disk('40Gi'))).toBe(40 * GIB);
    expect(storage(disk())).toBe(20 * GIB);
    expect(storage(disk('10Gi'), disk('40Gi', true), disk('30Gi'))).toBe(40 * GIB);
  });

  it('85: kubelet settings may be expressions over the type', () => {
    const pods = (maxPodsExpression: string, facts?: Partial<InstanceTypeFacts>) =>
      podsOf(byExpression({ maxPodsExpression }, facts));
    const reserved = (kubeReserved: Record<string, string>, more: KubeletSettings = {}) =>
      byExpression({ kubeReserved, ...more }).reserves?.kubeReserved;

    expect(pods('default_enis', { cardInterfaces: [20] })).toBe(20);
    expect(pods('min(250, default_enis * ips_per_eni * 16)')).toBe(250);
    expect(reserved({ cpu: 'vcpus * 30 + 1' })).toEqual({ cpu: '70m' });
    expect(['81', '128', '220'].map((mib) => reserved({ memory: `${mib} + 0` })?.memory)).toEqual([
      '96Mi',
      '128Mi',
      '224Mi',
    ]);
    expect(reserved({ pid: 'max_pods' }, { maxPodsExpression: 'max_pods + 3' })?.pid).toBe('32');
    expect(podsOf(typeOf('m5.large', { spec: { kubelet: { maxPodsExpression: 'vcpus' } } }))).toBe(
      29,
    );
  });

  it('87: nodes say whether enclaves can be had', () => {
    const label = (name: string) => [
      ...(typeOf(name).requirements.get('karpenter.k8s.aws/nitro-sandbox')?.values ?? []),
    ];

    expect([label('m5.large'), label('m5.xlarge')]).toEqual([['false'], ['true']]);
  });

  describe('88a: each label of a g4dn.8xlarge finds it', () => {
    const labels = {
      'karpenter.k8s.aws/instance-category': 'g',
      'karpenter.k8s.aws/instance-generation': '4',
      'karpenter.k8s.aws/instance-family': 'g4dn',
      'karpenter.k8s.aws/instance-size': '8xlarge',
      'karpenter.k8s.aws/instance-cpu': '32',
      'karpenter.k8s.aws/instance-cpu-manufacturer': 'intel',
      'karpenter.k8s.aws/instance-cpu-sustained-clock-speed-mhz': '2500',
      'karpenter.k8s.aws/instance-memory': '131072',
      'karpenter.k8s.aws/instance-ebs-bandwidth': '9500',
      'karpenter.k8s.aws/instance-network-bandwidth': '50000',
      'karpenter.k8s.aws/instance-gpu-name': 't4',
      'karpenter.k8s.aws/instance-gpu-manufacturer': 'nvidia',
      'karpenter.k8s.aws/instance-gpu-count': '1',
      'karpenter.k8s.aws/instance-gpu-memory': '16384',
      'karpenter.k8s.aws/instance-local-nvme': '900',
      'karpenter.k8s.aws/instance-hypervisor': 'nitro',
      'karpenter.k8s.aws/instance-encryption-in-transit-supported': 'true',
      'karpenter.k8s.aws/instance-capability-flex': 'false',
      'karpenter.k8s.aws/instance-tenancy': 'default',
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
      'karpenter.sh/capacity-type': 'spot',
      'karpenter.sh/nodepool': 'default',
      'node.kubernetes.io/instance-type': 'g4dn.8xlarge',
      'topology.kubernetes.io/region': 'us-east-1',
      'topology.kubernetes.io/zone': 'us-east-1a',
      'topology.k8s.aws/zone-id': 'use1-az1',
      'topology.ebs.csi.aws.com/zone': 'us-east-1a',
      'beta.kubernetes.io/arch': 'amd64',
      'beta.kubernetes.io/os': 'linux',
      'beta.kubernetes.io/instance-type': 'g4dn.8xlarge',
      'failure-domain.beta.kubernetes.io/region': 'us-east-1',
      'failure-domain.beta.kubernetes.io/zone': 'us-east-1a',
    };
    const catalog = aCatalog([typeOf('g4dn.8xlarge')]);
    const creations = (nodeSelector: Record<string, string>) =>
      place(aSnapshot({ catalog, pods: [aPod({ nodeSelector })] })).creations.length;

    it.each(Object.entries(labels))('%s=%s', (key, value) => {
      expect(creations({ [key]: value })).toBe(1);
      expect(creations({ [key]: 'something-else' })).toBe(0);
    });

    it('and all together', () => {
      expect(creations(labels)).toBe(1);
    });
  });
});
