import { describe, expect, it } from 'vitest';
import { advance } from '#lib/lifecycle/advance.ts';
import { aStateNode } from '#test/build/nodes.ts';
import { aRunningPod } from '#test/build/pods.ts';
import { quietWorld } from '#test/build/quiet-world.ts';

describe('advance', () => {
  it('does nothing in a cluster where nothing is on its way', () => {
    const idle = quietWorld({ nodes: [aStateNode({ pods: [aRunningPod()] })] });

    expect(advance(idle)).toEqual({ actions: [] });
  });
});
