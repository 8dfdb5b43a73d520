import { describe, expect, it } from 'vitest';
import {
  knowsMore,
  memoryOf,
  remembersAll,
  restingPods,
  writeMemory,
} from '#lib/disruption/memory-of-moves.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { Pod } from '#lib/model/pod.ts';
import { aNodeClaim } from '#test/build/node-claims.ts';
import { aStateNode } from '#test/build/nodes.ts';
import { HOUR, MINUTE, NOON, ownedBy } from '#test/build/objects.ts';
import { aRunningPod } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

const podOf = (app: string, createdAt: number, serial = 1) =>
  aRunningPod({
    meta: { name: `${app}-${serial}`, createdAt, owners: [{ ...ownedBy('ReplicaSet'), uid: app }] },
  });
const move = (at: number, ...apps: readonly string[]) => ({
  by: `at-${at}`,
  at,
  from: ['m5.large'],
  pods: apps.map((app) => podOf(app, NOON - HOUR)),
});
const remembering = (text: string): NodeClaim =>
  aNodeClaim({ meta: { annotations: { 'joinery.dev/consolidated': text } } });
const seenAt = (now: number, claim: NodeClaim) =>
  aSnapshot({ takenAt: now, nodes: [aStateNode({ claim })] });
const runningThere = (pods: readonly Pod[], now: number, claim: NodeClaim) =>
  [pods, aSnapshot({ takenAt: now, nodes: [{ ...aStateNode({ claim }), pods }] })] as const;

