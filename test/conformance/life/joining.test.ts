/**
 * Karpenter's behaviours of a NodeClaim's life, restated.
 * Source: karpenter v1.14, nodeclaim/lifecycle/{launch,registration,initialization,liveness}_test.go.
 */
import { describe, expect, it } from 'vitest';
import { NODECLASS } from '#lib/model/labels.ts';
import type { Node } from '#lib/model/node.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { taint } from '#test/build/constraints.ts';
import { aCatalog } from '#test/build/instance-types.ts';
import { aSettledSnapshot, wantedOf } from '#test/build/lives.ts';
import { aNewClaim, aNodeClaim, conditionsUpTo, M5_LARGE } from '#test/build/node-claims.ts';
import { aCondition, aNodeClass } from '#test/build/node-pools.ts';
import { aNode, anInFlightNode, aStateNode } from '#test/build/nodes.ts';
import { MINUTE, NOON, SECOND } from '#test/build/objects.ts';

const group = { 'joinery.dev/launch-group': 'g/1' };
const finalizers = ['karpenter.sh/termination'];
const createdAt = NOON - SECOND;
const aFreshClaim = (difference: Partial<NodeClaim['meta']> = {}, spec = {}): NodeClaim =>
  aNewClaim({ meta: { annotations: group, finalizers, createdAt, ...difference }, spec });

const inFlight = (claim: NodeClaim, difference: Partial<Snapshot> = {}) =>
  wantedOf(aSettledSnapshot({ nodes: [anInFlightNode(claim)], ...difference }), claim.meta.name);
const unlaunched = (reason: string, message = '', changedAt = NOON) => ({
  conditions: [aCondition('Launched', { status: 'Unknown', reason, message, changedAt })],
});

