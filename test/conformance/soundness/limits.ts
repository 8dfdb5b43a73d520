/** What may be wrong with a plan as a whole: limits, reservations, weights. */
import type { RequirementSpec } from '#lib/constraints/requirement.ts';
import type { Resources } from '#lib/constraints/resources.ts';
import type { Placing } from '#lib/decide/place.ts';
import type { InstanceType } from '#lib/model/instance-type.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { daemonsOn, givesNodes, isForSale, labelsOfOffering, typesOf } from './claims.ts';
import {
  allows,
  INSTANCE_TYPE,
  isKeptAway,
  isLeaving,
  keyOf,
  type Labels,
  labelsOfType,
  matches,
  mightSelect,
  NODECLASS,
  NODEPOOL,
  needsMore,
  portsClash,
  reaches,
  shortOf,
  sum,
  toleratesAll,
} from './rules.ts';

/** What a pool's nodes hold that stay, and the largest that each new one may become. */
export function limitProblems(snapshot: Snapshot, placing: Placing): readonly string[] {
  return snapshot.nodePools
    .filter(({ meta }) => placing.claims.some(({ nodePool }) => nodePool === meta.name))
    .flatMap((pool) =>
      Object.entries(leftOf(pool, snapshot, placing))
        .filter(([, left]) => left < 0)
        .map(([name]) => `NodePool ${pool.meta.name} exceeds its limit of ${name}`),
    );
}

/** What limits leave when all of a plan stands as large as it may become. */
function leftOf(pool: NodePool, snapshot: Snapshot, { claims }: Placing): Resources {
  const largest = (name: string, names: readonly string[]): number =>
    typesOf(snapshot, pool)
      .filter((type) => names.includes(type.name))
      .reduce((most, { capacity }) => Math.max(most, capacity[name] ?? 0), 0);
  const stay = snapshot.nodes.filter(
    (host) =>
      !isLeaving(host) && (host.claim ?? host.node)?.meta.labels[NODEPOOL] === pool.meta.name,
  );
  const held = ({ node, claim }: StateNode, name: string): number => {
    const known = node?.capacity[name] || claim?.status.capacity[name] || 0;
    const isSized = node !== undefined || (claim?.status.capacity.cpu ?? 0) > 0;
    const line = claim?.spec.requirements.find(({ key }) => key === INSTANCE_TYPE);
    return isSized ? known : largest(name, line?.values ?? []);
  };
  return Object.fromEntries(
    Object.entries(pool.limits).map(([name, limit]) => {
      const all = [
        ...stay.map((host) => (name === 'nodes' ? 1 : held(host, name))),
        ...claims
          .filter(({ nodePool }) => nodePool === pool.meta.name)
          .map(({ instanceTypes }) => (name === 'nodes' ? 1 : largest(name, instanceTypes))),
      ];
      return [name, all.reduce((left, amount) => left - amount, limit)];
    }),
  );
}

/** No reservation is drawn from more often than it has instances. */
export function reservationProblems({ catalog }: Snapshot, { claims }: Placing): readonly string[] {
  const held = new Map<string, number>();
  for (const { reservationId, reservationCapacity = 0 } of [...catalog.byNodeClass.values()]
    .flat()
    .flatMap(({ offerings }) => offerings)) {
    if (reservationId === undefined) continue;
    held.set(reservationId, Math.min(held.get(reservationId) ?? Infinity, reservationCapacity));
  }
  const isOpenTo = (claim: Placing['claims'][number], id: string): boolean =>
    claim.requirements.every(({ key, operator, values = [] }) => {
      if (key === 'karpenter.sh/capacity-type') return allows(operator, values, 'reserved');
      return key !== 'karpenter.k8s.aws/capacity-reservation-id' || allows(operator, values, id);
    });
  return [...held].flatMap(([id, instances]) => {
    const drawn = claims.filter((claim) => isOpenTo(claim, id)).length;
    return drawn > instances ? [`${id} has ${instances} instances, not ${drawn}`] : [];
  });
}

/** Pods without preferences are on the heaviest NodePool that could make a node for them. */
export function weightProblems(
  snapshot: Snapshot,
  placing: Placing,
  pods: ReadonlyMap<string, Pod>,
): readonly string[] {
  const weightOf = new Map(snapshot.nodePools.map(({ meta, weight }) => [meta.name, weight]));
  return placing.claims.flatMap((claim) => {
    const seen = new Set<string>();
    // A node that had to be made for one pod is as good as one that is there for the others.
    if (claim.pods.flatMap((name) => pods.get(name) ?? []).some(needsMore)) return [];
    const heavier = snapshot.nodePools.filter(
      ({ weight }) => weight > (weightOf.get(claim.nodePool) ?? 0),
    );
    return claim.pods.flatMap((name) => {
      const pod = pods.get(name);
      if (!pod || prefers(pod) || !isNew(pod, seen)) return [];
      if (heavier.length === 0 || isMinded(pod, pods, snapshot)) return [];
      return heavier
        .filter((pool) => makeable(pool, pod, snapshot, { placing, puristic: true }).length > 0)
        .map(({ meta }) => `${name} is on ${claim.nodePool} though ${meta.name} is heavier`);
    });
  });
}

/** Whether rules of other pods are about this one: where it may go then is hard to say. */
const isMinded = (pod: Pod, pods: ReadonlyMap<string, Pod>, snapshot: Snapshot): boolean =>
  [...pods.values()].some(
    (other) =>
      other !== pod &&
      (other.topologySpread.some(
        ({ selector }) => selector !== undefined && matches(selector, pod.meta.labels),
      ) ||
        [...other.podAffinity.required, ...other.podAntiAffinity.required].some((term) =>
          reaches(term, other, pod, snapshot),
        )),
  );

