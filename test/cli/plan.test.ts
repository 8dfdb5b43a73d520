import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type PlanArguments, planCommand } from '#lib/cli/plan.ts';

const folder = mkdtempSync(join(tmpdir(), 'joinery-plan-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const POOL = {
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
const aPodObject = (name: string, cpu: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'a', image: 'a', resources: { requests: { cpu } } }], ...more },
});
const CATALOG = {
  region: 'us-east-1',
  pricedAt: '2026-11-01',
  instanceTypes: [
    {
      name: 'm5.large',
      requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }],
      capacity: { cpu: '2', memory: '7782Mi', pods: '29' },
      overhead: { cpu: '70m', memory: '674Mi' },
      offerings: [
        { zone: 'us-east-1a', zoneId: 'use1-az1', capacityType: 'on-demand', usdPerHour: 0.096 },
        { zone: 'us-east-1a', zoneId: 'use1-az1', capacityType: 'spot', usdPerHour: 0.0371 },
      ],
    },
  ],
};
const catalog = file('catalog.json', CATALOG);

async function run(args: Partial<PlanArguments>) {
  const [out, err]: [string[], string[]] = [[], []];
  const status = await planCommand(
    { decision: 'provision', files: [], output: 'json', catalog, ...args },
    { out: (line) => out.push(line), err: (line) => err.push(line) },
  );
  return { status, out: out.join('\n'), err: err.join('\n') };
}