describe('the memory of moves', () => {
  const claim = remembering(writeMemory(move(NOON, 'web')));

  it('has a pod rest that was made by its owner after pods of his were moved', () => {
    const rests = (app: string, createdAt: number, now = NOON + 20 * MINUTE) =>
      restingPods(...runningThere([podOf(app, createdAt)], now, claim)) !== undefined;

    expect(rests('web', NOON + MINUTE)).toBe(true);
    expect(rests('web', NOON - MINUTE)).toBe(false);
    expect(rests('other', NOON + MINUTE)).toBe(false);
    expect(rests('web', NOON + MINUTE, NOON + HOUR)).toBe(false);
  });

  it('takes no pod on a node of a command for one that the command itself has moved', () => {
    const there = [podOf('web', NOON + MINUTE)];
    const [pods, snapshot] = runningThere(there, NOON + 2 * MINUTE, claim);

    expect(restingPods(pods, snapshot, { by: `at-${NOON}` })).toBeUndefined();
    expect(restingPods(pods, snapshot, { by: 'another' })).toContain('was moved 1 min ago');
  });

  it('has as many rest as were moved, those first that were made first', () => {
    const two = remembering(writeMemory(move(NOON, 'web', 'web')));
    const made = [2, 3, 4, 5].map((minute) => podOf('web', NOON + minute * MINUTE, minute));
    const seen = seenAt(NOON + 20 * MINUTE, two);
    const snapshot = { ...seen, nodes: seen.nodes.map((each) => ({ ...each, pods: made })) };

    expect(made.map((pod) => restingPods([pod], snapshot) !== undefined)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('has all rest while a node with pods of their owner is still drained', () => {
    const made = [2, 3].map((minute) => podOf('web', NOON + minute * MINUTE, minute));
    const going = aStateNode({
      claim: aNodeClaim({ meta: { name: 'going', deletedAt: NOON } }),
      pods: [podOf('web', NOON - HOUR, 9)],
    });
    const seen = seenAt(NOON + 4 * MINUTE, claim);
    const nodes = seen.nodes.map((each) => ({ ...each, pods: made }));
    const restsIn = (snapshot: typeof seen) =>
      made.map((pod) => restingPods([pod], snapshot) !== undefined);

    expect(restsIn({ ...seen, nodes })).toEqual([true, false]);
    expect(restsIn({ ...seen, nodes: [...nodes, going] })).toEqual([true, true]);
  });

  it('keeps every move of an owner for an hour', () => {
    const before = memoryOf(claim, NOON + 30 * MINUTE);
    const again = remembering(writeMemory(move(NOON + 30 * MINUTE, 'web', 'other'), before));
    const rests = (app: string, createdAt: number, now: number) =>
      restingPods(...runningThere([podOf(app, createdAt)], now, again)) !== undefined;

    expect(rests('web', NOON + MINUTE, NOON + 40 * MINUTE)).toBe(true);
    expect(rests('web', NOON + 31 * MINUTE, NOON + 80 * MINUTE)).toBe(true);
    expect(rests('other', NOON + MINUTE, NOON + 40 * MINUTE)).toBe(false);
  });

  it('takes over what nodes that go remember of the hour before', () => {
    const of = (text: string, now: number) => memoryOf(remembering(text), now);
    const going = of(writeMemory(move(NOON, 'web')), NOON + 30 * MINUTE);
    const heir = of(
      writeMemory(move(NOON + 30 * MINUTE), undefined, going ? [going] : []),
      NOON + 30 * MINUTE,
    );

    expect(going && knowsMore([going], undefined, NOON + 30 * MINUTE)).toBe(true);
    expect(going && knowsMore([going], heir, NOON + 30 * MINUTE)).toBe(false);
    expect(going && knowsMore([going], undefined, NOON + 61 * MINUTE)).toBe(false);
    expect(heir?.owners).toEqual(going?.owners);
  });

  it('remembers a day long what was given up, and by whom it was asked', () => {
    const before = memoryOf(claim, NOON + 23 * HOUR);

    expect(before?.from).toEqual(['m5.large']);
    expect(memoryOf(claim, NOON + 24 * HOUR)).toBeUndefined();
    const knows = (by: string, now: number) =>
      before && remembersAll(before, [podOf('web', NOON)], { by, now });
    expect(knows(`at-${NOON}`, NOON + 5 * MINUTE)).toBe(true);
    expect(knows(`at-${NOON}`, NOON + 6 * MINUTE)).toBe(false);
    expect(knows('another', NOON)).toBe(false);
  });

  it('tells two commands apart that move pods of one owner at the same moment', () => {
    const first = memoryOf(claim, NOON);
    const both = writeMemory({ ...move(NOON, 'web'), by: 'second' }, first);
    const made = [2, 3, 4].map((minute) => podOf('web', NOON + minute * MINUTE, minute));
    const seen = seenAt(NOON + 20 * MINUTE, remembering(both));
    const nodes = [...seen.nodes, aStateNode({ claim })].map((each, at) =>
      at === 0 ? { ...each, pods: made } : each,
    );

    expect(first && remembersAll(first, [podOf('web', NOON)], { by: 'second', now: NOON })).toBe(
      false,
    );
    expect(made.map((pod) => restingPods([pod], { ...seen, nodes }) !== undefined)).toEqual([
      true,
      true,
      false,
    ]);
  });

  describe('of a command that nobody came back to for long', () => {
    const ids = { by: 'slow', from: [] };
    const first = (pods: number) =>
      writeMemory({ ...ids, at: NOON, pods: Array.from({ length: pods }, () => podOf('web', 0)) });
    const resting = (minutes: readonly number[], ...texts: readonly string[]) => {
      const made = minutes.map((minute) => podOf('web', NOON + minute * MINUTE, minute));
      const nodes = texts.map((text) => aStateNode({ claim: remembering(text), pods: made }));
      const snapshot = aSnapshot({ takenAt: NOON + 59 * MINUTE, nodes: nodes.slice(0, 1) });
      const all = { ...snapshot, nodes: nodes.map((each, at) => (at === 0 ? each : bare(each))) };
      return made.filter((pod) => restingPods([pod], all)).map(({ meta }) => meta.name);
    };
    const bare = (state: ReturnType<typeof aStateNode>) => ({ ...state, pods: [] });

    it('keeps what was moved before in mind, when the rest is written anew', () => {
      const before = memoryOf(remembering(first(3)), NOON + 6 * MINUTE);
      const again = writeMemory({ ...ids, at: NOON + 6 * MINUTE, pods: [podOf('web', 0)] }, before);

      expect(resting([2, 3, 8], again)).toEqual(['web-2', 'web-3', 'web-8']);
    });

    it('has those rest that were moved at last, though other nodes remember the first attempt', () => {
      const again = writeMemory({ ...ids, at: NOON + 50 * MINUTE, pods: [podOf('web', 0)] });

      expect(resting([10, 52], first(1), again)).toEqual(['web-10', 'web-52']);
    });
  });

  it.each(['', 'x', '{"v":9,"at":"2026-11-20T12:00:00Z"}', '{"v":2,"at":"soon"}'])(
    'is none where it cannot be read: %s',
    (text) => {
      expect(memoryOf(remembering(text), NOON)).toBeUndefined();
    },
  );
});
