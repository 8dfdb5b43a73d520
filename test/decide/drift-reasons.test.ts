import { describe, expect, it } from 'vitest';
import { decideDrift } from '#lib/decide/drift.ts';
import { decideProvision } from '#lib/decide/provision.ts';
import type { BufferTarget } from '#lib/model/capacity-buffer.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import type { ObjectMeta } from '#lib/model/object.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { aCapacityBuffer } from '#test/build/capacity-buffers.ts';
import { aDriftedNode, aLargePod } from '#test/build/drifted-nodes.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { aNamespacedMeta, NOON } from '#test/build/objects.ts';
import { aPod, aPodDisruptionBudget, aRunningPod } from '#test/build/pods.ts';
import { quietWorld } from '#test/build/quiet-world.ts';
import { someSettings } from '#test/build/snapshots.ts';
import { told } from '#test/build/told.ts';

const withBudget = (nodes: string): readonly NodePool[] => [
  aNodePool({ disruption: { budgets: [{ nodes }] } }),
];
const GUARDED = { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } };

/** A drifted node that is on its way out, with its pod. */
function goingNode(name: string): StateNode {
  const { claim, ...rest } = aDriftedNode(name);
  const going = claim && { ...claim, meta: { ...claim.meta, deletedAt: NOON } };
  return { ...rest, ...(going && { claim: going }) };
}

const relabelled = <T extends { readonly meta: ObjectMeta }>(
  object: T,
  labels: Readonly<Record<string, string>>,
): T => ({ ...object, meta: { ...object.meta, labels: { ...object.meta.labels, ...labels } } });

function staying(snapshot: Snapshot) {
  const plan = decideDrift(snapshot);
  const kept = new Map(plan.kept.map(({ node, because }) => [node, because]));
  return { plan, why: (name: string) => kept.get(name) };
}

describe('why nodes stay that have drifted', () => {
  it('is what the node and its pods say first, and what budgets say only after that', () => {
    const guarded = aDriftedNode('a', { pods: [aRunningPod({ meta: GUARDED, nodeName: 'a' })] });
    const world = quietWorld({
      nodePools: withBudget('0'),
      nodes: [guarded, aDriftedNode('b')],
    });
    const { plan, why } = staying(world);

    expect(why('a')).toContain('Pod has "karpenter.sh/do-not-disrupt" annotation');
    expect(why('b')).toContain('let no more nodes go now for reason Drifted');
    expect(told(plan.actions).join('\n')).toContain('Pod has "karpenter.sh/do-not-disrupt"');
  });

  it('names what is wrong with a budget that cannot be followed, and warns of it', () => {
    const { plan, why } = staying(
      quietWorld({ nodePools: withBudget('150%'), nodes: [aDriftedNode('a')] }),
    );

    expect(why('a')).toContain('cannot be followed, so that no node goes');
    expect(plan.warnings).toEqual([expect.stringContaining('expected at most 100%')]);
  });

  it('names the PodDisruptionBudget that another node draws on already', () => {
    const podDisruptionBudgets = [aPodDisruptionBudget({ disruptionsAllowed: 1 })];
    const nodes = ['a', 'b'].map((name) => aDriftedNode(name, { pods: [aLargePod(name)] }));
    const { why } = staying(
      quietWorld({ nodePools: withBudget('100%'), nodes, podDisruptionBudgets }),
    );

    expect(why('b')).toBe(
      'another node with pods of PodDisruptionBudget default/budget goes already',
    );
  });

  it('counts a node with pods of that budget that is still drained', () => {
    const podDisruptionBudgets = [aPodDisruptionBudget({ disruptionsAllowed: 1 })];
    const world = quietWorld({
      nodePools: withBudget('100%'),
      nodes: [aDriftedNode('b')],
      podDisruptionBudgets,
    });
    const nodes = [goingNode('a'), ...world.nodes];

    expect(staying(world).plan.commands).toHaveLength(1);
    expect(staying({ ...world, nodes }).why('b')).toContain('default/budget goes already');
  });

  it('is not worked out for more than the next looks are for', () => {
    const pods = [aRunningPod({ requests: { cpu: 1500 }, nodeSelector: { there: 'none' } })];
    const nodes = Array.from({ length: 60 }, (_, at) => aDriftedNode(`n${100 + at}`, { pods }));
    const { plan } = staying(quietWorld({ nodePools: withBudget('100%'), nodes }));
    const by = Map.groupBy(plan.kept, (kept) => kept.by);

    expect(by.get('pods')).toHaveLength(25);
    expect(by.get('later')).toHaveLength(35);
  });

  it('is told to no node where it passes by itself, and to a hundred of the others at most', () => {
    const events = (nodePools: readonly NodePool[], nodes: Snapshot['nodes']) =>
      decideDrift(quietWorld({ nodePools, nodes })).actions.filter(
        (action) => action.kind === 'recordEvent' && action.about.kind === 'Node',
      );
    const windows = '- { schedule: "0 2 * * *", duration: 1h }';
    const shut = aNodePool({
      meta: { annotations: { 'joinery.dev/disruption-windows': windows } },
    });
    const many = Array.from({ length: 120 }, (_, at) =>
      aDriftedNode(`n${at}`, { pods: [aRunningPod({ meta: GUARDED, nodeName: `n${at}` })] }),
    );

    expect(events([shut], [aDriftedNode('a')])).toEqual([]);
    expect(events(withBudget('10%'), many)).toHaveLength(100);
  });

  it('is not that it is up to date where it is on its way out', () => {
    expect(staying({ ...quietWorld(), nodes: [goingNode('a')] }).why('a')).toBe(
      'Node is deleting or marked for deletion',
    );
  });
});

