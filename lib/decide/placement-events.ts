import { byName } from '#lib/constraints/order.ts';
import { isRejection } from '#lib/constraints/rejection.ts';
import type { CandidacyFacts } from '#lib/disruption/candidates.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import { nodePoolRef, podRef } from '#lib/model/object-ref.ts';
import type { Action, Placement, Refusal } from '#lib/model/plan.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { axesOf } from '#lib/solver/amounts.ts';
import { unmetMinimums } from '#lib/solver/opening/min-values.ts';
import { optsOut } from '#lib/solver/refusals/eligibility.ts';
import { sourceOf, whyNoNodes } from '#lib/solver/sources.ts';
import { expectedOn } from './pods-to-place.ts';

/** Nodes that pending pods were promised room on. */
export const nominatedNodes = ({
  placements,
}: {
  readonly placements: readonly Placement[];
}): ReadonlySet<string> => new Set(placements.flatMap(({ node }) => node ?? []));

/** Nodes that somebody counts on: pending pods, or CapacityBuffers that keep room there. */
export const spokenFor = (placing: {
  readonly placements: readonly Placement[];
  readonly held: readonly string[];
}): Pick<CandidacyFacts, 'nominated' | 'held'> => ({
  nominated: nominatedNodes(placing),
  held: new Set(placing.held),
});

/**
 * How many pods of one look are told where they should go; a burst of thousands would cost as many
 * calls. Source: karpenter v1.14, provisioning/scheduling/events.go: five a second, ten at once.
 */
const MOST_NOMINATED = 100;

/**
 * What pods are told: for which new NodeClaim they were meant, on which node that is there they
 * fit, or why no node can be given to them. Told again at each look, under a name that makes the repetition one event.
 *
 * Source: karpenter v1.14, provisioning/scheduling/events.go. Nothing is told where there is no
 * NodePool at all, as in upstream: the cluster may be another's to provision.
 */
export function placementEvents(
  placing: {
    readonly creations: readonly Action[];
    readonly placements: readonly Placement[];
    readonly refused: readonly Refusal[];
  },
  snapshot: Snapshot,
): readonly Action[] {
  const pods = podsByName(namesIn(placing), snapshot);
  const tell = (name: string, type: 'Normal' | 'Warning', reason: string, message: string) => {
    const pod = pods.get(name);
    return pod ? [{ kind: 'recordEvent' as const, about: podRef(pod), type, reason, message }] : [];
  };
  const nominate = (pod: string, where: string) =>
    tell(pod, 'Normal', 'Nominated', `Pod should schedule on: ${where}`);
  const wasTold = expectedOn([...pods.values()], snapshot);
  const states = new Map(snapshot.nodes.map((state) => [state.name, state]));
  const told = [
    ...placing.creations.flatMap((action) =>
      action.kind === 'createNodeClaim'
        ? action.forPods.flatMap((pod) => nominate(pod, `nodeclaim/${action.claim.name}`))
        : [],
    ),
    ...placing.placements.flatMap(({ pod, node, nodeClaim }) => {
      const host = node ?? nodeClaim ?? '';
      // It was told when the NodeClaim was made for it.
      const isNews = wasTold.get(pods.get(pod)?.meta.uid ?? '') !== host;
      return isNews ? nominate(pod, describeHost(host, states.get(host))) : [];
    }),
  ];
  const nominations = told.slice(0, MOST_NOMINATED);
  if (snapshot.nodePools.length === 0) return nominations;
  const refusals = placing.refused
    // A pod that wants none of our nodes is not told that it gets none.
    .filter(({ pod }) => !isOptedOut(pods.get(pod)))
    .flatMap(({ pod, because }) =>
      tell(pod, 'Warning', 'FailedScheduling', `Failed to schedule pod, ${because}`),
    );
  const barren = placing.refused.length > 0 ? barrenPools(snapshot) : [];
  return [...nominations, ...refusals, ...barren];
}

/** Whom there may be something to tell: a few of all pods, as a rule nobody. */
const namesIn = ({
  creations,
  placements,
  refused,
}: Parameters<typeof placementEvents>[0]): ReadonlySet<string> =>
  new Set([
    ...creations.flatMap((action) => (action.kind === 'createNodeClaim' ? action.forPods : [])),
    ...placements.map(({ pod }) => pod),
    ...refused.map(({ pod }) => pod),
  ]);

function podsByName(names: ReadonlySet<string>, snapshot: Snapshot): ReadonlyMap<string, Pod> {
  const found = new Map<string, Pod>();
  if (names.size === 0) return found;
  for (const pods of [snapshot.pods, ...snapshot.nodes.map((state) => state.pods)]) {
    for (const pod of pods) {
      const name = nameOf(pod);
      if (names.has(name)) found.set(name, pod);
    }
  }
  return found;
}

/** Source: karpenter v1.14, provisioning/scheduling/events.go, NominatePodEvent. */
const describeHost = (host: string, state: StateNode | undefined): string =>
  [
    ...(state?.claim ? [`nodeclaim/${state.claim.meta.name}`] : []),
    ...(state?.node || !state?.claim ? [`node/${host}`] : []),
  ].join(', ');

const isOptedOut = (pod: Pod | undefined): boolean => pod !== undefined && optsOut(pod);

/** Told about pools for which nothing can be bought, while pods go without a node. */
const barrenPools = (snapshot: Snapshot): readonly Action[] =>
  snapshot.nodePools
    .filter(({ replicas }) => replicas === undefined)
    .flatMap((pool) => {
      const due = barrenness(pool, snapshot);
      return due === undefined ? [] : [{ pool, due }];
    })
    .sort((a, b) => byName(a.pool, b.pool))
    .map(({ pool, due }) => ({
      kind: 'recordEvent',
      about: nodePoolRef(pool),
      type: 'Warning',
      reason: 'NoCompatibleInstanceTypes',
      message: `NodePool requirements filtered out all compatible available instance types${due}`,
    }));

/**
 * Whether a NodePool's template leaves nothing that can be bought, and what else the event says of
 * it; undefined where something is left.
 *
 * Source: karpenter v1.14, provisioning/scheduling/scheduler.go, NewScheduler; events.go.
 */
function barrenness(pool: NodePool, snapshot: Snapshot): string | undefined {
  if (whyNoNodes(pool, snapshot)) return undefined;
  const source = sourceOf(pool, snapshot, axesOf([]));
  if (isRejection(source)) return '';
  const buyable = source.types.filter(({ offerings }) => offerings.length > 0);
  if (buyable.length === 0) return '';
  const isStrict = snapshot.settings.minValuesPolicy === 'Strict';
  return isStrict && source.hasMinValues && unmetMinimums(buyable, source.requirements).length > 0
    ? ' due to minValues incompatibility'
    : undefined;
}

const nameOf = ({ meta }: Pod): string => `${meta.namespace}/${meta.name}`;
