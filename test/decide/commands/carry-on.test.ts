import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideDrift } from '#lib/decide/drift.ts';
import { decideProvision } from '#lib/decide/provision.ts';
import { conditionOf, isTrue } from '#lib/model/conditions.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { Action } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import {
  allRegistered,
  allUp,
  type Happening,
  playedBetween,
  withCreations,
} from '#test/build/command-world.ts';
import { aNodeClaim, conditionsUpTo } from '#test/build/node-claims.ts';
import { aCondition, aNodePool } from '#test/build/node-pools.ts';
import { aNode, aStateNode } from '#test/build/nodes.ts';
import { HOUR, NOON, SECOND } from '#test/build/objects.ts';
import { aRunningPod } from '#test/build/pods.ts';
import { applied, quietWorld } from '#test/build/quiet-world.ts';

const RECORD = 'joinery.dev/disruption';
const BACK_OFF = 'joinery.dev/disruption-back-off';
const DRIFTED = {
  changedAt: NOON - HOUR,
  reason: 'NodePoolDrifted',
  message: 'NodePoolDrifted',
} as const;

/** A node that has drifted, with one pod that nearly fills it. */
function aDriftedNode(name = 'node-1'): StateNode {
  const providerId = `aws:///us-east-1a/i-${name}`;
  return aStateNode({
    node: aNode({ meta: { name }, providerId }),
    claim: aNodeClaim({
      meta: {
        name: `claim-of-${name}`,
        annotations: {
          'karpenter.sh/nodepool-hash': '1',
          'karpenter.sh/nodepool-hash-version': 'v3',
        },
      },
      status: {
        nodeName: name,
        providerId,
        conditions: [...conditionsUpTo('Initialized'), aCondition('Drifted', DRIFTED)],
      },
    }),
    pods: [
      aRunningPod({ meta: { name: `web-on-${name}` }, nodeName: name, requests: { cpu: 1500 } }),
    ],
  });
}

const anyBudget = { disruption: { budgets: [{ nodes: '100%' }] } };
const aDriftedCluster = (...nodes: readonly StateNode[]): Snapshot =>
  quietWorld({ nodePools: [aNodePool(anyBudget)], nodes });

const named = (snapshot: Snapshot, name = 'node-1'): StateNode => {
  const state = snapshot.nodes.find((each) => each.name === name);
  if (!state) throw new Error(`expected ${name}, found none`);
  return state;
};
const isTainted = (state: StateNode): boolean =>
  state.node?.taints.some(({ key }) => key === 'karpenter.sh/disrupted') ?? false;
const isMarked = ({ claim }: StateNode): boolean =>
  isTrue(claim?.status.conditions ?? [], 'DisruptionReason');
const isDeleted = ({ claim }: StateNode): boolean => claim?.meta.deletedAt !== undefined;
const isReleased = (state: StateNode): boolean =>
  !isTainted(state) && !isMarked(state) && state.claim?.meta.annotations[RECORD] === undefined;
const replacements = ({ nodes }: Snapshot): readonly StateNode[] =>
  nodes.filter(({ claim }) => claim?.meta.annotations['joinery.dev/for-pods'] !== undefined);
const backOff = (snapshot: Snapshot): string =>
  named(snapshot).claim?.meta.annotations[BACK_OFF] ?? '';

/** The pod of a node, as it is with this annotation. */
const guarded = (state: StateNode): StateNode => ({
  ...state,
  pods: state.pods.map((pod) => ({
    ...pod,
    meta: { ...pod.meta, annotations: { 'karpenter.sh/do-not-disrupt': 'true' } },
  })),
});
const changing =
  (at: number, change: (state: StateNode) => StateNode, name = 'node-1'): Happening =>
  (snapshot, second) =>
    second === at
      ? {
          ...snapshot,
          nodes: snapshot.nodes.map((each) => (each.name === name ? change(each) : each)),
        }
      : snapshot;
const together =
  (...happenings: readonly Happening[]): Happening =>
  (snapshot, second) =>
    happenings.reduce((current, happens) => happens(current, second), snapshot);
const upAt =
  (at: number): Happening =>
  (snapshot, second) =>
    second === at ? allUp(snapshot, second) : snapshot;

const eventsIn = (actions: readonly Action[], reason: string): readonly string[] =>
  actions.flatMap((action) =>
    action.kind === 'recordEvent' && action.reason === reason ? [action.message] : [],
  );

const registeredAt =
  (at: number): Happening =>
  (snapshot, second) =>
    second === at ? allRegistered(snapshot, second) : snapshot;

