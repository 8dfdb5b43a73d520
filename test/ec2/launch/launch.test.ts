import { describe, expect, it } from 'vitest';
import { isRejection } from '#lib/constraints/rejection.ts';
import { launchOf } from '#lib/ec2/launch/launch.ts';
import type { Launch } from '#lib/model/launch.ts';
import { aCatalog, anInstanceType } from '#test/build/instance-types.ts';
import { aNewClaim } from '#test/build/node-claims.ts';
import { aNodeClass } from '#test/build/node-pools.ts';
import { someSettings } from '#test/build/snapshots.ts';

const TYPES = [
  anInstanceType('m5.large', { cpu: 2 }),
  anInstanceType('m5.xlarge', { cpu: 4 }),
  anInstanceType('m5.metal', { cpu: 1, usdPerHour: 0.01 }),
  anInstanceType('g4dn.xlarge', { cpu: 4, usdPerHour: 0.02, more: { 'nvidia.com/gpu': 1 } }),
];

function launching(
  claims = [aNewClaim()],
  { nodeClass = aNodeClass(), types = TYPES, attempt = 0 } = {},
) {
  const context = { catalog: aCatalog(types), settings: someSettings(), attempt };
  return launchOf(claims, undefined, nodeClass, context);
}

/** What a launch asks for, where it is none a failed test. */
function asked(...call: Parameters<typeof launching>): Launch {
  const launch = launching(...call);
  if (isRejection(launch)) throw new Error(launch.because);
  return launch;
}

const typesOf = (launch: Launch): readonly string[] =>
  [...new Set(JSON.stringify(launch.request).match(/(?<="InstanceType":")[^"]+/g))].sort();

const requiring = (key: string, values: readonly string[], minValues?: number) =>
  aNewClaim({
    spec: {
      requirements: [
        { key, operator: 'In', values, ...(minValues === undefined ? {} : { minValues }) },
      ],
    },
  });

