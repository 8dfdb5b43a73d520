import { describe, expect, it } from 'vitest';
import { embeddedTable } from '#lib/aws/embedded-table.ts';
import { decideProvision } from '#lib/decide/provision.ts';
import { catalogOf } from '#lib/ec2/catalog/catalog.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { aStateNode } from '#test/build/nodes.ts';
import { aPod, aRunningPod, somePods } from '#test/build/pods.ts';
import { quietWorld } from '#test/build/quiet-world.ts';

const kinds = (plan: ReturnType<typeof decideProvision>) => plan.actions.map(({ kind }) => kind);

describe('decideProvision', () => {
  it('wants nothing, not even another look, where nothing is on its way', () => {
    const idle = quietWorld({
      nodePools: [aNodePool({ disruption: { consolidateAfter: 'Never' } })],
      nodes: [aStateNode({ pods: [aRunningPod()] })],
    });
    const plan = decideProvision(idle);

    expect(plan.actions).toEqual([]);
    expect(plan).not.toHaveProperty('lookAgainAt');
  });

  it('creates a NodeClaim for pods that fit nowhere, tells them, and looks again soon', () => {
    const plan = decideProvision(quietWorld({ pods: somePods(2) }));

    expect(kinds(plan)).toEqual(['createNodeClaim', 'recordEvent', 'recordEvent']);
    expect(plan.actions[1]).toMatchObject({
      about: { kind: 'Pod', name: 'web-1' },
      type: 'Normal',
      reason: 'Nominated',
      message: `Pod should schedule on: nodeclaim/${plan.nodeClaims[0]?.name}`,
    });
    expect(plan.lookAgainAt).toBe('2026-11-20T12:00:01Z');
  });

  it('tells a hundred pods of a burst where they should go, and all that nothing can be done for', () => {
    const told = (pods: ReturnType<typeof somePods>) =>
      kinds(decideProvision(quietWorld({ pods }))).filter((kind) => kind === 'recordEvent').length;

    expect(told(somePods(150))).toBe(100);
    expect(told(somePods(150, { nodeSelector: { 'kubernetes.io/arch': 's390x' } }))).toBe(150);
  });

  it('tells a pod why no node can be given to it', () => {
    const pods = [aPod({ nodeSelector: { 'kubernetes.io/arch': 's390x' } })];
    const plan = decideProvision(quietWorld({ pods }));

    expect(plan.actions).toEqual([
      {
        kind: 'recordEvent',
        about: expect.objectContaining({ kind: 'Pod', namespace: 'default', name: 'web-1' }),
        type: 'Warning',
        reason: 'FailedScheduling',
        message: `Failed to schedule pod, ${plan.refused[0]?.because}`,
      },
    ]);
  });

  it('makes nothing for a pod whose machines no image of the NodeClass boots', () => {
    const table = embeddedTable('us-east-1');
    if (!table) throw new Error('expected the table of us-east-1, found none');
    const world = quietWorld({
      pods: [aPod({ nodeSelector: { 'kubernetes.io/arch': 'arm64' } })],
      nodePools: [aNodePool()],
    });
    const { nodeClasses, settings, takenAt: now } = world;
    const catalog = catalogOf({ table, nodeClasses, soldOut: [], settings, now });
    const plan = decideProvision({ ...world, catalog });

    expect(nodeClasses[0]?.status.amis).toHaveLength(1);
    expect(plan.nodeClaims).toEqual([]);
    expect(plan.refused).toHaveLength(1);
  });

  it('tells nobody anything where there is no NodePool', () => {
    const pods = [aPod()];

    expect(decideProvision(quietWorld({ pods, nodePools: [] })).actions).toEqual([]);
  });

  it('does not tell a pod that wants none of our nodes that it gets none', () => {
    const noPool = { key: 'karpenter.sh/nodepool', operator: 'DoesNotExist' as const };
    const term = { matchExpressions: [noPool], hasMatchFields: false };
    const pods = [aPod({ nodeAffinity: { required: [term], preferred: [] } })];

    expect(decideProvision(quietWorld({ pods })).actions).toEqual([]);
  });

  it('tells about a pool for which nothing can be bought, while pods go without a node', () => {
    const requirements = [
      { key: 'kubernetes.io/arch', operator: 'In' as const, values: ['s390x'] },
    ];
    const nodePools = [aNodePool({ template: { requirements } })];
    const { actions } = decideProvision(quietWorld({ pods: [aPod()], nodePools }));

    expect(actions.at(-1)).toMatchObject({
      about: { kind: 'NodePool', name: 'default' },
      reason: 'NoCompatibleInstanceTypes',
      message: 'NodePool requirements filtered out all compatible available instance types',
    });
  });
});