describe('a command', () => {
  it('does nothing to a node for 15 seconds', () => {
    const { snapshot } = playedBetween(0, 14, aDriftedCluster(aDriftedNode()));
    const state = named(snapshot);

    expect(state.claim?.meta.annotations[RECORD]).toContain('"reason":"Drifted"');
    expect(isTainted(state) || isMarked(state)).toBe(false);
    expect(snapshot.nodes).toHaveLength(1);
  });

  it('names its replacements before they exist, and taints before it creates', () => {
    const at = (second: number) =>
      playedBetween(0, second, aDriftedCluster(aDriftedNode())).snapshot;

    const record = named(at(15)).claim?.meta.annotations[RECORD] ?? '';
    const [name] = JSON.parse(record).replacements;
    expect(at(15).nodes).toHaveLength(1);
    expect(isTainted(named(at(15)))).toBe(false);
    expect(isTainted(named(at(16))) && isMarked(named(at(16)))).toBe(true);
    expect(at(16).nodes).toHaveLength(1);
    expect(at(17).nodes.map((each) => each.name)).toContain(name);
  });

  it('deletes its nodes once the replacement is up, and no sooner', () => {
    const cluster = aDriftedCluster(aDriftedNode());

    expect(isDeleted(named(playedBetween(0, 90, cluster).snapshot))).toBe(false);
    const { snapshot } = playedBetween(0, 100, cluster, upAt(91));
    expect(isDeleted(named(snapshot))).toBe(true);
    expect(replacements(snapshot)[0]?.claim?.meta.annotations).not.toHaveProperty([
      'joinery.dev/replaces',
    ]);
  });

  it('is one of several at once where budgets allow', () => {
    const cluster = aDriftedCluster(aDriftedNode('node-1'), aDriftedNode('node-2'));
    const { snapshot } = playedBetween(0, 40, cluster, upAt(30));

    expect(isDeleted(named(snapshot, 'node-1')) && isDeleted(named(snapshot, 'node-2'))).toBe(true);
    expect(replacements(snapshot)).toHaveLength(2);
  });

  it('keeps to the budget when it is acted on, though more was proposed', () => {
    const cluster = aDriftedCluster(aDriftedNode('node-1'), aDriftedNode('node-2'));
    const oneAtATime: Happening = (snapshot, second) =>
      second === 10
        ? { ...snapshot, nodePools: [aNodePool({ disruption: { budgets: [{ nodes: '1' }] } })] }
        : snapshot;
    const { snapshot } = playedBetween(0, 40, cluster, together(oneAtATime, upAt(30)));

    expect(snapshot.nodes.filter(isDeleted)).toHaveLength(1);
  });
});

describe('commands of which many ripen at once', () => {
  it('are worked out anew by several looks', () => {
    const nodes = Array.from({ length: 30 }, (_, at) => aDriftedNode(`node-${100 + at}`));
    const cluster = aDriftedCluster(...nodes);
    const proposed = applied(cluster, decideDrift(cluster).actions);
    const validatedBy = (second: number): number =>
      playedBetween(16, second, proposed).snapshot.nodes.filter(({ claim }) =>
        claim?.meta.annotations[RECORD]?.includes('validatedAt'),
      ).length;

    expect([validatedBy(16), validatedBy(17)]).toEqual([20, 25]);
  });
});