describe('launchOf', () => {
  it('asks for as many instances as there are claims, and tags them with their group', () => {
    const members = ['claim-2', 'claim-1'].map((name) =>
      aNewClaim({ meta: { name, annotations: { 'joinery.dev/launch-group': 'g1/2' } } }),
    );
    const launch = asked(members);

    expect(launch.claims.map(({ name }) => name)).toEqual(['claim-1', 'claim-2']);
    expect(launch.request).toMatchObject({
      TargetCapacitySpecification: { TotalTargetCapacity: 2 },
    });
    expect(JSON.stringify(launch.request)).toContain(
      '{"Key":"joinery.dev/launch-group","Value":"g1"}',
    );
    expect(JSON.stringify(launch.request)).not.toContain('karpenter.sh/nodeclaim');
  });

  it('names the claim on the instance where there is only one', () => {
    expect(JSON.stringify(asked().request)).toContain(
      '{"Key":"karpenter.sh/nodeclaim","Value":"claim-1"}',
    );
  });

  it('keeps what is unique to a launch out of its templates, so that they are made once', () => {
    const [first] = asked([aNewClaim({ meta: { name: 'a' } })]).launchTemplates;
    const [second] = asked([aNewClaim({ meta: { name: 'b' } })]).launchTemplates;

    expect(first?.name).toBe(second?.name);
  });

  it('gives the same request and token for the same claims in any order', () => {
    const [a, b] = [aNewClaim({ meta: { name: 'a' } }), aNewClaim({ meta: { name: 'b' } })];

    expect(launching([a, b])).toEqual(launching([b, a]));
  });

  it('fixes the token by the claims and the attempt, not by what is asked for', () => {
    const cheaper = asked([aNewClaim()], { types: TYPES.slice(1) });

    expect(cheaper.clientToken).toBe(asked().clientToken);
    expect(asked([aNewClaim()], { attempt: 1 }).clientToken).not.toBe(asked().clientToken);
    expect(cheaper.clientToken.length).toBeLessThanOrEqual(64);
  });

  it('leaves metal and GPUs alone while something plain will do', () => {
    expect(typesOf(asked())).toEqual(['m5.large', 'm5.xlarge']);
    const onlyMetal = requiring('node.kubernetes.io/instance-type', ['m5.metal']);
    expect(typesOf(asked([onlyMetal]))).toEqual(['m5.metal']);
  });

  it('can hold what any of its claims requests', () => {
    const large = aNewClaim({ meta: { name: 'large' }, spec: { requests: { cpu: 3000 } } });

    expect(typesOf(asked([aNewClaim(), large]))).toEqual(['m5.xlarge']);
  });

  it('falls back to on-demand where spot is sold out', () => {
    const zones = ['us-east-1a', 'us-east-1b', 'us-east-1c'];
    const soldOut = zones.map((zone) => `${zone}/spot`);
    const types = [anInstanceType('m5.large', { soldOut })];

    expect(asked([aNewClaim()], { types }).request).toMatchObject({
      TargetCapacitySpecification: { DefaultTargetCapacityType: 'on-demand' },
    });
    expect(asked().request).toMatchObject({
      TargetCapacitySpecification: { DefaultTargetCapacityType: 'spot' },
    });
  });

  it('boots in the subnet of each zone that has the most free addresses, of equals the first', () => {
    const subnet = (id: string, zone: string, freeAddresses?: number) => ({
      ...{ id, zone, zoneId: '' },
      ...(freeAddresses === undefined ? {} : { freeAddresses }),
    });
    const subnets = [
      subnet('untold', 'us-east-1a'),
      subnet('roomy', 'us-east-1a', 9),
      subnet('narrow', 'us-east-1a', 8),
      subnet('first', 'us-east-1b'),
      subnet('second', 'us-east-1b'),
    ];
    const { request } = asked(undefined, { nodeClass: aNodeClass({ status: { subnets } }) });

    expect([...new Set(JSON.stringify(request).match(/(?<="SubnetId":")[^"]+/g))].sort()).toEqual([
      'first',
      'roomy',
    ]);
  });

  it('buys an instance of its own where the claim allows no shared host', () => {
    const tenancyOf = (values: readonly string[]) =>
      asked([requiring('karpenter.k8s.aws/instance-tenancy', values)]).launchTemplates[0]?.data;

    expect(tenancyOf(['dedicated'])).toMatchObject({ Placement: { Tenancy: 'dedicated' } });
    expect(tenancyOf(['dedicated', 'default'])).toMatchObject({
      Placement: { Tenancy: 'default' },
    });
  });

  it('opens enclaves only to who asks for a nitro sandbox', () => {
    const sandbox = 'eks.amazonaws.com/nitro-sandbox';
    const types = [anInstanceType('m5.large', { more: { [sandbox]: 1 } })];
    const enclavesOf = (requests: Readonly<Record<string, number>>) =>
      asked([aNewClaim({ spec: { requests } })], { types }).launchTemplates[0]?.data;

    expect(enclavesOf({ cpu: 1, [sandbox]: 1 })).toMatchObject({
      EnclaveOptions: { Enabled: true },
    });
    expect(enclavesOf({ cpu: 1 })).toMatchObject({ EnclaveOptions: { Enabled: false } });
  });

  it.each([
    ['offerings', launching([requiring('topology.kubernetes.io/zone', ['us-east-1f'])])],
    ['minValues', launching([requiring('node.kubernetes.io/instance-type', ['m5.large'], 2)])],
    ['nodeClass', launching(undefined, { nodeClass: aNodeClass({ status: { amis: [] } }) })],
    [
      'nodeClass',
      launching(undefined, { nodeClass: aNodeClass({ status: { securityGroups: [] } }) }),
    ],
    [
      'nodeClass',
      launching(undefined, {
        nodeClass: aNodeClass({ spec: { tags: { 'kubernetes.io/cluster/other': 'owned' } } }),
      }),
    ],
    [
      'nodeClass',
      launching(undefined, {
        nodeClass: aNodeClass({ spec: { userData: 'MIME-Version: 1.0\n\nno content type' } }),
      }),
    ],
    ['nodeClass', launching(undefined, { nodeClass: aNodeClass({ status: { subnets: [] } }) })],
    [
      'instanceTypes',
      launching(undefined, { types: [anInstanceType('m6g.large', { arch: 'arm64' })] }),
    ],
    ['offerings', launching([requiring('karpenter.sh/capacity-type', ['reserved'])])],
    [
      'nodeClass',
      launching(undefined, {
        nodeClass: aNodeClass({ spec: { amiFamily: 'Bottlerocket', userData: 'a = [' } }),
      }),
    ],
  ])('is refused on %s, and says so', (by, launch) => {
    expect(launch).toMatchObject({ rejected: true, by });
  });
});