describe('Launch', () => {
  it('launches an instance for a new NodeClaim', () => {
    expect(inFlight(aFreshClaim()).kinds).toEqual(['launch']);
  });

  it('adds the finalizer, and a launch group, before it launches what somebody else made', () => {
    const wanted = inFlight(aNewClaim({ meta: { createdAt, finalizers: [] } }));

    expect(wanted.kinds).toEqual(['update']);
    expect(wanted.update?.meta).toMatchObject({
      finalizers,
      annotations: { 'joinery.dev/launch-group': expect.stringMatching(/^[0-9a-z]{12}\/1$/) },
    });
  });

  it('labels with its NodeClass what somebody else made', () => {
    const wanted = inFlight(aFreshClaim({ labels: { [NODECLASS]: '' } }));
    const bare = aFreshClaim();
    const { [NODECLASS]: _none, ...labels } = bare.meta.labels;
    const claim = { ...bare, meta: { ...bare.meta, labels } };

    expect(inFlight(claim).update?.meta).toEqual({ labels: { [NODECLASS]: 'default' } });
    expect(wanted.update).toBeUndefined();
  });

  it('ignores NodeClaims of foreign NodeClasses', () => {
    const nodeClassRef = { group: 'example.com', kind: 'OtherClass', name: 'default' };

    expect(inFlight(aFreshClaim({}, { nodeClassRef })).kinds).toEqual([]);
  });

  it('126: hydrates capacity, allocatable and labels when the instance is known, user labels winning', () => {
    const claim = aNodeClaim({
      meta: { createdAt, finalizers, labels: { 'karpenter.k8s.aws/instance-cpu': 'mine' } },
      spec: { requirements: [{ key: 'team', operator: 'In', values: ['a'] }] },
      status: { conditions: [], capacity: {}, allocatable: {} },
    });
    const wanted = inFlight(claim);

    expect(wanted.status).toMatchObject({ capacity: M5_LARGE, allocatable: M5_LARGE });
    expect(wanted.condition('Launched')).toMatchObject({ status: 'True', changedAt: NOON });
    expect(wanted.condition('Registered')).toMatchObject({
      status: 'Unknown',
      changedAt: createdAt,
    });
    expect(wanted.update?.meta.labels).toMatchObject({
      team: 'a',
      'karpenter.k8s.aws/instance-family': 'm5',
      'karpenter.k8s.aws/instance-memory': String(8 * 1024),
    });
    expect(wanted.update?.meta.labels).not.toHaveProperty(['karpenter.k8s.aws/instance-cpu']);
  });

  it('126: deletes the NodeClaim if no capacity was found and none is left to try, and says so', () => {
    const claim = aNewClaim({
      meta: {
        annotations: { ...group, 'joinery.dev/launch-failed-at': '2026-01-01T12:00:00Z' },
        finalizers,
        createdAt,
      },
      status: unlaunched('InsufficientCapacity', 'all sold out'),
    });

    expect(inFlight(claim, { catalog: aCatalog([]) })).toMatchObject({
      kinds: ['delete'],
      events: ['InsufficientCapacityError: NodeClaim claim-1 event: all sold out'],
    });
  });

  it('tries again after any other failure', () => {
    const claim = aNewClaim({
      meta: { annotations: group, finalizers, createdAt },
      status: unlaunched('Unauthorized', 'no'),
    });

    expect(inFlight(claim).kinds).toEqual(['launch']);
  });

  it.each([
    ['is missing', []],
    ['is being deleted', [aNodeClass({ meta: { deletedAt: NOON } })]],
  ])('deletes the NodeClaim if its NodeClass %s', (_what, nodeClasses) => {
    expect(inFlight(aFreshClaim(), { nodeClasses })).toMatchObject({
      kinds: ['delete'],
      events: [expect.stringContaining('InsufficientCapacityError: NodeClaim claim-1 event: ')],
    });
  });

  it('deletes the NodeClaim without an event if its NodeClass is not ready', () => {
    const nodeClasses = [
      aNodeClass({ status: { conditions: [aCondition('Ready', { status: 'False' })] } }),
    ];

    expect(inFlight(aFreshClaim(), { nodeClasses })).toMatchObject({
      kinds: ['delete'],
      events: [],
    });
  });

  it.each([
    ['was not resolved', { status: { conditions: [] } }],
    ['was resolved in an older generation', { meta: { generation: 2 } }],
  ])('waits if its NodeClass %s', (_what, difference) => {
    const wanted = inFlight(aFreshClaim(), { nodeClasses: [aNodeClass(difference)] });

    expect(wanted.kinds).toEqual(['updateStatus']);
    expect(wanted.condition('Launched')).toMatchObject({
      status: 'Unknown',
      reason: 'NodeClassReadinessUnknown',
      changedAt: createdAt,
    });
  });
});

const launchedClaim = (difference: Parameters<typeof aNodeClaim>[0] = {}): NodeClaim =>
  aNodeClaim({
    ...difference,
    meta: { finalizers, ...difference.meta },
    status: {
      nodeName: '',
      conditions: [
        aCondition('Launched'),
        aCondition('Registered', { status: 'Unknown', changedAt: NOON - MINUTE }),
      ],
      ...difference.status,
    },
  });
const joining = (
  difference: Partial<Omit<Node, 'meta'>> & { meta?: Partial<Node['meta']> } = {},
): Node => {
  const node = aNode({
    taints: [taint('karpenter.sh/unregistered:NoExecute')],
    ...difference,
    meta: { finalizers: [], ...difference.meta },
  });
  const labels = { 'kubernetes.io/hostname': 'node-1', ...difference.meta?.labels };
  return { ...node, meta: { ...node.meta, labels } };
};
const joined = (claim: NodeClaim, node: Node) => {
  const snapshot = aSettledSnapshot({ nodes: [aStateNode({ claim, node })] });
  return { claim: wantedOf(snapshot, claim.meta.name), node: wantedOf(snapshot, node.meta.name) };
};

