import { describe, expect, it } from 'vitest';
import { decideInterrupt } from '#lib/decide/interrupt.ts';
import { aStateNode } from '#test/build/nodes.ts';
import { NOON } from '#test/build/objects.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

describe('decideInterrupt', () => {
  it('names the interruptions of our own nodes and leaves them alone', () => {
    const interruptions = ['i-0123456789abcdef0', 'i-0fedcba9876543210'].map((instanceId) => ({
      kind: 'SpotInterruption' as const,
      instanceId,
      announcedAt: NOON,
    }));

    expect(decideInterrupt(aSnapshot({ nodes: [aStateNode()] }), interruptions)).toMatchObject({
      actions: [],
      warnings: [
        'SpotInterruption of i-0123456789abcdef0 (node-1) left alone: not acted on by this version',
      ],
    });
  });
});