const prefers = ({ nodeAffinity, podAffinity, podAntiAffinity, topologySpread }: Pod): boolean =>
  [nodeAffinity, podAffinity, podAntiAffinity].some(({ preferred }) => preferred.length > 0) ||
  topologySpread.length > 0;

/** Whether no pod that asks for the same was looked at before. */
export function isNew(pod: Pod, seen: Set<string>): boolean {
  const { requests, nodeSelector, nodeAffinity, tolerations, hostPorts, meta } = pod;
  const { topologySpread, podAffinity, podAntiAffinity, volumes } = pod;
  const asked = [requests, nodeSelector, nodeAffinity, tolerations, hostPorts];
  const beside = [topologySpread, podAffinity.required, podAntiAffinity.required, volumes];
  const key = JSON.stringify([asked, beside, meta.namespace, meta.labels]);
  const before = seen.size;
  return seen.add(key).size > before;
}

/** A node that a pool could surely make for one pod, by the labels it would have. */
export interface Makeable {
  readonly pool: NodePool;
  readonly type: InstanceType;
  readonly labels: Labels;
}

/**
 * The nodes that the pool could surely make for this pod alone when the whole plan stands, as far
 * as other pods and volumes do not matter. Where it is hard to say (custom keys that the pool
 * leaves open, minimums that a zone may break) there are none.
 */
export function makeable(
  pool: NodePool,
  pod: Pod,
  snapshot: Snapshot,
  { placing, puristic }: { readonly placing: Placing; readonly puristic: boolean },
): readonly Makeable[] {
  const { taints } = pool.template;
  const isHard = puristic && taints.some(({ effect }) => effect === 'PreferNoSchedule');
  if (!givesNodes(pool) || isHard || !toleratesAll(pod, taints)) return [];
  if (pod.resourceClaims.length > 0) return [];
  const left = leftOf(pool, snapshot, placing);
  const ways = typesOf(snapshot, pool)
    .filter((type) => shortOf(chargeOf(type, left), left).length === 0)
    .map((type) => ({ type, nodes: nodesFor(type, pool, pod, snapshot) }))
    .filter(({ nodes }) => nodes.length > 0);
  const isEnough = offersEnough(
    pool,
    pod,
    ways.map(({ type }) => type),
  );
  return isEnough
    ? ways.flatMap(({ type, nodes }) => nodes.map((labels) => ({ pool, type, labels })))
    : [];
}

/** Whether these types offer as many values as the pool demands, as far as that is easy to say. */
export const offersEnough = (
  { template: { requirements } }: NodePool,
  pod: Pod,
  types: readonly InstanceType[],
): boolean =>
  types.length > 0 &&
  requirements.every((line) => {
    const wanted = line.minValues ?? 0;
    if (wanted === 0) return true;
    const asksForIt = JSON.stringify([pod.nodeSelector, pod.nodeAffinity]).includes(line.key);
    return !asksForIt && !needsMore(pod) && valuesOf(types, line, requirements).size >= wanted;
  });

const valuesOf = (
  types: readonly InstanceType[],
  line: RequirementSpec,
  requirements: readonly RequirementSpec[],
): ReadonlySet<string | undefined> =>
  new Set(
    types
      .flatMap((type) => labelsOfType(type).get(keyOf(line)) ?? [])
      .filter((value) => value !== undefined && value !== 'reserved')
      .filter((value) =>
        requirements
          .filter((other) => keyOf(other) === keyOf(line))
          .every((other) => allows(other.operator, other.values ?? [], value)),
      ),
  );

const chargeOf = ({ capacity }: InstanceType, limits: Resources): Resources =>
  Object.fromEntries(
    Object.keys(limits).map((name) => [name, name === 'nodes' ? 1 : (capacity[name] ?? 0)]),
  );

/** The labels of the nodes of this type that would do for the pod, one for each way to buy it. */
function nodesFor(
  type: InstanceType,
  pool: NodePool,
  pod: Pod,
  snapshot: Snapshot,
): readonly Labels[] {
  const { template, meta } = pool;
  const settled = { ...template.labels, [NODEPOOL]: meta.name };
  const own = Object.entries({ ...settled, [NODECLASS]: template.nodeClassRef.name });
  return type.offerings.flatMap((offering) => {
    if (!isForSale(offering) || offering.capacityType === 'reserved') return [];
    const labels = new Map([
      ...labelsOfType(type),
      ...template.requirements.flatMap(({ key, operator, values = [] }) =>
        operator === 'In' && !type.requirements.has(key) ? [[key, values] as const] : [],
      ),
      ...own.map(([key, value]) => [key, [value]] as const),
      ...labelsOfOffering(offering),
    ]);
    const isAllowed = template.requirements.every((line) =>
      (labels.get(keyOf(line)) ?? [undefined]).some((value) =>
        template.requirements
          .filter((other) => keyOf(other) === keyOf(line))
          .every((other) => allows(other.operator, other.values ?? [], value)),
      ),
    );
    if (!isAllowed || !mightSelect(pod, labels)) return [];
    if (isKeptAway(pod, undefined, labels, snapshot)) return [];
    // A daemon counts for a type wherever it may run: what zone a node ends up in is not known.
    const daemons = daemonsOn(snapshot, pool, new Map([...labels, ...labelsOfType(type)]));
    const asked = sum([pod, ...daemons].map(({ requests }) => requests));
    const fits = shortOf(asked, type.allocatable).length === 0 && !portsClash([pod], daemons);
    return fits ? [labels] : [];
  });
}
