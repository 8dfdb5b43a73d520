/** Plans of one pass, and the cluster as it stands when a plan has been carried out. */
import type { RequirementSpec } from '#lib/constraints/requirement.ts';
import { type Placing, place } from '#lib/decide/place.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { PlannedNodeClaim } from '#lib/model/plan.ts';
import type { Pod, PodAffinityTerm, TopologySpreadConstraint } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { spec } from './constraints.ts';
import { aNodeClaim } from './node-claims.ts';
import { aNodePool } from './node-pools.ts';
import { aNode } from './nodes.ts';
import { HOUR, NOON } from './objects.ts';
import { aPod } from './pods.ts';
import { aSnapshot } from './snapshots.ts';

export const ZONE = 'topology.kubernetes.io/zone';
export const HOSTNAME = 'kubernetes.io/hostname';
export const CAPACITY_TYPE = 'karpenter.sh/capacity-type';

/** What one pass makes of a cluster. */
export const planOf = (difference: Partial<Snapshot>): Placing => place(aSnapshot(difference));

/** A pod of this name. */
export const named = (name: string, difference: Parameters<typeof aPod>[0] = {}): Pod =>
  aPod({ ...difference, meta: { ...difference.meta, name } });

/** A NodePool of this name. */
export const pool = (name: string, difference: Parameters<typeof aNodePool>[0] = {}) =>
  aNodePool({ ...difference, meta: { name } });

/** Node affinity: alternatives that are required, and what is preferred, with weights. */
export const affinity = (
  required: readonly string[],
  preferred: readonly [number, string][] = [],
) => ({
  nodeAffinity: {
    required: required.map((text) => ({ matchExpressions: [spec(text)], hasMatchFields: false })),
    preferred: preferred.map(([weight, text]) => ({
      weight,
      term: { matchExpressions: [spec(text)], hasMatchFields: false },
    })),
  },
});

/** The lines of a claim about one label. */
export const requirementOn = (
  claim: { requirements: readonly RequirementSpec[] } | undefined,
  key: string,
) => claim?.requirements.filter((line) => line.key === key);

const NOBODY = { matchLabels: {}, matchExpressions: [] };

/** A selector of pods with the label app. */
const ofApp = (app: string) => ({ ...NOBODY, matchLabels: { app } });

/** A term of pod affinity over `topologyKey` about the pods of an app, of the pod's namespace. */
export const about = (
  app: string,
  topologyKey: string,
  more: Partial<PodAffinityTerm> = {},
): PodAffinityTerm => ({ topologyKey, namespaces: [], selector: ofApp(app), ...more });

/** Must stand near pods like these. */
export const near = (...required: PodAffinityTerm[]) => ({
  podAffinity: { required, preferred: [] },
});

/** Must stand away from pods like these. */
export const apart = (...required: PodAffinityTerm[]) => ({
  podAntiAffinity: { required, preferred: [] },
});

/** Would rather stand away from pods like these. */
export const ratherApart = (...terms: PodAffinityTerm[]) => ({
  podAntiAffinity: { required: [], preferred: terms.map((term) => ({ weight: 1, term })) },
});

/** A constraint that spreads the pods of an app over `topologyKey`, by one, DoNotSchedule. */
export const evenly = (
  app: string,
  topologyKey: string,
  more: Partial<TopologySpreadConstraint> = {},
): TopologySpreadConstraint => ({
  topologyKey,
  maxSkew: 1,
  whenUnsatisfiable: 'DoNotSchedule',
  selector: ofApp(app),
  matchLabelKeys: [],
  nodeAffinityPolicy: 'Honor',
  nodeTaintsPolicy: 'Ignore',
  ...more,
});

/** Pods of an app, alike but for their names: web-1, web-2, … */
export const ofAnApp = (
  app: string,
  count: number,
  difference: Parameters<typeof aPod>[0] = {},
): Pod[] =>
  Array.from({ length: count }, (_, at) =>
    aPod({
      requests: { cpu: 100 },
      ...difference,
      meta: {
        labels: { app },
        ...difference.meta,
        name: `${difference.meta?.name ?? app}-${at + 1}`,
      },
    }),
  );

