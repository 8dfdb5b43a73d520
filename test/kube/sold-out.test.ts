import { describe, expect, it } from 'vitest';
import {
  decodeSoldOut,
  readSoldOut,
  rememberFullSubnets,
  rememberSoldOut,
} from '#lib/kube/sold-out.ts';
import { anApi } from '#test/build/api-bench.ts';

const MINUTE = 60_000;
const spot = (instanceType: string) => ({
  capacityType: 'spot' as const,
  instanceType,
  zone: 'us-east-1a',
});
/** Three minutes each time in a row. */
const at = (now: number) => ({ now, until: (times: number) => now + times * 3 * MINUTE });

describe('the memory of sold-out offerings', () => {
  it('is empty where nothing was ever written', async () => {
    const api = anApi();

    expect(await api.through(readSoldOut(api.kube, api.now()))).toEqual({
      soldOut: [],
      fullSubnets: [],
      leftOut: [],
    });
  });

  it('gives back which subnets were full, until that is over', async () => {
    const api = anApi();
    const start = api.now();
    await api.through(rememberFullSubnets(api.kube, ['subnet-1'], at(start)));

    const fullAt = async (now: number) =>
      (await api.through(readSoldOut(api.kube, now))).fullSubnets;
    expect(await fullAt(start)).toEqual(['subnet-1']);
    expect(await fullAt(start + 3 * MINUTE)).toEqual([]);
    expect((await api.through(readSoldOut(api.kube, start))).leftOut).toEqual([]);
  });

  it('gives back what was written, until its time is over', async () => {
    const api = anApi();
    const start = api.now();
    await api.through(rememberSoldOut(api.kube, [spot('m5.large')], at(start)));

    expect((await api.through(readSoldOut(api.kube, start))).soldOut).toEqual([
      { ...spot('m5.large'), until: start + 3 * MINUTE },
    ]);
    expect((await api.through(readSoldOut(api.kube, start + 3 * MINUTE))).soldOut).toEqual([]);
  });

  it('keeps what is sold out in a placement group apart from what is so everywhere', async () => {
    const api = anApi();
    const start = api.now();
    const inGroup = { ...spot('m5.large'), placementGroup: 'pg-0a1' };
    await api.through(rememberSoldOut(api.kube, [inGroup, spot('c5.large')], at(start)));

    const { soldOut } = await api.through(readSoldOut(api.kube, start));
    expect(soldOut.map(({ until: _, ...offering }) => offering)).toEqual([
      inGroup,
      spot('c5.large'),
    ]);
  });

  it('remembers longer what is sold out again soon after, and as long what is told twice', async () => {
    const api = anApi();
    const start = api.now();
    const remember = (now: number) =>
      api.through(rememberSoldOut(api.kube, [spot('m5.large')], at(now)));
    const untilOf = async (now: number) =>
      (await api.through(readSoldOut(api.kube, now))).soldOut[0]?.until;
    await remember(start);
    await remember(start + MINUTE);

    expect(await untilOf(start)).toBe(start + 4 * MINUTE);

    const again = start + 5 * MINUTE;
    await remember(again);
    expect(await untilOf(again)).toBe(again + 6 * MINUTE);

    const muchLater = again + 20 * MINUTE;
    await remember(muchLater);
    expect(await untilOf(muchLater)).toBe(muchLater + 3 * MINUTE);
  });

  it('keeps what two writers wrote at once', async () => {
    const api = anApi();
    const writers = ['m5.large', 'c5.large'].map((type) =>
      rememberSoldOut(api.kube, [spot(type)], at(api.now())),
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
    await api.through(rememberSoldOut(api.kube, [spot('m5.large')], at(start)));
    const later = start + 14 * MINUTE;
    await api.through(rememberSoldOut(api.kube, [spot('c5.large')], at(later)));

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