describe('a drifted node on which a CapacityBuffer keeps room', () => {
  it('is replaced: the room is kept elsewhere, or made anew', () => {
    const target: BufferTarget = {
      kind: 'PodTemplate',
      meta: aNamespacedMeta('spare'),
      replicas: 1,
      pod: aPod({ meta: { name: 'template' }, requests: { cpu: 100 } }),
    };
    const world = quietWorld({
      settings: someSettings({ featureGates: ['CapacityBuffer'] }),
      bufferTargets: [target],
      capacityBuffers: [aCapacityBuffer({ podTemplate: 'spare', replicas: 1 })],
      nodePools: withBudget('1'),
      nodes: [aDriftedNode('a', { pods: [] })],
    });

    expect(decideProvision(world).buffers).toMatchObject([{ onNodes: 1 }]);
    expect(decideDrift(world).commands).toMatchObject([{ reason: 'Drifted', remove: ['a'] }]);
  });
});

describe('what a drifted node’s removal saves', () => {
  it('is not counted, and a warning says so, where nobody knows what the node costs', () => {
    const node = aDriftedNode('a');
    const world = quietWorld({ nodePools: withBudget('1'), nodes: [node] });
    const strange = { 'node.kubernetes.io/instance-type': 'x9.none' };
    const nodes = world.nodes.map(({ claim, node: seen, ...rest }) => ({
      ...rest,
      ...(claim && { claim: relabelled(claim, strange) }),
      ...(seen && { node: relabelled(seen, strange) }),
    }));
    const { plan } = staying({ ...world, nodes });

    expect(plan.commands).toMatchObject([{ remove: ['a'], savesUsdPerHour: 0 }]);
    expect(plan.warnings).toEqual([
      'the price of node a is not known: what its removal saves is not counted',
    ]);
  });
});

describe('where pods of drifted nodes go', () => {
  it('is told where they find room on nodes that are there', () => {
    const small = aRunningPod({ meta: { name: 'small' }, nodeName: 'a', requests: { cpu: 10 } });
    const nodes = [aDriftedNode('a', { pods: [small] }), aDriftedNode('b')];
    const { plan } = staying(quietWorld({ nodePools: withBudget('1'), nodes }));

    expect(plan.commands).toMatchObject([{ remove: ['a'], replaceWith: [] }]);
    expect(plan.placements).toEqual([{ pod: 'default/small', node: 'b' }]);
  });
});
