import { describe, expect, it } from 'vitest';
import { decodeCatalog, packCatalog, writeCatalog } from '#lib/kube/catalog-config-map.ts';
import { MARKET_PARTS, type MarketPart } from '#lib/model/market.ts';
import { readMarket } from '#lib/observe/market.ts';
import { type ActingBench, anActingBench } from '#test/build/acting.ts';

const refresh = (bench: ActingBench, parts: readonly MarketPart[] = MARKET_PARTS) =>
  bench.act([{ kind: 'refreshMarket', parts }]);

const marketOf = (bench: ActingBench) =>
  bench.api.through(readMarket(bench.api.kube, 'us-east-1', { now: bench.api.now(), anew: true }));

const configMap = (bench: ActingBench) =>
  bench.api.cluster.get('ConfigMap', 'joinery', 'ec2-catalog');

/** A ConfigMap that somebody else wrote, or damaged. */
const holding = (bench: ActingBench, difference: object) => {
  bench.api.cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'joinery' } });
  bench.api.cluster.apply({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'ec2-catalog', namespace: 'joinery' },
    ...difference,
  });
};

describe('refreshMarket', () => {
  it('keeps what EC2 sells and for how much, gzipped, with the date of each part', async () => {
    const bench = anActingBench();

    expect(await refresh(bench)).toMatchObject([{ result: 'done' }]);
    const { table, dates, warning } = await marketOf(bench);
    expect(table.zones).toEqual([
      { name: 'us-east-1a', id: 'use1-az1' },
      { name: 'us-east-1b', id: 'use1-az2' },
    ]);
    expect(table.types.map((type) => [type.facts.name, type.onDemandUsdPerHour])).toEqual([
      ['c5.large', 0.085],
      ['m5.large', 0.096],
      ['m6g.large', 0.077],
    ]);
    expect(table.types[0]?.sales[0]?.spotUsdPerHour).toBeGreaterThan(0);
    expect(table).toMatchObject({ pricedAt: '2026-11-20', spotPricesAreEstimates: false });
    expect(Object.keys(dates ?? {}).sort()).toEqual([...MARKET_PARTS].sort());
    expect(warning).toBeUndefined();
    expect(configMap(bench)).toMatchObject({
      metadata: { annotations: { 'joinery.dev/schema': '1' } },
    });
  });

  it('knows of a type what EC2 does not tell from the embedded table', async () => {
    const bench = anActingBench();
    await refresh(bench);
    const { table } = await marketOf(bench);

    expect(table.types.find(({ facts }) => facts.name === 'm5.large')?.facts).toMatchObject({
      networkMbps: 750,
      branchInterfaces: 9,
    });
  });

  it('keeps what is answered where another part is not, and says why', async () => {
    const bench = anActingBench();
    bench.account.aws.failNext({ name: 'GetProducts', code: 'AccessDeniedException', times: 2 });

    expect(await refresh(bench)).toMatchObject([
      { result: 'failed', because: expect.stringMatching(/^onDemandPrices: AccessDenied/) },
    ]);
    const { table, dates } = await marketOf(bench);
    expect(dates).toHaveProperty('spotPrices');
    expect(dates).not.toHaveProperty('onDemandPrices');
    expect(table.pricedAt).not.toBe('2026-11-20');
  });

  it('asks for a part alone and leaves the others as they are', async () => {
    const bench = anActingBench();
    await refresh(bench);
    const before = await marketOf(bench);
    await bench.api.wait(3_600);
    await refresh(bench, ['spotPrices']);
    const after = await marketOf(bench);

    expect(after.dates?.spotPrices).toBeGreaterThan(before.dates?.spotPrices ?? 0);
    expect(after.dates?.types).toBe(before.dates?.types);
    expect(after.table.types.map(({ onDemandUsdPerHour }) => onDemandUsdPerHour)).toEqual(
      before.table.types.map(({ onDemandUsdPerHour }) => onDemandUsdPerHour),
    );
    expect(bench.account.aws.calls()).toMatchObject({
      DescribeInstanceTypes: 1,
      DescribeSpotPriceHistory: 2,
      GetProducts: 2,
    });
  });

  it('comes to nothing where somebody else wrote in between', async () => {
    const bench = anActingBench();
    await refresh(bench);
    const { metadata } = Object(configMap(bench));
    const stale = { ...decodeCatalogRef(bench), resourceVersion: '1' };
    const packed = packCatalog({}, {});

    await expect(
      bench.api.through(writeCatalog(bench.api.kube, { packed, dates: {} }, stale)),
    ).rejects.toMatchObject({ kind: 'conflict' });
    expect(Object(configMap(bench)).metadata.resourceVersion).toBe(metadata.resourceVersion);
  });

  it('does not overwrite what another version wrote', async () => {
    const bench = anActingBench();
    const metadata = {
      name: 'ec2-catalog',
      namespace: 'joinery',
      annotations: { 'joinery.dev/schema': '7' },
    };
    holding(bench, { metadata });

    expect(await refresh(bench)).toMatchObject([
      { result: 'failed', because: expect.stringContaining('schema 7') },
    ]);
    expect(bench.account.aws.calls()).toEqual({});
    expect(await marketOf(bench)).not.toHaveProperty('dates');
  });

  it('writes anew what is damaged', async () => {
    const bench = anActingBench();
    holding(bench, { binaryData: { 'region.json.gz': 'AAAA' } });
    const damaged = await marketOf(bench);

    expect(damaged.warning).toMatch(/^ConfigMap ec2-catalog is damaged .* those of 2026-07-20/);
    expect(damaged.dates).toEqual({});
    expect(await refresh(bench)).toMatchObject([{ result: 'done' }]);
    expect(await marketOf(bench)).not.toHaveProperty('warning');
  });

  it('forgets the dates of what is not known any more', async () => {
    const bench = anActingBench();
    holding(bench, {
      data: { types: '2026-11-20T11:00:00Z', spotPrices: '2026-11-20T11:00:00Z' },
      binaryData: { 'region.json.gz': 'AAAA' },
    });
    await refresh(bench, ['spotPrices']);

    expect(Object.keys((await marketOf(bench)).dates ?? {})).toEqual(['spotPrices']);
  });

  it('refuses to keep more than a ConfigMap holds', async () => {
    const bench = anActingBench();
    const packed = { facts: Buffer.alloc(1_048_577).toString('base64'), region: '' };

    await expect(
      bench.api.through(writeCatalog(bench.api.kube, { packed, dates: {} }, undefined)),
    ).rejects.toThrow('what EC2 sells takes 1048577 bytes, a ConfigMap holds 1048576');
  });
});

