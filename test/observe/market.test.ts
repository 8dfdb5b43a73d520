import { describe, expect, it } from 'vitest';
import { MARKET_PARTS } from '#lib/model/market.ts';
import { readMarket } from '#lib/observe/market.ts';
import { type ActingBench, anActingBench } from '#test/build/acting.ts';

/** What is known at a bench's present moment, and how many ConfigMaps were read for it. */
async function look(bench: ActingBench, { region = 'us-east-1', anew = false } = {}) {
  let reads = 0;
  const kube: typeof bench.api.kube = async (request) => {
    reads += 1;
    return await bench.api.kube(request);
  };
  const again = async (now = bench.api.now()) => {
    const market = await bench.api.through(readMarket(kube, region, { now, anew }));
    const answer = { market, reads };
    reads = 0;
    return answer;
  };
  return { first: await again(), again };
}

describe('readMarket', () => {
  it('takes the embedded table where EC2 was not asked yet, and says of what day it is', async () => {
    const { market } = (await look(anActingBench())).first;

    expect(market.table.types.length).toBeGreaterThan(1_000);
    expect(market.warning).toBe(
      'EC2 was not asked yet what it sells: types and prices are those of 2026-07-20, which are part of this version',
    );
    expect(market.dates).toEqual({});
  });

  it('knows nothing to buy in a region that is not embedded, until EC2 was asked', async () => {
    const { market } = (await look(anActingBench(), { region: 'eu-central-1' })).first;

    expect(market.table).toMatchObject({ zones: [], pricesBorrowedFrom: 'us-east-1' });
    expect(market.warning).toContain('nothing can be launched in eu-central-1 until it is');
  });

  it('does not take the types of another region', async () => {
    const bench = anActingBench();
    await bench.act([{ kind: 'refreshMarket', parts: MARKET_PARTS }]);
    const { market } = (await look(bench, { region: 'us-west-2' })).first;

    expect(market.table.region).toBe('us-west-2');
    expect(market.warning).toContain('ConfigMap ec2-catalog is about us-east-1');
  });

  it('reads when cold, and every five minutes when warm', async () => {
    const bench = anActingBench();
    await bench.act([{ kind: 'refreshMarket', parts: MARKET_PARTS }]);
    const { first, again } = await look(bench);
    const now = bench.api.now();
    const soon = await again(now + 299_000);

    expect(first.reads).toBe(2);
    expect(soon.reads).toBe(0);
    expect(soon.market.table).toBe(first.market.table);
    const later = await again(now + 301_000);
    expect(later.reads).toBe(2);
    // What has not changed is not decoded again.
    expect(later.market.table).toBe(first.market.table);
  });

  it('does not take it for settled that nothing was kept yet: the first refresh is seen at once', async () => {
    const bench = anActingBench();
    const { first, again } = await look(bench);
    await bench.act([{ kind: 'refreshMarket', parts: MARKET_PARTS }]);

    expect(first.market.warning).toContain('EC2 was not asked yet');
    expect((await again()).market.warning).toBeUndefined();
  });

  it('reads at once for whoever refreshes it', async () => {
    const { again } = await look(anActingBench(), { anew: true });

    expect((await again()).reads).toBe(2);
  });
});
