import { describe, expect, it } from 'vitest';
import { decideConsolidate } from '#lib/decide/consolidate.ts';
import { aStateNode } from '#test/build/nodes.ts';
import { aRunningPod } from '#test/build/pods.ts';
import { quietWorld } from '#test/build/quiet-world.ts';

describe('decideConsolidate', () => {
  it('proposes to remove an empty node, and says what that saves', () => {
    const plan = decideConsolidate(quietWorld({ nodes: [aStateNode()] }));

    expect(plan.commands).toEqual([
      { reason: 'Empty', remove: ['node-1'], replaceWith: [], podsMoved: 0, savesUsdPerHour: 0.1 },
    ]);
    expect(plan.actions).toMatchObject([
      { kind: 'update', object: { kind: 'NodeClaim', name: 'claim-1' } },
    ]);
    expect(plan.lookAgainAt).toBe('2026-11-20T12:00:15Z');
  });

  it('keeps a node that holds pods, and says that replacing it is not decided yet', () => {
    const plan = decideConsolidate(quietWorld({ nodes: [aStateNode({ pods: [aRunningPod()] })] }));

    expect(plan).toMatchObject({
      commands: [],
      actions: [],
      kept: [{ node: 'node-1', by: 'pods', because: 'it holds 1 pod' }],
      warnings: [expect.stringContaining('not decided by this version')],
    });
  });
});
