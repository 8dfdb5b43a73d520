import { describe, expect, it } from 'vitest';
import { decideConsolidate } from '#lib/decide/consolidate.ts';
import { anInstanceType } from '#test/build/instance-types.ts';
import { aCluster, aMember, MEDIUM, mover } from '#test/build/members.ts';
import { aStateNode } from '#test/build/nodes.ts';
import { MINUTE, NOON } from '#test/build/objects.ts';
import { quietWorld } from '#test/build/quiet-world.ts';

const SMALL = anInstanceType('m5.large', { cpu: 2 });
const LARGE = anInstanceType('m5.4xlarge', { cpu: 16, pods: 234 });

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

  it('proposes to replace a node by a cheaper one, and moves its pods there', () => {
    const node = aMember('a', { type: LARGE, pods: [mover('web', 500)] });
    const plan = decideConsolidate(aCluster([node], { types: [LARGE, SMALL] }));
    const [claim] = plan.nodeClaims;

    expect(claim).toMatchObject({ instanceTypes: ['m5.large'], pods: ['default/web'] });
    expect(plan).toMatchObject({
      commands: [
        {
          reason: 'Underutilized',
          remove: ['a'],
          replaceWith: [claim?.name],
          podsMoved: 1,
          savesUsdPerHour: 0.7,
        },
      ],
      usdPerHour: 0.1,
      placements: [],
      kept: [],
    });
  });

  it('only writes proposals down: nothing is created, tainted or deleted', () => {
    const nodes = [
      aMember('a', { pods: [mover('x', 100)] }),
      aMember('b', { pods: [mover('y', 100)] }),
    ];
    const { actions, commands } = decideConsolidate(aCluster([...nodes, aMember('empty')]));

    expect(commands.map(({ reason }) => reason).sort()).toEqual(['Empty', 'Underutilized']);
    const written = actions.filter(({ kind }) => kind !== 'recordEvent');
    expect(written.map(({ kind }) => kind)).toEqual(['update', 'update']);
    expect(written.every((action) => !('taints' in action))).toBe(true);
  });

  it('tells where pods move, and why each other node stays', () => {
    const plan = decideConsolidate(
      aCluster([
        aMember('a', { pods: [mover('x', 100)] }),
        aMember('b', { pods: [mover('y', 100), mover('z', 100)] }),
      ]),
    );

    expect(plan.placements).toEqual([{ pod: 'default/x', node: 'b' }]);
    expect(plan.kept).toEqual([
      { node: 'b', by: 'destination', because: 'pods move to it from nodes that go' },
    ]);
  });

  it('is the same whatever the order of lists', () => {
    const nodes = Array.from({ length: 6 }, (_, at) =>
      aMember(`n${at}`, { pods: [mover(`x${at}`, 300 * (at + 1)), mover(`y${at}`, 100)] }),
    );
    const cluster = aCluster(nodes, { types: [SMALL, LARGE, MEDIUM] });
    const shuffled = {
      ...cluster,
      nodes: cluster.nodes
        .toReversed()
        .map((state) => ({ ...state, pods: state.pods.toReversed() })),
    };

    expect(JSON.stringify(decideConsolidate(shuffled))).toBe(
      JSON.stringify(decideConsolidate(cluster)),
    );
  });

  it('never deletes a node as empty because its pods cost nothing to evict', () => {
    const cheap = mover('cheap', 3900, {
      meta: { annotations: { 'controller.kubernetes.io/pod-deletion-cost': '-99999999999' } },
    });

    expect(decideConsolidate(aCluster([aMember('a', { pods: [cheap] })])).commands).toEqual([]);
  });

  it('tells Nodes and NodeClaims once in 15 minutes why they stay', () => {
    const guard = { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } };
    const full = Array.from({ length: 2 }, (_, at) => mover(`full-${at}`, 1900));
    const nodes = [
      aMember('a', { ...guard, pods: [mover('x', 500)] }),
      aMember('b', { pods: full }),
    ];
    const cluster = aCluster(nodes);
    const told = (minutes: number) =>
      decideConsolidate({ ...cluster, takenAt: NOON + minutes * MINUTE }).actions.flatMap(
        (action) =>
          action.kind === 'recordEvent' ? [`${action.about.name}: ${action.reason}`] : [],
      );

    expect(told(7)).toEqual([
      'a: DisruptionBlocked',
      'claim-a: DisruptionBlocked',
      'b: Unconsolidatable',
      'claim-b: Unconsolidatable',
    ]);
    expect(told(8)).toEqual([]);
    expect(told(22)).toHaveLength(4);
  });
});