describe('joinery plan', () => {
  it('lowers minValues and forgets preferences where it is told to', async () => {
    const pool = structuredClone(POOL);
    const type = { key: 'node.kubernetes.io/instance-type', operator: 'Exists', minValues: 2 };
    Object.assign(pool.spec.template.spec, { requirements: [type] });
    const onDemand = { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] };
    const preferred = [{ weight: 1, preference: { matchExpressions: [onDemand] } }];
    const nodeAffinity = { preferredDuringSchedulingIgnoredDuringExecution: preferred };
    const pod = aPodObject('web', '1', { affinity: { nodeAffinity } });
    const strict = file('strict.json', { kind: 'List', items: [pool, pod] });
    const wishful = file('wishful.json', { kind: 'List', items: [POOL, pod] });
    const planOf = async (args: Partial<PlanArguments>) => JSON.parse((await run(args)).out);

    expect((await planOf({ files: [strict] })).refused).toMatchObject([{ by: 'minValues' }]);
    expect((await planOf({ files: [strict], minValuesPolicy: 'BestEffort' })).refused).toEqual([]);
    expect((await planOf({ files: [wishful] })).warnings).toHaveLength(2);
    expect((await planOf({ files: [wishful], preferencePolicy: 'Ignore' })).warnings).toHaveLength(
      1,
    );
  });

  it('follows a catalog that is a link which was checked out as a file', async () => {
    const link = file('link.json', './catalog.json\n');
    const pods = file('one.json', { kind: 'List', items: [POOL, aPodObject('web', '1')] });

    expect((await run({ files: [pods], catalog: link })).status).toBe(0);
    expect(
      await run({ files: [pods], catalog: file('dead.json', './nowhere.json') }),
    ).toMatchObject({
      status: 1,
      err: expect.stringContaining('there is no such catalog file'),
    });
  });

  const files = [file('cluster.json', { kind: 'List', items: [POOL, aPodObject('web', '1')] })];

  it('prints a plan as JSON, under its apiVersion and kind', async () => {
    const { status, out } = await run({ files, now: '2026-11-20T12:00:00Z' });

    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      apiVersion: 'joinery.dev/v1',
      kind: 'Plan',
      decision: 'provision',
      takenAt: '2026-11-20T12:00:00Z',
      nodeClaims: [
        {
          nodePool: 'default',
          instanceTypes: ['m5.large'],
          requests: { cpu: '1', pods: '1' },
          pods: ['default/web'],
          cheapest: { instanceType: 'm5.large', zone: 'us-east-1a', capacityType: 'spot' },
          usdPerHour: 0.0371,
        },
      ],
      placements: [],
      refused: [],
      usdPerHour: 0.0371,
      warnings: [expect.stringContaining('EC2NodeClass default is not in the files')],
    });
  });

  it('spreads pods that do not ask for it as the scheduler is configured to', async () => {
    const web = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: { containers: [{ name: 'a', image: 'a', resources: { requests: { cpu: '1' } } }] },
        },
      },
    };
    const files = [file('pool.json', POOL), file('web.json', web)];
    const constraint = { maxSkew: 1, topologyKey: 'rack', whenUnsatisfiable: 'DoNotSchedule' };
    const schedulerConfig = file('scheduler.yaml', {
      podTopologySpread: { defaultConstraints: [constraint] },
    });
    const free = await run({ files });
    const spread = await run({ files, schedulerConfig });

    expect(JSON.parse(free.out).refused).toEqual([]);
    expect(JSON.parse(spread.out).refused).toHaveLength(2);
  });

  it('says what is wrong with the configuration of the scheduler', async () => {
    const schedulerConfig = file('scheduler.yaml', 'podTopologySpread: {defaults: []}');
    const { status, err } = await run({ files: [file('pool.json', POOL)], schedulerConfig });

    expect(status).toBe(1);
    expect(err).toMatch(/scheduler\.yaml: podTopologySpread\.defaults: unknown field/);
  });

  it('prints it for people, refusals of one reason together', async () => {
    const large = ['a', 'b', 'c', 'd'].map((name) => aPodObject(name, '64'));
    const { status, out } = await run({
      files: [...files, file('large.json', { kind: 'List', items: large })],
      output: 'text',
    });

    expect(status).toBe(0);
    expect(out).toContain('m5.large spot us-east-1a');
    expect(out).toContain('4 pods (default/a, default/b, default/c, …): no node has room for it');
    expect(out).toContain('Total: $0.0371/h, at most 0 % above the cheapest possible');
  });

  it('refuses what it cannot place yet, and says what the pod needs', async () => {
    const resourceClaims = [{ name: 'gpu', resourceClaimTemplateName: 'gpu' }];
    const pod = aPodObject('web', '1', { resourceClaims });
    const { out } = await run({
      files: [file('dra.json', { kind: 'List', items: [POOL, pod] })],
    });

    expect(JSON.parse(out).refused).toMatchObject([
      { by: 'unsupported', because: expect.stringContaining('Dynamic Resource Allocation') },
    ]);
  });

  it('refuses pods, with the reason, where the catalog has no zone that the pool allows', async () => {
    const requirements = [
      { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['us-west-2a'] },
    ];
    const template = { spec: { ...POOL.spec.template.spec, requirements } };
    const elsewhere = { ...POOL, spec: { template } };
    const { status, out } = await run({
      files: [file('west.json', { kind: 'List', items: [elsewhere, aPodObject('web', '1')] })],
    });

    expect(status).toBe(0);
    expect(JSON.parse(out).refused[0].because).toContain(
      'no instance type that is sold here has topology.kubernetes.io/zone In [us-west-2a]',
    );
  });

  it.each([
    ['an unknown decision', { decision: 'dance', files }, 'name one of provision'],
    ['a bad instant', { files, now: 'noon' }, '--now noon is not an instant'],
    ['no event', { decision: 'interrupt', files }, '--event'],
  ])('says how it is used, given %s', async (_, args, words) => {
    const { status, out, err } = await run(args);

    expect([status, out]).toEqual([2, '']);
    expect(err).toContain(words);
  });

  it.each([
    ['a file that is not there', () => join(folder, 'none.json'), 'there is no such file'],
    ['an empty file', () => file('empty.yaml', ''), 'the file is empty'],
    ['no objects', () => file('blank.yaml', '---\n'), 'no object'],
  ])('stops at %s', async (_, path, words) => {
    const { status, out, err } = await run({ files: [path()] });

    expect([status, out]).toEqual([1, '']);
    expect(err).toContain(words);
  });

  it.each([
    ['no JSON', 'nonsense', 'it is not JSON'],
    ['no region', { instanceTypes: [] }, 'region: found nothing, expected a name'],
    [
      'a type twice',
      { ...CATALOG, instanceTypes: [...CATALOG.instanceTypes, ...CATALOG.instanceTypes] },
      'm5.large is listed twice',
    ],
    [
      'a bad price',
      {
        ...CATALOG,
        instanceTypes: [
          {
            ...CATALOG.instanceTypes[0],
            offerings: [{ zone: 'a', capacityType: 'spot', usdPerHour: '1' }],
          },
        ],
      },
      'instanceTypes[0].offerings[0].usdPerHour: found "1", expected a price',
    ],
  ])('stops at a catalog with %s', async (name, content, words) => {
    const { status, out, err } = await run({ files, catalog: file(`${name}.json`, content) });

    expect([status, out]).toEqual([1, '']);
    expect(err).toContain(words);
  });
});