const decodeCatalogRef = (bench: ActingBench) => {
  const found = decodeCatalog(configMap(bench));
  if (found.kind !== 'record') throw new Error('expected a record');
  return found.ref;
};

describe('rememberMemory', () => {
  const record = (instanceType: string, bytes: number, seenAt: number) => ({
    instanceType,
    images: 'abc',
    bytes,
    seenAt,
  });
  const remember = (bench: ActingBench, ...records: ReturnType<typeof record>[]) =>
    bench.act([{ kind: 'rememberMemory', records }]);

  it('keeps what nodes told, and forgets it after sixty days', async () => {
    const bench = anActingBench();
    const now = bench.api.now();
    const old = now - 60 * 86_400_000 - 1;
    await remember(bench, record('m5.large', 8_000, now), record('c5.large', 4_000, old));

    expect((await marketOf(bench)).memory).toEqual([record('m5.large', 8_000, now)]);
    await remember(bench, record('m6g.large', 8_100, now));
    expect(
      Object.keys(Object(bench.api.cluster.get('ConfigMap', 'joinery', 'discovered-memory')).data),
    ).toEqual(['m5.large.abc', 'm6g.large.abc']);
  });

  it('names the entries that say nothing', async () => {
    const bench = anActingBench();
    await remember(bench, record('m5.large', 8_000, bench.api.now()));
    bench.api.cluster.apply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'discovered-memory', namespace: 'joinery' },
      data: { 'c5.large.abc': 'much' },
    });

    expect((await marketOf(bench)).leftOut).toMatchObject([{ field: 'data[c5.large.abc]' }]);
  });
});
