import { describe, expect, it } from 'vitest';
import { decideDrift } from '#lib/decide/drift.ts';
import type { StateNode } from '#lib/model/node.ts';
import { aNodeClaim, conditionsUpTo } from '#test/build/node-claims.ts';
import { aCondition, aNodeClass } from '#test/build/node-pools.ts';
import { aStateNode } from '#test/build/nodes.ts';
import { HOUR, NOON } from '#test/build/objects.ts';
import { aRunningPod } from '#test/build/pods.ts';
import { quietWorld } from '#test/build/quiet-world.ts';
import { aReservation } from '#test/build/reserved.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

const HASH = 'karpenter.sh/nodepool-hash';
const VERSION = 'karpenter.sh/nodepool-hash-version';
const drifted = { meta: { annotations: { [HASH]: '1', [VERSION]: 'v3' } } };
const marked = {
  ...drifted,
  status: {
    conditions: [
      ...conditionsUpTo('Initialized'),
      aCondition('Drifted', {
        changedAt: NOON - HOUR,
        reason: 'NodePoolDrifted',
        message: 'NodePoolDrifted',
      }),
    ],
  },
};
const nodeOf = (
  claim: Parameters<typeof aNodeClaim>[0],
  rest: Partial<Omit<StateNode, 'name'>> = {},
) => aStateNode({ claim: aNodeClaim(claim), ...rest });
const plan = (claim: Parameters<typeof aNodeClaim>[0], rest?: Partial<Omit<StateNode, 'name'>>) =>
  decideDrift(quietWorld({ nodes: [nodeOf(claim, rest)] }));

describe('decideDrift', () => {
  it('marks a node whose pool’s template has changed since it was made', () => {
    const { actions, commands } = plan(drifted);

    expect(actions).toContainEqual(
      expect.objectContaining({
        kind: 'updateStatus',
        status: {
          conditions: expect.arrayContaining([
            expect.objectContaining({ type: 'Drifted', status: 'True', reason: 'NodePoolDrifted' }),
          ]),
        },
      }),
    );
    expect(commands).toMatchObject([{ reason: 'Drifted', remove: ['node-1'], replaceWith: [] }]);
  });

  it('proposes what replaces a node that is marked, and only writes it down', () => {
    const { commands, nodeClaims, actions, lookAgainAt } = plan(marked, { pods: [aRunningPod()] });

    expect(nodeClaims).toHaveLength(1);
    expect(commands).toMatchObject([
      { reason: 'Drifted', remove: ['node-1'], replaceWith: [nodeClaims[0]?.name], podsMoved: 1 },
    ]);
    const writes = actions.flatMap((action) =>
      action.kind === 'update' && action.object.kind === 'NodeClaim' ? [action.meta] : [],
    );
    expect(writes).toContainEqual({
      annotations: { 'joinery.dev/disruption': expect.stringContaining('"reason":"Drifted"') },
    });
    expect(actions.some(({ kind }) => kind === 'createNodeClaim' || kind === 'delete')).toBe(false);
    expect(lookAgainAt).toBe('2026-11-20T12:00:15Z');
  });

  it('keeps a node that is what its pool wants', () => {
    expect(plan({})).toMatchObject({
      commands: [],
      kept: [{ node: 'node-1', by: 'current' }],
    });
  });

  it('leaves it to expiry to delete nodes that are too old', () => {
    const { commands } = plan({ meta: { createdAt: NOON - HOUR }, spec: { expireAfter: HOUR } });

    expect(commands).toEqual([]);
  });

  it('lets the nodes of a capacity block go before it ends, and asks for prices that are old', () => {
    const block = aReservation({ reservationType: 'capacity-block', state: 'expiring' });
    const nodeClasses = [aNodeClass({ status: { capacityReservations: [block] } })];
    const labels = { 'karpenter.k8s.aws/capacity-reservation-id': 'cr-1' };
    const nodes = [nodeOf({ meta: { labels } })];
    const kinds = decideDrift(aSnapshot({ nodes, nodeClasses, market: {} })).actions.map(
      ({ kind }) => kind,
    );

    expect(kinds).toEqual(expect.arrayContaining(['delete', 'refreshMarket']));
  });
});