describe('Registration', () => {
  it('waits for the Node', () => {
    expect(inFlight(launchedClaim()).condition('Registered')).toMatchObject({
      status: 'Unknown',
      reason: 'NodeNotFound',
      message: 'Node not registered with cluster',
    });
  });

  it('127: syncs labels, annotations, taints, startup taints, owner and finalizer in one update', () => {
    const claim = launchedClaim({
      meta: {
        annotations: { note: 'x', 'joinery.dev/launch-group': 'g/1' },
        labels: { team: 'a' },
      },
      spec: {
        taints: [taint('dedicated=gpu:NoSchedule')],
        startupTaints: [taint('cilium:NoExecute')],
      },
    });
    const { node } = joined(claim, joining({ meta: { labels: { team: 'kubelet' } } }));

    expect(node.kinds).toEqual(['update']);
    expect(node.update).toMatchObject({
      meta: {
        labels: { team: 'a', 'karpenter.sh/registered': 'true' },
        annotations: { note: 'x' },
        finalizers,
        owners: [{ kind: 'NodeClaim', name: 'claim-1', uid: claim.meta.uid, controller: false }],
      },
      taints: [taint('dedicated=gpu:NoSchedule'), taint('cilium:NoExecute')],
    });
    expect(node.update?.meta.annotations).not.toHaveProperty(['joinery.dev/launch-group']);
  });

  it('does not sync taints if the Node says so', () => {
    const claim = launchedClaim({ spec: { taints: [taint('dedicated=gpu:NoSchedule')] } });
    const labels = { 'karpenter.sh/do-not-sync-taints': 'true' };

    expect(joined(claim, joining({ meta: { labels } })).node.update?.taints).toEqual([]);
  });

  it('128: registers, but warns, if the Node came without the unregistered taint', () => {
    const { claim, node } = joined(launchedClaim(), joining({ taints: [] }));

    expect(node.kinds).toEqual(['update']);
    expect(claim.events).toEqual([
      'UnregisteredTaintMissing: Missing karpenter.sh/unregistered taint which prevents registration related race conditions on Karpenter-managed nodes',
    ]);
  });

  it('127: is done when the Node is seen to carry it all', () => {
    const { claim, node } = joined(launchedClaim(), aNode());

    expect(node.kinds).toEqual([]);
    expect(claim.status).toMatchObject({ nodeName: 'node-1' });
    expect(claim.condition('Registered')).toMatchObject({ status: 'True' });
  });

  it('is refused while two Nodes have the provider id', () => {
    const nodes = [
      aStateNode({ claim: launchedClaim(), node: joining() }),
      { name: 'node-2', node: joining({ meta: { name: 'node-2' } }), pods: [] },
    ];

    expect(wantedOf(aSettledSnapshot({ nodes }), 'claim-1').condition('Registered')).toMatchObject({
      status: 'False',
      reason: 'MultipleNodesFound',
    });
  });
});

/** Registered so many minutes ago. */
const registeredClaim = (spec: Partial<NodeClaim['spec']> = {}, minutes = 29): NodeClaim => {
  const changedAt = NOON - minutes * MINUTE;
  const conditions = conditionsUpTo('Registered').map((each) => ({ ...each, changedAt }));
  return aNodeClaim({ meta: { finalizers }, spec, status: { conditions } });
};
const uninitialized = (difference: Partial<Omit<Node, 'meta'>> = {}): Node => {
  const node = aNode(difference);
  const { 'karpenter.sh/initialized': _label, ...labels } = node.meta.labels;
  return { ...node, meta: { ...node.meta, labels } };
};

