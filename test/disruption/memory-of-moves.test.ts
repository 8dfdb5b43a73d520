import { describe, expect, it } from 'vitest';
import {
  memoryOf,
  remembersAll,
  restingPods,
  writeMemory,
} from '#lib/disruption/memory-of-moves.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import { aNodeClaim } from '#test/build/node-claims.ts';
import { aStateNode } from '#test/build/nodes.ts';
import { HOUR, MINUTE, NOON, ownedBy } from '#test/build/objects.ts';
import { aRunningPod } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

const podOf = (app: string, createdAt: number) =>
  aRunningPod({
    meta: { name: `${app}-1`, createdAt, owners: [{ ...ownedBy('ReplicaSet'), uid: app }] },
  });
const move = (at: number, ...apps: readonly string[]) => ({
  at,
  from: ['m5.large'],
  pods: apps.map((app) => podOf(app, NOON - HOUR)),
});
const remembering = (text: string): NodeClaim =>
  aNodeClaim({ meta: { annotations: { 'joinery.dev/consolidated': text } } });
const seenAt = (now: number, claim: NodeClaim) =>
  aSnapshot({ takenAt: now, nodes: [aStateNode({ claim })] });

describe('the memory of moves', () => {
  const claim = remembering(writeMemory(move(NOON, 'web')));

  it('has a pod rest that was made by its owner after pods of his were moved', () => {
    const rests = (app: string, createdAt: number, now = NOON + 20 * MINUTE) =>
      restingPods([podOf(app, createdAt)], seenAt(now, claim)) !== undefined;

    expect(rests('web', NOON + MINUTE)).toBe(true);
    expect(rests('web', NOON - MINUTE)).toBe(false);
    expect(rests('other', NOON + MINUTE)).toBe(false);
    expect(rests('web', NOON + MINUTE, NOON + HOUR)).toBe(false);
  });

  it('keeps every move of an owner for an hour', () => {
    const before = memoryOf(claim, NOON + 30 * MINUTE);
    const again = remembering(writeMemory(move(NOON + 30 * MINUTE, 'web', 'other'), before));
    const rests = (app: string, createdAt: number, now: number) =>
      restingPods([podOf(app, createdAt)], seenAt(now, again)) !== undefined;

    expect(rests('web', NOON + MINUTE, NOON + 40 * MINUTE)).toBe(true);
    expect(rests('web', NOON + 31 * MINUTE, NOON + 80 * MINUTE)).toBe(true);
    expect(rests('other', NOON + MINUTE, NOON + 40 * MINUTE)).toBe(false);
  });

  it('remembers a day long what was given up, and by whom it was asked', () => {
    const before = memoryOf(claim, NOON + 23 * HOUR);

    expect(before?.from).toEqual(['m5.large']);
    expect(memoryOf(claim, NOON + 24 * HOUR)).toBeUndefined();
    expect(before && remembersAll(before, [podOf('web', NOON)], NOON)).toBe(true);
    expect(before && remembersAll(before, [podOf('web', NOON)], NOON + MINUTE)).toBe(false);
  });

  it.each(['', 'x', '{"v":9,"at":"2026-11-20T12:00:00Z"}', '{"v":1,"at":"soon"}'])(
    'is none where it cannot be read: %s',
    (text) => {
      expect(memoryOf(remembering(text), NOON)).toBeUndefined();
    },
  );
});
