import { decideProvision } from '#lib/decide/provision.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { NewNodeClaim, NodeClaim } from '#lib/model/node-claim.ts';
import type { Action } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { conditionsUpTo } from './node-claims.ts';
import { aNode, aStateNode } from './nodes.ts';
import { NOON, SECOND } from './objects.ts';
import { applied } from './quiet-world.ts';

/** What was done in a cluster that only provision looks at, second by second. */
export interface Played {
  readonly snapshot: Snapshot;
  readonly actions: readonly Action[];
}

/** What may happen to a cluster in between: a change of what the next look sees. */
export type Happening = (snapshot: Snapshot, second: number) => Snapshot;

/**
 * A cluster after provision has looked every second from `from` to `to`, seconds after noon, each
 * look's writes made before the next. NodeClaims that are created stay without a Node until
 * somebody lets them up.
 */
export function playedBetween(
  from: number,
  to: number,
  snapshot: Snapshot,
  happens: Happening = (unchanged) => unchanged,
): Played {
  let current = snapshot;
  const actions: Action[] = [];
  for (let second = from; second <= to; second++) {
    const seen = { ...happens(current, second), takenAt: NOON + second * SECOND };
    const plan = decideProvision(seen);
    actions.push(...plan.actions);
    current = withCreations(applied(seen, plan.actions), plan.actions);
  }
  return { snapshot: current, actions };
}

/** The Snapshot with what was created, as the API server would show it. */
export function withCreations(snapshot: Snapshot, actions: readonly Action[]): Snapshot {
  const created = actions.flatMap((action) =>
    action.kind === 'createNodeClaim' ? [stateOf(action.claim, snapshot.takenAt)] : [],
  );
  if (created.length === 0) return snapshot;
  const nodes = [...snapshot.nodes, ...created].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { ...snapshot, nodes };
}

const stateOf = ({ name, labels, annotations, spec }: NewNodeClaim, now: number): StateNode => ({
  name,
  claim: {
    meta: {
      name,
      uid: `uid-of-${name}`,
      resourceVersion: '1',
      generation: 1,
      createdAt: now,
      labels,
      annotations,
      finalizers: ['karpenter.sh/termination'],
      owners: [],
    },
    spec,
    status: { capacity: {}, allocatable: {}, conditions: [] },
  },
  pods: [],
});

/** Lets every NodeClaim that has no Node come up, as an m5.large in us-east-1a. */
export const allUp: Happening = (snapshot) => joined(snapshot, 'Initialized');

/** Lets every NodeClaim that has no Node come so far that its Node is not Ready yet. */
export const allRegistered: Happening = (snapshot) => joined(snapshot, 'Registered');

const joined = (snapshot: Snapshot, stage: 'Registered' | 'Initialized'): Snapshot => ({
  ...snapshot,
  nodes: snapshot.nodes.map((state) =>
    state.claim && !state.node ? joinedOf(state.claim, stage) : state,
  ),
});

function joinedOf(claim: NodeClaim, stage: 'Registered' | 'Initialized'): StateNode {
  const { name, labels } = claim.meta;
  const providerId = `aws:///us-east-1a/i-${name}`;
  const node = aNode({
    meta: {
      name: `node-of-${name}`,
      labels: {
        ...labels,
        'kubernetes.io/hostname': `node-of-${name}`,
        'karpenter.sh/initialized': String(stage === 'Initialized'),
      },
    },
    providerId,
    ...(stage === 'Registered' && { ready: { status: 'False', changedAt: claim.meta.createdAt } }),
  });
  const made = aStateNode({ node });
  if (!made.claim) throw new Error('expected a NodeClaim, found none');
  return {
    ...made,
    claim: {
      ...claim,
      meta: { ...claim.meta, labels: { ...made.claim.meta.labels, ...labels } },
      status: {
        ...made.claim.status,
        nodeName: node.meta.name,
        providerId,
        conditions: conditionsUpTo(stage).map((each) => ({
          ...each,
          changedAt: claim.meta.createdAt,
        })),
      },
    },
  };
}
