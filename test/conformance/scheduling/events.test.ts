import { describe, expect, it } from 'vitest';
import { decideProvision } from '#lib/decide/provision.ts';
import type { Action } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { spec, taint } from '#test/build/constraints.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { aNode, anUnmanagedNode } from '#test/build/nodes.ts';
import { affinity, named, pool } from '#test/build/plans.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

type Told = Extract<Action, { kind: 'recordEvent' }>;

const eventsOf = (difference: Partial<Snapshot>): Told[] =>
  decideProvision(aSnapshot(difference)).actions.flatMap((action) =>
    action.kind === 'recordEvent' ? [action] : [],
  );
const messagesOf = (difference: Partial<Snapshot>): string[] =>
  eventsOf(difference).map(({ message }) => message);

describe('10.11 batching, volume of work, DRA, misc', () => {
  it('164: a pod with device claims is refused by itself, a daemon with some is not reckoned with', () => {
    const { refused, nodeClaims } = decideProvision(
      aSnapshot({
        pods: [named('devices', { resourceClaims: ['gpu'] }), named('plain')],
        daemonSets: [
          {
            meta: named('agent').meta,
            pod: named('agent', { requests: { cpu: 900_000 }, resourceClaims: ['gpu'] }),
          },
        ],
      }),
    );

    expect(refused).toMatchObject([{ pod: 'default/devices', by: 'unsupported' }]);
    expect(nodeClaims.flatMap(({ pods }) => pods)).toEqual(['default/plain']);
  });

  it('165: nothing is ever bound: the scheduler does that', () => {
    const kinds = decideProvision(aSnapshot({ pods: [named('web')] })).actions.map(
      ({ kind }) => kind,
    );

    expect(new Set(kinds)).toEqual(
      new Set(['createNodeClaim', 'update', 'updateStatus', 'recordEvent']),
    );
  });
});

describe('10.14 events and validation texts', () => {
  it('182: a term over node fields is refused with an event', () => {
    const matchFields = {
      nodeAffinity: { required: [{ matchExpressions: [], hasMatchFields: true }], preferred: [] },
    };

    expect(messagesOf({ pods: [named('web', matchFields)] })).toEqual([
      expect.stringContaining('node selector term with matchFields is not supported'),
    ]);
  });

  it('183: a bad term and a bad claim are told in one event', () => {
    const told = messagesOf({
      pods: [
        named('web', {
          nodeAffinity: {
            required: [{ matchExpressions: [], hasMatchFields: true }],
            preferred: [],
          },
          volumes: [{ volume: 'v', claimName: 'nowhere' }],
        }),
      ],
    });

    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/matchFields is not supported; .*nowhere/s);
  });

  it('184: the event holds the reasons of all pools, the heaviest first', () => {
    const told = messagesOf({
      nodePools: [
        pool('light', { template: { taints: [taint('a=x:NoSchedule')] } }),
        pool('heavy', { weight: 9, template: { taints: [taint('b=x:NoSchedule')] } }),
      ],
      pods: [named('web')],
    });

    expect(told).toEqual([expect.stringMatching(/heavy.*b=x:NoSchedule.*light.*a=x:NoSchedule/s)]);
  });

  it('185: a node that is full is no reason that the event gives', () => {
    const told = messagesOf({
      nodePools: [aNodePool({ template: { taints: [taint('a=x:NoSchedule')] } })],
      nodes: [anUnmanagedNode(aNode({ allocatable: { cpu: 1 } }))],
      pods: [named('web')],
    });

    expect(told).toEqual([expect.not.stringContaining('node-1')]);
  });

  it.each([
    ['', [spec('kubernetes.io/arch In none')]],
    [' due to minValues incompatibility', [spec('karpenter.k8s.aws/instance-family Exists', 9)]],
  ])('186: a pool that leaves nothing to buy is told so%s', (more, requirements) => {
    const told = eventsOf({
      nodePools: [aNodePool({ template: { requirements } })],
      pods: [named('web')],
    }).filter(({ about }) => about.kind === 'NodePool');

    expect(told).toMatchObject([
      {
        reason: 'NoCompatibleInstanceTypes',
        message: `NodePool requirements filtered out all compatible available instance types${more}`,
      },
    ]);
  });

  it('187: a pod that opts out is told nothing', () => {
    expect(
      messagesOf({ pods: [named('web', affinity(['karpenter.sh/nodepool DoesNotExist']))] }),
    ).toEqual([]);
  });
});
