/**
 * Karpenter's behaviours of nodes that have come up, restated: expiry, repair, consistency, and how
 * they are emptied.
 * Source: karpenter v1.14, nodeclaim/expiration, node/health, nodeclaim/consistency,
 * node/termination.
 */
import { describe, expect, it } from 'vitest';
import type { Node, StateNode } from '#lib/model/node.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { taint, tolerating } from '#test/build/constraints.ts';
import { anInstance } from '#test/build/instances.ts';
import { aSettledSnapshot, wantedOf } from '#test/build/lives.ts';
import { aNodeClaim, conditionsUpTo, M5_LARGE } from '#test/build/node-claims.ts';
import { aCondition } from '#test/build/node-pools.ts';
import { aNode, anUnmanagedNode, aStateNode } from '#test/build/nodes.ts';
import { GIB, HOUR, MINUTE, NOON, ownedBy, SECOND } from '#test/build/objects.ts';
import { planOf } from '#test/build/plans.ts';
import { aPod, aRunningPod } from '#test/build/pods.ts';
import { someSettings } from '#test/build/snapshots.ts';

const look = (nodes: readonly StateNode[], difference: Partial<Snapshot> = {}) => {
  const snapshot = aSettledSnapshot({ nodes, instances: [anInstance()], ...difference });
  return (name: string) => wantedOf(snapshot, name);
};

describe('Expiration', () => {
  const aged = (ageMs: number, expireAfter: number | 'Never') =>
    look([
      aStateNode({
        claim: aNodeClaim({ meta: { createdAt: NOON - ageMs }, spec: { expireAfter } }),
        node: aNode({ meta: { createdAt: NOON - 1_000 * HOUR } }),
        pods: [aRunningPod({ meta: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } })],
      }),
    ])('claim-1').kinds.includes('delete');

  it.each([
    ['139: deletes a NodeClaim that is as old as it may become', 3 * HOUR, 3 * HOUR, true],
    ['139: leaves a younger one, whatever its Node’s age', 3 * HOUR - 1, 3 * HOUR, false],
    ['139: leaves one that never expires', 9_000 * HOUR, 'Never' as const, false],
  ])('%s', (_what, age, expireAfter, isDeleted) => {
    expect(aged(age, expireAfter)).toBe(isDeleted);
  });
});

describe('Node repair', () => {
  const settings = someSettings({ featureGates: ['NodeRepair'] });
  const pool = (total: number, ailing: number, difference: Partial<Node> = {}) =>
    Array.from({ length: total }, (_, at) => {
      const providerId = `aws:///us-east-1a/i-${at}`;
      const ill = {
        ready: { status: 'Unknown' as const, changedAt: NOON - 30 * MINUTE },
        ...difference,
      };
      const node = aNode({
        meta: { name: `node-${at}` },
        providerId,
        ...(at < ailing ? ill : {}),
      });
      const status = { providerId, nodeName: node.meta.name };
      return aStateNode({ node, claim: aNodeClaim({ meta: { name: `claim-${at}` }, status }) });
    });
  /** The first node's NodeClaim: what becomes of its grace, and of itself. */
  const first = (nodes: readonly StateNode[], difference: Partial<Snapshot> = { settings }) => {
    // Nobody asked EC2, so nothing is concluded from it.
    const snapshot = aSettledSnapshot({ nodes, ...difference });
    const wanted = (name: string) => wantedOf(snapshot, name);
    const { update, kinds } = wanted('claim-0');
    return {
      graceEnds: update?.meta.annotations?.['karpenter.sh/nodeclaim-termination-timestamp'],
      isDeleted: kinds.includes('delete'),
      events: wanted('node-0').events,
    };
  };
  const NOW = '2026-11-20T12:00:00Z';

  it.each([
    [10, 2, true],
    [10, 3, false],
    [3, 1, true],
  ])('86: of %i nodes %i may ail and be repaired: %s', (total, ailing, isRepaired) => {
    expect(first(pool(total, ailing))).toMatchObject({
      graceEnds: isRepaired ? NOW : undefined,
      events: isRepaired
        ? []
        : ['NodeRepairBlocked: more than 20% nodes are unhealthy in the nodepool'],
    });
  });

  it('86: deletes the NodeClaim once its grace has ended, and gives it back to one that recovers', () => {
    const ended = (ailing: number) => {
      const [state, ...others] = pool(3, ailing);
      if (!state?.claim) throw new Error('expected a NodeClaim, found none');
      const annotations = { 'karpenter.sh/nodeclaim-termination-timestamp': NOW };
      const meta = { ...state.claim.meta, annotations };
      return first([{ ...state, claim: { ...state.claim, meta } }, ...others]);
    };

    expect(ended(1)).toMatchObject({ isDeleted: true });
    expect(ended(0)).toMatchObject({ isDeleted: false, graceEnds: null });
  });

  it.each([
    ['is not tolerated any longer', { health: { KernelReady: ill(30) } }, true],
    ['is tolerated yet', { health: { KernelReady: ill(29) } }, false],
    ['is an accelerator', { health: { AcceleratedHardwareReady: ill(10) } }, true],
    ['has another status', { health: { KernelReady: { ...ill(60), status: 'True' } } }, false],
  ] as const)('158: repairs where what ails it %s: %#', (_what, difference, isRepaired) => {
    const ready = { status: 'True', changedAt: NOON - HOUR } as const;
    const { graceEnds } = first(pool(3, 1, { ready, ...difference }));

    expect(graceEnds).toBe(isRepaired ? NOW : undefined);
  });

  it('86: repairs nothing where the gate is closed', () => {
    expect(first(pool(3, 1), {}).graceEnds).toBeUndefined();
  });

  function ill(minutes: number) {
    return { status: 'False', changedAt: NOON - minutes * MINUTE } as const;
  }
});

