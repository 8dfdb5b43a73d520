import { describe, expect, it } from 'vitest';
import { decideProvision } from '#lib/decide/provision.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { aWaitingClaim, aWaitingNode } from '#test/build/barriers.ts';
import { anInFlightNode, aStateNode } from '#test/build/nodes.ts';
import { aNamespacedMeta, NOON } from '#test/build/objects.ts';
import { aPod, aRunningPod } from '#test/build/pods.ts';
import { quietWorld } from '#test/build/quiet-world.ts';
import { aSnapshot, someSettings } from '#test/build/snapshots.ts';

const LEADING = ['nominate', 'bind', 'liftTaint'];
const leading = (difference: Partial<Snapshot>) =>
  decideProvision(aSnapshot(difference)).actions.flatMap((action) => {
    if (action.kind === 'nominate') return [`${action.pod.name} to ${action.nodeName}`];
    if (action.kind === 'bind') {
      return [`bind ${action.pods.map(({ name }) => name)} to ${action.node.name}`];
    }
    return action.kind === 'liftTaint' ? [`release ${action.node.name}`] : [];
  });
const bind = { settings: someSettings({ placement: 'bind' }) };

describe('leading pods to their nodes', () => {
  it('names waiting pods their node and releases it, when the plan is complete', () => {
    const pods = [aPod()];

    expect(leading({ pods, nodes: [aWaitingNode('a')] })).toEqual([
      'web-1 to node-a',
      'release node-a',
    ]);
    const late = anInFlightNode(aWaitingClaim('late'));
    expect(leading({ pods, nodes: [aWaitingNode('a'), late] })).toEqual([]);
  });

  it('leaves pods that go on nodes which are open already to the scheduler', () => {
    const plan = decideProvision(quietWorld({ pods: [aPod()], nodes: [aStateNode()] }));

    expect(plan.placements).toHaveLength(1);
    expect(plan.actions.filter(({ kind }) => LEADING.includes(kind))).toEqual([]);
  });

  it('does not name a node again that a pod was named already', () => {
    const pods = [aPod({ nominatedNodeName: 'node-a', isNominatedByUs: true })];

    expect(leading({ pods, nodes: [aWaitingNode('a')] })).toEqual(['release node-a']);
  });

  it('takes back a nomination of ours to a node that is gone or has no room', () => {
    const ours = { isNominatedByUs: true, preemptionPolicy: 'Never' } as const;
    const full = [aRunningPod({ nodeName: 'node-1', requests: { cpu: 1900 } })];
    const nodes = [aStateNode({ pods: full })];
    const lost = aPod({ ...ours, nominatedNodeName: 'node-gone' });
    const outdone = aPod({ ...ours, meta: { name: 'web-2' }, nominatedNodeName: 'node-1' });

    expect(leading({ pods: [lost, outdone], nodes })).toEqual(['web-1 to null', 'web-2 to null']);
    const plan = decideProvision(aSnapshot({ pods: [outdone], nodes }));
    expect(plan.nodeClaims.flatMap(({ pods }) => pods)).toEqual(['default/web-2']);
  });

  it('leaves a nomination of the scheduler as it is, and plans nothing for that pod', () => {
    const pods = [aPod({ nominatedNodeName: 'node-1' })];
    const plan = decideProvision(aSnapshot({ pods, nodes: [aStateNode()] }));

    expect(leading({ pods: [aPod({ nominatedNodeName: 'elsewhere' })] })).toEqual([]);
    expect(plan.placements).toEqual([]);
  });

  it('binds pods where it was asked to, and leaves what is not its own to judge', () => {
    const meta = (name: string) => aNamespacedMeta(name, { labels: { app: name } });
    const pods = [aPod({ meta: meta('plain') }), aPod({ meta: meta('shunned') })].map((pod) => ({
      ...pod,
      requests: { ...pod.requests, cpu: 100 },
    }));
    const wary = aPod({
      meta: meta('wary'),
      requests: { cpu: 100 },
      podAntiAffinity: {
        required: [
          {
            topologyKey: 'kubernetes.io/hostname',
            selector: { matchLabels: { app: 'shunned' }, matchExpressions: [] },
            namespaces: [],
          },
        ],
        preferred: [],
      },
    });

    expect(leading({ ...bind, pods, nodes: [aWaitingNode('a')] })).toEqual([
      'bind plain,shunned to node-a',
      'release node-a',
    ]);
    const withWary = leading({ ...bind, pods: [...pods, wary], nodes: [aWaitingNode('a')] });
    expect(withWary).toContain('bind plain to node-a');
    expect(withWary.filter((line) => line.includes('to node-a'))).toHaveLength(2);
  });

  it.each([
    ['another scheduler', { schedulerName: 'mine' }],
    ['a volume that is not bound', { volumes: [{ volume: 'data', claimName: 'data' }] }],
  ])('does not bind a pod with %s', (_, difference) => {
    const pods = [aPod(difference)];

    expect(leading({ ...bind, pods, nodes: [aWaitingNode('a')] }).join()).not.toContain('bind');
  });

  it('holds the nodes of a plan back, unless pods are led nowhere', () => {
    const startupTaints = (difference: Partial<Snapshot>) =>
      decideProvision(quietWorld(difference)).actions.flatMap((action) =>
        action.kind === 'createNodeClaim'
          ? action.claim.spec.startupTaints.map(({ key }) => key)
          : [],
      );

    expect(startupTaints({ pods: [aPod()] })).toEqual(['joinery.dev/joining']);
    const settings = someSettings({ placement: 'none' });
    expect(startupTaints({ pods: [aPod()], settings })).toEqual([]);
    expect(decideProvision(quietWorld({ pods: [aPod()], takenAt: NOON })).actions[0]).toMatchObject(
      {
        claim: { annotations: { 'joinery.dev/batch': expect.stringMatching(/^\w{12}$/) } },
      },
    );
  });
});