describe('Initialization', () => {
  it.each([
    ['NodeNotReady', {}, { ready: { status: 'False' as const, changedAt: NOON } }],
    [
      'StartupTaintsExist',
      { startupTaints: [taint('cilium:NoExecute')] },
      { taints: [taint('cilium=agent:NoExecute')] },
    ],
    [
      'KnownEphemeralTaintsExist',
      {},
      { taints: [taint('node.kubernetes.io/not-ready:NoSchedule')] },
    ],
    ['KnownEphemeralTaintsExist', {}, { taints: [taint('readiness.k8s.io/net:NoSchedule')] }],
    ['ResourceNotRegistered', { requests: { 'nvidia.com/gpu': 1 } }, {}],
  ])('132: waits, with reason %s', (reason, spec, node) => {
    const { claim } = joined(registeredClaim(spec), uninitialized(node));

    expect(claim.condition('Initialized')).toMatchObject({ status: 'Unknown', reason });
  });

  it('132: labels the Node first, and is done when the label is seen', () => {
    expect(joined(registeredClaim(), uninitialized()).node.update?.meta).toEqual({
      labels: { 'karpenter.sh/initialized': 'true' },
    });
    const { claim } = joined(registeredClaim(), aNode());
    expect(claim.condition('Initialized')).toMatchObject({ status: 'True' });
    expect(claim.condition('Ready')).toMatchObject({ status: 'True' });
  });

  it('does not wait for a resource of which nothing is asked', () => {
    const { node } = joined(
      registeredClaim({ requests: { 'nvidia.com/gpu': 0 } }),
      uninitialized(),
    );

    expect(node.kinds).toEqual(['update']);
  });

  it('is never taken back', () => {
    const claim = aNodeClaim({ meta: { finalizers } });
    const notReady = aNode({ ready: { status: 'Unknown', changedAt: NOON } });

    expect(joined(claim, notReady).claim.condition('Initialized')?.status ?? 'True').toBe('True');
  });
});

describe('Liveness', () => {
  const launching = (minutes: number) =>
    aFreshClaim({
      createdAt: NOON - minutes * MINUTE,
      annotations: { 'joinery.dev/launch-group': 'g/2' },
    });
  const registering = (minutes: number) =>
    launchedClaim({
      status: {
        conditions: [
          aCondition('Launched', { changedAt: NOON - minutes * MINUTE }),
          aCondition('Registered', { status: 'Unknown', changedAt: NOON - minutes * MINUTE }),
        ],
      },
    });

  it.each([
    ['90: keeps a NodeClaim that has been launching for 4 minutes', launching(4), false],
    ['90: deletes one that has not launched in 5', launching(5), true],
    ['90: keeps one that has been joining for 14 minutes', registering(14), false],
    ['90: deletes one that has not registered in 15', registering(15), true],
    ['keeps one that was registered 29 minutes ago, initialized or not', registeredClaim(), false],
    ['deletes one that serves nobody after 30 (upstream never)', registeredClaim({}, 30), true],
  ])('%s', (_what, claim, deleted) => {
    expect(inFlight(claim).kinds.includes('delete')).toBe(deleted);
  });

  it('91: counts from when the condition changed, not from the creation', () => {
    const conditions = [
      aCondition('Launched', { changedAt: NOON - 20 * MINUTE }),
      aCondition('Registered', { status: 'Unknown', changedAt: NOON - 14 * MINUTE }),
    ];
    const claim = launchedClaim({
      meta: { createdAt: NOON - 60 * MINUTE },
      status: { conditions },
    });

    expect(inFlight(claim).kinds).not.toContain('delete');
  });

  it('does not launch once more what it deletes for not having launched', () => {
    expect(inFlight(aFreshClaim({ createdAt: NOON - 5 * MINUTE })).kinds).toEqual(['delete']);
  });

  it('deletes a registered NodeClaim whose instance is gone, unless its Node is Ready', () => {
    const notReady = aNode({ ready: { status: 'Unknown', changedAt: NOON } });
    const seen = (node: Node) =>
      wantedOf(aSettledSnapshot({ nodes: [aStateNode({ node })], instances: [] }), 'claim-1').kinds;

    expect(seen(notReady)).toEqual(['delete']);
    expect(seen(aNode())).not.toContain('delete');
  });
});

describe('a NodeClaim that somebody deletes before it is launched', () => {
  it('goes at once when it was never grouped, so never launched', () => {
    const claim = aNewClaim({ meta: { deletedAt: NOON, finalizers } });

    expect(inFlight(claim).update?.meta).toEqual({ finalizers: [] });
  });
});