/**
 * The cluster when a plan has been carried out: each NodeClaim is a node of its cheapest type, zone
 * and capacity type, placed pods run, refused ones still wait. `pods` join those that wait.
 */
export function afterwards(
  snapshot: Snapshot,
  placing: Placing,
  pods: readonly Pod[] = [],
): Snapshot {
  const waiting = new Map(snapshot.pods.map((pod) => [nameOf(pod), pod]));
  const running = (names: readonly string[], nodeName: string): Pod[] =>
    names
      .flatMap((name) => waiting.get(name) ?? [])
      .map(({ scheduled: _, ...pod }) => ({
        ...pod,
        nodeName,
        phase: 'Running',
        startedAt: NOON - HOUR / 2,
        ready: 'True',
      }));
  const old = snapshot.nodes.map((host) => ({
    ...host,
    pods: [
      ...host.pods,
      ...running(
        placing.placements
          .filter(({ node, nodeClaim }) => (node ?? nodeClaim) === host.name)
          .map(({ pod }) => pod),
        host.name,
      ),
    ],
  }));
  const made = placing.claims.map((claim) => nodeOfClaim(claim, placing, snapshot, running));
  const placed = new Set([
    ...placing.claims.flatMap((claim) => claim.pods),
    ...placing.placements.map(({ pod }) => pod),
  ]);
  const left = snapshot.pods.filter((pod) => !placed.has(nameOf(pod)));
  return aSnapshot({ ...snapshot, nodes: [...old, ...made], pods: [...left, ...pods] });
}

/** What stands when one pass over a cluster has been carried out. */
export const stand = (difference: Partial<Snapshot>): Snapshot => next(aSnapshot(difference));

/** What stands when one more pass has been carried out, with these pods waiting beside the others. */
export function next(snapshot: Snapshot, pods: readonly Pod[] = []): Snapshot {
  const more = { ...snapshot, pods: [...snapshot.pods, ...pods] };
  return afterwards(more, place(more));
}

const nameOf = ({ meta }: Pod): string => `${meta.namespace}/${meta.name}`;

function nodeOfClaim(
  claim: PlannedNodeClaim,
  { creations }: Placing,
  { catalog }: Snapshot,
  running: (names: readonly string[], nodeName: string) => Pod[],
): StateNode {
  const { name, nodePool, cheapest } = claim;
  const type = [...catalog.byNodeClass.values()]
    .flat()
    .find((each) => each.name === cheapest.instanceType);
  const created = creations.find(
    (action) => action.kind === 'createNodeClaim' && action.claim.name === name,
  );
  const own = created?.kind === 'createNodeClaim' ? created.claim : undefined;
  const labels = {
    ...own?.labels,
    ...Object.fromEntries(
      [...(type?.requirements ?? [])].flatMap(([key, { complement, values }]) => {
        const [value, ...others] = values;
        return complement || value === undefined || others.length > 0 ? [] : [[key, value]];
      }),
    ),
    'karpenter.sh/nodepool': nodePool,
    [ZONE]: cheapest.zone,
    [CAPACITY_TYPE]: cheapest.capacityType,
    [HOSTNAME]: name,
  };
  const sizes = { capacity: type?.capacity ?? {}, allocatable: type?.allocatable ?? {} };
  const providerId = `aws:///${cheapest.zone}/i-${name}`;
  const taints = own?.spec.taints ?? [];
  return {
    name,
    node: aNode({ meta: { name, labels }, providerId, taints, ...sizes }),
    claim: aNodeClaim({
      meta: { name, labels },
      spec: { taints },
      status: { nodeName: name, providerId, ...sizes },
    }),
    pods: running(claim.pods, name),
  };
}

/** How many pods of an app stand in each domain, new nodes by their cheapest offering; sorted. */
export function skewOf(snapshot: Snapshot, app: string, key: string = ZONE): number[] {
  const counts = new Map<string, number>();
  for (const { node, pods } of snapshot.nodes) {
    const domain = node?.meta.labels[key];
    const count = pods.filter(({ meta }) => meta.labels.app === app).length;
    if (domain !== undefined && count > 0) counts.set(domain, (counts.get(domain) ?? 0) + count);
  }
  return [...counts.values()].sort((a, b) => a - b);
}
