import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import type { AwsCall } from '#lib/aws/calls/call.ts';
import { typedCall } from '#lib/aws/calls/call.ts';
import { type CatalogArguments, catalogCommand } from '#lib/cli/catalog.ts';
import { decodeCatalog } from '#lib/cli/catalog-file.ts';
import { planCommand } from '#lib/cli/plan.ts';
import { NOON } from '#test/build/objects.ts';

const folder = mkdtempSync(join(tmpdir(), 'joinery-catalog-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: unknown): string {
  const path = join(folder, name);
  const isRaw = typeof content === 'string' || content instanceof Uint8Array;
  writeFileSync(path, isRaw ? content : JSON.stringify(content));
  return path;
}

const M5_LARGE = {
  InstanceType: 'm5.large',
  Hypervisor: 'nitro',
  SupportedUsageClasses: ['on-demand', 'spot'],
  SupportedVirtualizationTypes: ['hvm'],
  VCpuInfo: { DefaultVCpus: 2 },
  MemoryInfo: { SizeInMiB: 8192 },
  ProcessorInfo: { SupportedArchitectures: ['x86_64'], Manufacturer: 'Intel' },
  NetworkInfo: {
    DefaultNetworkCardIndex: 0,
    Ipv4AddressesPerInterface: 10,
    NetworkCards: [{ NetworkCardIndex: 0, MaximumNetworkInterfaces: 3 }],
  },
};
const I386_ONLY = {
  ...M5_LARGE,
  InstanceType: 'old.small',
  ProcessorInfo: { SupportedArchitectures: ['i386'] },
};
const offering = (InstanceType: string, Location: string) => ({
  InstanceType,
  LocationType: 'availability-zone',
  Location,
});
const OFFERED = ['eu-west-1a', 'eu-west-1b'].map((zone) => offering('m5.large', zone));
const PRICES = {
  onDemand: { 'm5.large': 0.107 },
  spot: { 'm5.large': { 'eu-west-1a': 0.04 } },
  pricedAt: '2026-11-01',
};

const instanceTypes = file('types.json', { InstanceTypes: [M5_LARGE, I386_ONLY] });
const offerings = file('offerings.json', { InstanceTypeOfferings: OFFERED });
const prices = file('prices.json', PRICES);
const recorded = { instanceTypes, offerings, prices };

const aNodeClassObject = (spec: object = {}, status?: object, name = 'default') => ({
  apiVersion: 'karpenter.k8s.aws/v1',
  kind: 'EC2NodeClass',
  metadata: { name },
  spec: {
    amiSelectorTerms: [{ alias: 'al2023@latest' }],
    subnetSelectorTerms: [{ tags: { a: 'b' } }],
    securityGroupSelectorTerms: [{ tags: { a: 'b' } }],
    role: 'node',
    ...spec,
  },
  ...(status && { status }),
});

async function run(args: Partial<CatalogArguments>, call?: AwsCall) {
  const [out, err]: [string[], string[]] = [[], []];
  const status = await catalogCommand(
    { files: [], output: 'json', ...args },
    { out: (line) => out.push(line), err: (line) => err.push(line) },
    {
      connect: () => {
        if (call === undefined) throw new Error('Could not load credentials');
        return call;
      },
      now: () => NOON,
    },
  );
  return { status, out: out.join('\n'), err: err.join('\n') };
}

const typesOf = (out: string) => decodeCatalog(JSON.parse(out)).instanceTypes;

describe('joinery catalog', () => {
  it('prints what plan --catalog reads, from recorded answers', async () => {
    const { status, out, err } = await run(recorded);
    const read = decodeCatalog(JSON.parse(out));

    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(read).toMatchObject({ region: 'eu-west-1', pricedAt: '2026-11-01' });
    expect(read.instanceTypes.map(({ name }) => name)).toEqual(['m5.large']);
    expect(read.instanceTypes[0]?.allocatable).toMatchObject({ cpu: 1930, pods: 29 });
    expect(
      read.instanceTypes[0]?.offerings.map(({ zone, capacityType, usdPerHour }) =>
        [zone, capacityType, usdPerHour].join(' '),
      ),
    ).toEqual(['eu-west-1a spot 0.04', 'eu-west-1a on-demand 0.107', 'eu-west-1b on-demand 0.107']);
  });

  it('is a catalog that plans are made with, gzipped or not', async () => {
    const pool = {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name: 'default' },
      spec: {
        template: {
          spec: {
            nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
            requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }],
          },
        },
      },
    };
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web' },
      spec: { containers: [{ name: 'a', image: 'a', resources: { requests: { cpu: '1' } } }] },
    };
    const { out: printed } = await run(recorded);
    const lines: string[] = [];
    const status = await planCommand(
      {
        decision: 'provision',
        files: [file('cluster.json', { kind: 'List', items: [pool, pod] })],
        output: 'json',
        catalog: file('own.json.gz', gzipSync(printed)),
      },
      { out: (line) => lines.push(line), err: (line) => lines.push(line) },
    );

    expect(status).toBe(0);
    expect(JSON.parse(lines.join('\n')).nodeClaims).toMatchObject([
      { cheapest: { instanceType: 'm5.large', zone: 'eu-west-1a', capacityType: 'spot' } },
    ]);
  });

  it('takes lists without their envelope, and files that are gzipped', async () => {
    const plain = await run(recorded);
    const bare = await run({
      instanceTypes: file('bare.json.gz', gzipSync(JSON.stringify([M5_LARGE]))),
      offerings: file('bare-offerings.json', OFFERED),
      prices,
    });

    expect(bare).toEqual(plain);
  });

  it('offers what the NodeClass can have: its zones, its family, its kubelet', async () => {
    const subnets = [{ id: 'subnet-1', zone: 'eu-west-1b', zoneID: 'euw1-az2' }];
    const object = aNodeClassObject({ kubelet: { maxPods: 20 } }, { subnets });
    const { out } = await run({ files: [file('class.json', object)], ...recorded });

    expect(typesOf(out)[0]?.capacity.pods).toBe(20);
    expect(typesOf(out)[0]?.offerings.map(({ zone, zoneId }) => `${zone} ${zoneId}`)).toEqual([
      'eu-west-1b euw1-az2',
    ]);
  });

  it('counts kubelet expressions behind their gate, and says so where it is closed', async () => {
    const kubelet = { maxPods: 'vcpus * 7', kubeReserved: { memory: '1 / (vcpus - 2)' } };
    const files = [file('expressions.json', aNodeClassObject({ kubelet }))];
    const open = await run({ files, ...recorded, featureGates: 'NodeClassCEL=true' });
    const closed = await run({ files, ...recorded });

    expect(typesOf(open.out)[0]?.capacity.pods).toBe(14);
    expect(open.err).toContain('kubeReserved.memory for m5.large division by zero');
    expect(typesOf(closed.out)[0]?.capacity.pods).toBe(29);
    expect(closed.err).toContain('--feature-gates NodeClassCEL=true');
  });

  it('carries what expressions came to into the catalog', async () => {
    const kubelet = { kubeReserved: { memory: 'max_pods * 11' } };
    const files = [file('reserves.json', aNodeClassObject({ kubelet }))];
    const { out } = await run({ files, ...recorded, featureGates: 'NodeClassCEL=true' });

    expect(typesOf(out)[0]?.reserves).toEqual({
      kubeReserved: { memory: '320Mi' },
      systemReserved: {},
    });
  });

  it('counts interfaces and memory as the cluster is set', async () => {
    const { out } = await run({ ...recorded, reservedEnis: '1', vmMemoryOverheadPercent: '0' });

    expect(typesOf(out)[0]?.capacity).toMatchObject({ pods: 20, memory: 8192 * 1024 ** 2 });
  });

  it('prints a table for people, cheapest first', async () => {
    const { out } = await run({ output: 'text', region: 'us-west-2' });
    const lines = out.split('\n');

    expect(lines[0]).toMatch(/^EC2NodeClass default in us-west-2: \d+ instance types \(prices of /);
    expect(lines[3]).toMatch(/^ {2}TYPE +CPU +MEMORY +PODS +STORAGE +DEVICES +ZONES +ON-DEMAND/);
    expect(lines[4]).toMatch(/^ {2}t\d\w?\.nano +1930m +\d+Mi +4 +17Gi/);
    expect(lines.at(-1)).toMatch(/–$/);
  });

  it('says that embedded prices stand in where none are named', async () => {
    const { status, out, err } = await run({ instanceTypes, offerings });

    expect(status).toBe(0);
    expect(err).toContain('no --prices: the embedded ones count');
    expect(typesOf(out)[0]?.offerings).toHaveLength(2);
  });

  it('asks AWS where it is told to', async () => {
    const answers: Readonly<Record<string, unknown>> = {
      DescribeInstanceTypes: { InstanceTypes: [M5_LARGE] },
      DescribeInstanceTypeOfferings: { InstanceTypeOfferings: OFFERED },
      DescribeAvailabilityZones: {
        AvailabilityZones: [{ ZoneName: 'eu-west-1a', ZoneId: 'euw1-az3' }],
      },
      DescribeSpotPriceHistory: {
        SpotPriceHistory: [
          { InstanceType: 'm5.large', AvailabilityZone: 'eu-west-1a', SpotPrice: '0.05' },
        ],
      },
      GetProducts: {
        PriceList: [
          JSON.stringify({
            product: { attributes: { instanceType: 'm5.large' } },
            terms: {
              OnDemand: { a: { priceDimensions: { b: { pricePerUnit: { USD: '0.1' } } } } },
            },
          }),
        ],
      },
    };
    const call = typedCall(async (name) => answers[name]);
    const { status, out, err } = await run({ live: true, region: 'eu-west-1' }, call);

    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(decodeCatalog(JSON.parse(out)).pricedAt).toBe('2026-11-20');
    expect(
      typesOf(out)[0]?.offerings.map(({ zoneId, usdPerHour }) => [zoneId, usdPerHour]),
    ).toEqual([
      ['euw1-az3', 0.05],
      ['euw1-az3', 0.1],
    ]);
  });

  it.each<[string, Partial<CatalogArguments>, RegExp]>([
    [
      'a file that is not there',
      { files: ['nowhere.yaml'] },
      /^nowhere.yaml: there is no such file/,
    ],
    [
      'types that are not there',
      { ...recorded, instanceTypes: 'x' },
      /^x: there is no such instance types file/,
    ],
    ['a folder', { ...recorded, prices: folder }, /it is a folder; name one prices file/],
    ['text that is no JSON', { ...recorded, prices: file('no.json', '{') }, /it is not JSON/],
    [
      'offerings in place of types',
      { ...recorded, instanceTypes: offerings },
      /InstanceTypes: found nothing, expected a list \(see what aws ec2 describe-instance-types/,
    ],
    [
      'a type that lacks what is counted',
      { ...recorded, instanceTypes: file('thin.json', [{ ...M5_LARGE, MemoryInfo: {} }]) },
      /\[0\]\.?MemoryInfo\.SizeInMiB: found nothing/,
    ],
    [
      'one page of several',
      { ...recorded, instanceTypes: file('page.json', { InstanceTypes: [], NextToken: 'a' }) },
      /NextToken: only one page was recorded/,
    ],
    [
      'an empty answer',
      { ...recorded, instanceTypes: file('none.json', { InstanceTypes: [] }) },
      /InstanceTypes: found none, expected at least one/,
    ],
    [
      'a type that is there twice',
      { ...recorded, instanceTypes: file('twice.json', [M5_LARGE, M5_LARGE]) },
      /m5.large is listed twice; keep one of them/,
    ],
    [
      'offerings of whole regions',
      {
        ...recorded,
        offerings: file('regional.json', [
          { InstanceType: 'm5.large', LocationType: 'region', Location: 'eu-west-1' },
        ]),
      },
      /found region; record them with --location-type availability-zone/,
    ],
    [
      'zones of two regions',
      {
        ...recorded,
        offerings: file('two.json', [...OFFERED, offering('m5.large', 'us-east-1a')]),
      },
      /it has zones of us-east-1, and eu-west-1 is asked for; record one region/,
    ],
    [
      'a price that is none',
      { ...recorded, prices: file('free.json', { onDemand: { 'm5.large': 'free' } }) },
      /onDemand\.?\W*m5\.large\W*: found "free", expected a price in USD per hour/,
    ],
    ['a region that is not embedded', { region: 'eu-west-1' }, /nothing of eu-west-1 is embedded/],
    ['no credentials', { live: true }, /could not be asked: Could not load credentials; check/],
    [
      'files without a NodeClass',
      { files: [file('pod.json', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } })] },
      /no EC2NodeClass is in there; name a file that holds one/,
    ],
    [
      'a NodeClass that the API server refuses',
      { files: [file('bad.json', aNodeClassObject({ role: 5 }))] },
      /bad.json, document 1: spec.role/,
    ],
    [
      'several NodeClasses and no choice',
      {
        files: [
          file('several.json', {
            kind: 'List',
            items: [aNodeClassObject(), aNodeClassObject({}, undefined, 'gpu')],
          }),
        ],
      },
      /EC2NodeClasses default, gpu: choose one with --node-class/,
    ],
  ])('refuses %s, with the file and what to do', async (_what, args, expected) => {
    const { status, out, err } = await run(args);

    expect(err).toMatch(expected);
    expect({ status, out }).toEqual({ status: 1, out: '' });
  });

  it('takes the NodeClass that is named', async () => {
    const files = [join(folder, 'several.json')];

    expect((await run({ files, nodeClass: 'gpu', output: 'text', ...recorded })).out).toContain(
      'EC2NodeClass gpu in eu-west-1',
    );
    expect((await run({ files, nodeClass: 'cpu' })).err).toContain('not exactly one named cpu');
  });

  it('warns of user data that no instance could read, and of settings that are dropped', async () => {
    const spec = { amiSelectorTerms: [{ alias: 'bottlerocket@latest' }], userData: 'a = [' };
    const { status, err } = await run({ files: [file('toml.json', aNodeClassObject(spec))] });

    expect(status).toBe(0);
    expect(err).toContain('EC2NodeClass default: userData is not TOML');

    const unknown = { ...spec, userData: '[settings.kubernetes]\nb-new = 1\na-new = 1\n' };
    expect((await run({ files: [file('new.json', aNodeClassObject(unknown))] })).err).toContain(
      'not passed on: settings.kubernetes.a-new, settings.kubernetes.b-new',
    );
  });

  it.each<[Partial<CatalogArguments>, string]>([
    [{ prices }, '--instance-types is missing'],
    [{ instanceTypes }, '--offerings is missing'],
    [{ ...recorded, live: true }, 'not both'],
    [{ featureGates: 'Typo=true' }, '--feature-gates: there is no gate Typo'],
    [{ reservedEnis: '-1' }, '--reserved-enis -1: expected a number'],
    [{ vmMemoryOverheadPercent: '7.5' }, '--vm-memory-overhead-percent 7.5: expected a share'],
  ])('calls wrong usage what it is: %j', async (args, expected) => {
    const { status, err } = await run(args);

    expect(status).toBe(2);
    expect(err).toContain(expected);
  });
});