describe('Consistency', () => {
  const having = (memory: number, conditions = conditionsUpTo('Initialized')) =>
    look([
      aStateNode({
        node: aNode({ capacity: { ...M5_LARGE, memory } }),
        claim: aNodeClaim({ spec: { requests: { memory: GIB } }, status: { conditions } }),
      }),
    ])('claim-1');

  it('147: tells of a node that has half of what was expected', () => {
    const wanted = having(4 * GIB);

    expect(wanted.condition('ConsistentStateFound')).toMatchObject({
      status: 'False',
      reason: 'ConsistencyCheckFailed',
    });
    expect(wanted.events).toEqual([
      'FailedConsistencyCheck: expected 8Gi of resource memory, but found 4Gi (50.0% of expected)',
    ]);
  });

  it('147: is content with nine tenths, and tells of what it found out only once', () => {
    expect(having(7.2 * GIB).condition('ConsistentStateFound')).toMatchObject({ status: 'True' });
    const known = [
      ...conditionsUpTo('Initialized'),
      aCondition('ConsistentStateFound', {
        status: 'False',
        reason: 'ConsistencyCheckFailed',
        message: 'Consistency Check Failed',
      }),
    ];
    expect(having(4 * GIB, known).events).toEqual([]);
  });
});

describe('Registration', () => {
  it('130: does not give startup taints again that somebody took off', () => {
    const startupTaints = [taint('cilium:NoExecute')];
    const claim = aNodeClaim({
      spec: { startupTaints },
      status: { conditions: conditionsUpTo('Registered') },
    });

    expect(look([aStateNode({ claim })])('node-1').update?.taints).toBeUndefined();
  });
});

describe('Hydration', () => {
  it('labels a Node that older versions registered without its NodeClass', () => {
    const node = aNode();
    const { 'karpenter.k8s.aws/ec2nodeclass': _, ...labels } = node.meta.labels;
    const bare = { ...node, meta: { ...node.meta, labels } };

    expect(look([aStateNode({ node: bare })])('node-1').update?.meta).toEqual({
      labels: { 'karpenter.k8s.aws/ec2nodeclass': 'default' },
    });
    expect(look([aStateNode()])('node-1').update).toBeUndefined();
  });
});

describe('Termination', () => {
  const leaving = (pods: readonly Pod[], claim: Partial<NodeClaim['meta']> = {}) => {
    const node = aNode({
      taints: [taint('karpenter.sh/disrupted:NoSchedule')],
      meta: {
        deletedAt: NOON - MINUTE,
        labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': 'karpenter' },
      },
    });
    return look([
      aStateNode({
        node,
        pods,
        claim: aNodeClaim({ meta: { deletedAt: NOON - MINUTE, ...claim } }),
      }),
    ]);
  };
  const isDrained = (pod: Pod) =>
    !leaving([pod])('node-1').events.some((each) => each.startsWith('FailedDraining'));

  it.each([
    ['83: a pod that should have gone a minute ago', { meta: { deletedAt: NOON - 61 * SECOND } }],
    [
      '154: a pod that tolerates the taint',
      { tolerations: [tolerating('karpenter.sh/disrupted')] },
    ],
    ['154: a static pod', { meta: { owners: [ownedBy('Node')] } }],
    ['154: a pod that has finished', { phase: 'Succeeded' as const }],
  ])('%s does not hold a node', (_what, difference) => {
    const pod = aRunningPod(difference);

    expect(isDrained(pod)).toBe(true);
    expect(leaving([pod])('web-1').kinds).toEqual([]);
  });

  it('154: a pod that tolerates only unschedulable nodes is evicted', () => {
    const pod = aRunningPod({ tolerations: [tolerating('node.kubernetes.io/unschedulable')] });

    expect(leaving([pod])('web-1').kinds).toEqual(['evict']);
  });

  it.each([
    ['30s', 31, true],
    ['30s', 29, false],
    ['true', 9_000, false],
  ])(
    '171: a pod with do-not-disrupt %j that began %i seconds ago is evicted: %s',
    (value, ago, isEvicted) => {
      const annotations = { 'karpenter.sh/do-not-disrupt': value };
      const pod = aRunningPod({ meta: { annotations }, startedAt: NOON - ago * SECOND });

      expect(leaving([pod])('web-1').kinds).toEqual(isEvicted ? ['evict'] : []);
    },
  );

  it('134: deletes both Nodes of a provider id before the instance ends', () => {
    const nodes = ['node-1', 'node-2'].map((name) => aNode({ meta: { name } }));
    const claim = aNodeClaim({ meta: { deletedAt: NOON } });
    const [one, two] = nodes;
    if (!one || !two) throw new Error('expected two Nodes');
    const wanted = look([aStateNode({ node: one, claim }), anUnmanagedNode(two)]);

    expect([wanted('node-1').kinds, wanted('node-2').kinds]).toEqual([['update'], ['update']]);
    expect(wanted('claim-1').kinds).not.toContain('terminateInstance');
  });
});

describe('Taints of nodes that come up', () => {
  it('165: count once a node is initialized, and always on a node that is nobody’s', () => {
    const startup = taint('cilium:NoExecute');
    const placed = (labels: Readonly<Record<string, string>>, managed: boolean) => {
      const node = aNode({ taints: [startup], meta: { labels } });
      const claim = aNodeClaim({ spec: { startupTaints: [startup] } });
      const state = managed ? aStateNode({ node, claim }) : anUnmanagedNode(node);
      return planOf({ pods: [aPod()], nodes: [state] }).placements.length;
    };
    const coming = { 'karpenter.sh/initialized': 'false' };

    expect([placed(coming, true), placed({}, true), placed(coming, false)]).toEqual([1, 0, 0]);
  });
});