describe('a command is undone, its nodes given back, ', () => {
  const cluster = aDriftedCluster(aDriftedNode());
  const isGivenBack = (snapshot: Snapshot): boolean =>
    isReleased(named(snapshot)) && !isDeleted(named(snapshot));

  it('when its replacement came to nothing', () => {
    const lost: Happening = (snapshot, second) =>
      second === 25
        ? { ...snapshot, nodes: snapshot.nodes.filter(({ name }) => name === 'node-1') }
        : snapshot;
    const { snapshot } = playedBetween(0, 30, cluster, lost);

    expect(isGivenBack(snapshot)).toBe(true);
    expect(backOff(snapshot)).toContain('came to nothing');
  });

  it('when its replacement does not become ready in ten minutes', () => {
    const { snapshot, actions } = playedBetween(0, 630, cluster, registeredAt(30));

    expect(isGivenBack(snapshot)).toBe(true);
    expect(backOff(snapshot)).toContain('did not become ready in time');
    expect(replacements(snapshot).every(isDeleted)).toBe(true);
    expect(eventsIn(actions, 'DisruptionReplacementRemoved')).toHaveLength(1);
    expect(eventsIn(actions, 'DisruptionReplacementKept')).toHaveLength(0);
  });

  it('when a pod that must not be disturbed came meanwhile, and keeps a replacement that is up', () => {
    const { snapshot, actions } = playedBetween(
      0,
      40,
      cluster,
      together(changing(25, guarded), upAt(30)),
    );

    expect(isGivenBack(snapshot)).toBe(true);
    expect(replacements(snapshot).some(isDeleted)).toBe(false);
    expect(replacements(snapshot)[0]?.claim?.meta.annotations).not.toHaveProperty([
      'joinery.dev/replaces',
    ]);
    expect(eventsIn(actions, 'DisruptionReplacementKept')).toEqual([
      expect.stringMatching(
        /^Kept, because it is up, though .* was given up: Pod has .*do-not-disrupt/,
      ),
    ]);
  });

  it('when such a pod came before the taint, and then buys no replacement', () => {
    const { snapshot, actions } = playedBetween(0, 40, cluster, changing(17, guarded));

    expect(isGivenBack(snapshot)).toBe(true);
    expect(backOff(snapshot)).toContain('do-not-disrupt');
    expect(actions.filter(({ kind }) => kind === 'createNodeClaim')).toEqual([]);
  });

  it('when pods came that have no other place', () => {
    const crowded = (state: StateNode): StateNode => ({
      ...state,
      pods: [
        ...state.pods,
        aRunningPod({ meta: { name: 'late' }, requests: { cpu: 400 } }),
        aRunningPod({ meta: { name: 'later' }, requests: { cpu: 1900 } }),
      ],
    });
    const { snapshot } = playedBetween(0, 40, cluster, together(changing(25, crowded), upAt(30)));

    expect(isGivenBack(snapshot)).toBe(true);
    expect(backOff(snapshot)).toContain('pods came that have no other place');
    expect(replacements(snapshot)).toHaveLength(1);
  });

  it('when somebody deleted another node of it', () => {
    const two = aDriftedCluster(aDriftedNode('node-1'), aDriftedNode('node-2'));
    const ids = two.nodes.map(({ claim }) => claim?.meta.uid ?? '').sort();
    const record = {
      v: 2,
      id: 'c',
      reason: 'Underutilized',
      members: ids,
      proposedAt: '2026-11-20T12:00:00Z',
      podsMoved: 2,
      savesUsdPerHour: 1,
      validatedAt: '2026-11-20T12:00:20Z',
      replacements: ['default-new'],
    };
    const written = {
      ...two,
      nodes: two.nodes.flatMap((state) =>
        state.name === 'node-2' || !state.claim
          ? []
          : [
              {
                ...state,
                claim: {
                  ...state.claim,
                  meta: {
                    ...state.claim.meta,
                    annotations: {
                      ...state.claim.meta.annotations,
                      [RECORD]: JSON.stringify(record),
                    },
                  },
                },
              },
            ],
      ),
    };
    const { snapshot } = playedBetween(30, 32, written);

    expect(named(snapshot).claim?.meta.annotations[RECORD] ?? '').not.toContain('default-new');
    expect(backOff(snapshot)).toContain('was deleted before its replacement was up');
  });

  it('and rests before it is tried again, longer each time', () => {
    const lost: Happening = (snapshot, second) =>
      second === 25 || second === 1860
        ? { ...snapshot, nodes: snapshot.nodes.filter(({ name }) => name === 'node-1') }
        : snapshot;
    const first = playedBetween(0, 30, cluster, lost).snapshot;
    expect(JSON.parse(backOff(first))).toMatchObject({ failures: 1 });
    expect(named(first).claim?.meta.annotations).not.toHaveProperty([RECORD]);
    const second = playedBetween(1820, 1870, first, lost).snapshot;
    expect(JSON.parse(backOff(second))).toMatchObject({ failures: 2 });
  });
});

describe('a node that no command holds', () => {
  it('loses the taint and the condition that a crash or another controller left', () => {
    const state = aDriftedNode();
    const left: StateNode = {
      ...state,
      node: aNode({
        taints: [{ key: 'karpenter.sh/disrupted', value: '', effect: 'NoSchedule' }],
      }),
      claim: aNodeClaim({
        meta: { annotations: { [RECORD]: '{"v":1,"reason":"Empty"}' } },
        status: {
          conditions: [...conditionsUpTo('Initialized'), aCondition('DisruptionReason')],
        },
      }),
    };
    const { snapshot } = playedBetween(0, 1, quietWorld({ nodes: [left] }));

    expect(isReleased(named(snapshot))).toBe(true);
  });
});

/** Looks whose functions die after so many of their actions, in the order of the Plan. */
function playedWithDeaths(cluster: Snapshot, deaths: readonly number[]) {
  let current = cluster;
  let created = 0;
  const wrongs: string[] = [];
  for (let second = 0; second < 200; second++) {
    const up = second % 40 === 39 ? allUp(current, second) : current;
    const seen = { ...up, takenAt: NOON + second * SECOND };
    const { actions } = decideProvision(seen);
    const most = deaths[second] ?? actions.length;
    const done: readonly Action[] = actions.slice(0, most);
    created += done.filter(({ kind }) => kind === 'createNodeClaim').length;
    const isUp = replacements(seen).some(({ claim }) =>
      conditionOf(claim?.status.conditions ?? [], 'Initialized'),
    );
    const isDeleting = done.some(
      (action) => action.kind === 'delete' && action.object.name === 'claim-of-node-1',
    );
    if (isDeleting && !isUp) wrongs.push(`second ${second}: deleted too early`);
    current = withCreations(applied(seen, done), done);
  }
  return { snapshot: current, created, wrongs };
}

describe('whoever dies at any action', () => {
  it('comes to the same end: one replacement, the node gone, nothing left behind', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 20, maxLength: 60 }),
        (deaths) => {
          const { snapshot, created, wrongs } = playedWithDeaths(
            aDriftedCluster(aDriftedNode()),
            deaths,
          );
          expect(wrongs).toEqual([]);
          expect(isDeleted(named(snapshot))).toBe(true);
          expect(created).toBe(1);
          expect(replacements(snapshot)).toHaveLength(1);
        },
      ),
      { numRuns: 12 },
    );
  });
});
