import { describe, expect, it } from 'vitest';
import { decodeSoldOut, readSoldOut, rememberSoldOut } from '#lib/kube/sold-out.ts';
import type { SoldOut } from '#lib/model/sold-out.ts';
import { anApi } from '#test/build/api-bench.ts';

const MINUTE = 60_000;
const spot = (instanceType: string, until: number): SoldOut => ({
  capacityType: 'spot',
  instanceType,
  zone: 'us-east-1a',
  until,
});

describe('the memory of sold-out offerings', () => {
  it('is empty where nothing was ever written', async () => {
    const api = anApi();

    expect(await api.through(readSoldOut(api.kube, api.now()))).toEqual({
      soldOut: [],
      leftOut: [],
    });
  });

  it('gives back what was written, until its time is over', async () => {
    const api = anApi();
    const start = api.now();
    const entry = spot('m5.large', start + 3 * MINUTE);
    await api.through(rememberSoldOut(api.kube, [entry], start));

    expect((await api.through(readSoldOut(api.kube, start))).soldOut).toEqual([entry]);
    expect((await api.through(readSoldOut(api.kube, start + 3 * MINUTE))).soldOut).toEqual([]);
  });

  it('keeps what two writers wrote at once', async () => {
    const api = anApi();
    const until = api.now() + MINUTE;
    const writers = ['m5.large', 'c5.large'].map((type) =>
      rememberSoldOut(api.kube, [spot(type, until)], api.now()),
    );
    await api.through(Promise.all(writers));
    const { soldOut } = await api.through(readSoldOut(api.kube, api.now()));

    expect(soldOut.map(({ instanceType }) => instanceType).sort()).toEqual([
      'c5.large',
      'm5.large',
    ]);
  });

  it('sweeps out what ended long ago', async () => {
    const api = anApi();
    const start = api.now();
    await api.through(rememberSoldOut(api.kube, [spot('m5.large', start)], start));
    const later = start + 11 * MINUTE;
    await api.through(rememberSoldOut(api.kube, [spot('c5.large', later + MINUTE)], later));

    expect(
      Object.keys(
        (api.cluster.get('ConfigMap', 'joinery', 'sold-out') as { data?: object }).data ?? {},
      ),
    ).toEqual(['spot.c5.large.us-east-1a']);
  });

  it('leaves out an entry that says nothing, and says so', () => {
    const data = { 'spot.m5.large.us-east-1a': 'soon', nonsense: '2026-11-20T12:00:00Z' };

    expect(decodeSoldOut({ data }, 0)).toMatchObject({
      soldOut: [],
      leftOut: [{ field: 'data[spot.m5.large.us-east-1a]' }, { field: 'data[nonsense]' }],
    });
  });
});
