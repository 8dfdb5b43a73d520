/**
 * DoNotSchedule spread constraints when a whole plan stands.
 *
 * kube-scheduler judges a constraint when a pod is bound, so a plan holds if the pods can be bound
 * in some order: a pod may go into its domain if count + (1 if it counts itself) − least count ≤
 * maxSkew. The least is taken over the domains of nodes that are there or to be, those that meet
 * any term of the pod's affinity (with policy Ignore all of them) and have the labels of all its
 * constraints; and over those in which nodes could be made (`universe.ts`) by the term that the pod
 * goes by, which is Karpenter's; for hostnames it is 0, because a node can always be made. The plan
 * must hold in every world: whatever zone, capacity type and so on an open node ends up in. Pods
 * of nodes that are going may or may not be gone by then: it is enough that the plan holds in one
 * of the two cases.
 *
 * Sources: kubernetes v1.36, scheduler/plugins/podtopologyspread/filtering.go; karpenter v1.14,
 * provisioning/scheduling/topologygroup.go, nextDomainTopologySpread.
 */
import type { LabelExpression } from '#lib/constraints/label-selector.ts';
import type { Pod, TopologySpreadConstraint } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import type { Place } from './places.ts';
import {
  allowedFrom,
  allowsOnKey,
  HOSTNAME,
  keyOf,
  type Labels,
  matches,
  mightSelect,
  nameOf,
  toleratesAll,
} from './rules.ts';
import { type Binding, type Group, stuckIn } from './spread-order.ts';
import { universeOf } from './universe.ts';

/** How many worlds are looked at where there are more; then the corners and some drawn ones. */
const WORLDS = 40;

/** Pods that could not be bound, in some world, because their domain would be too full; `last` after all others. */
export function spreadProblems(
  snapshot: Snapshot,
  places: readonly Place[],
  last?: Pod,
): readonly string[] {
  const owners = places.flatMap((place) =>
    place.coming.filter(hardOf).map((pod): Owner => ({ pod, place })),
  );
  if (owners.length === 0) return [];
  const groups = groupsOf(owners, snapshot);
  const staying = places.filter(({ isLeaving }) => !isLeaving);
  const problems = problemsAmong(groups, staying, last);
  const isSettled = problems.length === 0 || staying.length === places.length;
  return isSettled || problemsAmong(groups, places, last).length > 0 ? problems : [];
}

const hardOf = ({ topologySpread }: Pod): boolean => topologySpread.some(isHard);

const isHard = ({ whenUnsatisfiable }: TopologySpreadConstraint): boolean =>
  whenUnsatisfiable === 'DoNotSchedule';

interface Owner {
  readonly pod: Pod;
  readonly place: Place;
}

interface Rule extends Group {
  readonly key: string;
  readonly isEligible: (labels: Labels, place: Place) => boolean;
  readonly counts: (pod: Pod) => boolean;
}

/** The rules of all owners: owners that ask for the same and may go to the same share one. */
function groupsOf(owners: readonly Owner[], snapshot: Snapshot): ReadonlyMap<Pod, readonly Rule[]> {
  const known = new Map<string, Rule>();
  return new Map(
    owners.map((owner) => [
      owner.pod,
      owner.pod.topologySpread.filter(isHard).map((constraint) => {
        const { meta, nodeSelector, nodeAffinity, tolerations, topologySpread } = owner.pod;
        const versions = constraint.matchLabelKeys.map((key) => meta.labels[key]);
        const { required } = nodeAffinity;
        const where = required.length > 1 ? owner.place.name : '';
        const keys = topologySpread.filter(isHard).map(({ topologyKey }) => topologyKey);
        const nodes = [nodeSelector, required, tolerations, where, keys];
        const key = JSON.stringify([constraint, versions, meta.namespace, nodes]);
        const rule = known.get(key) ?? ruleOf(owner, constraint, snapshot);
        known.set(key, rule);
        return rule;
      }),
    ]),
  );
}

function ruleOf(
  { pod: owner, place: home }: Owner,
  constraint: TopologySpreadConstraint,
  snapshot: Snapshot,
): Rule {
  const { selector, matchLabelKeys, nodeAffinityPolicy, nodeTaintsPolicy } = constraint;
  const versions = matchLabelKeys.flatMap((key): LabelExpression[] => {
    const value = owner.meta.labels[key];
    return value === undefined ? [] : [{ key, operator: 'In', values: [value] }];
  });
  const full = selector && {
    matchLabels: selector.matchLabels,
    matchExpressions: [...selector.matchExpressions, ...versions],
  };
  const key = keyOf({ key: constraint.topologyKey, operator: 'Exists' });
  const honorsTaints = nodeTaintsPolicy === 'Honor';
  const domains = universeOf(snapshot, key)
    .filter(({ taints }) => !honorsTaints || toleratesAll(owner, taints))
    .map(({ value }) => value);
  // Karpenter goes by one term of the pod's affinity: it is enough that one will do.
  const ignores = nodeAffinityPolicy === 'Ignore';
  const [least = []] = ignores
    ? [domains]
    : allowedFrom(owner, home.outcomes, key, domains).toSorted(
        (a, b) => new Set(a).size - new Set(b).size,
      );
  // Nodes that lack the label of one of its constraints count for none of them.
  const keys = owner.topologySpread
    .filter(isHard)
    .map(({ topologyKey }) => keyOf({ key: topologyKey, operator: 'Exists' }));
  return {
    key,
    maxSkew: constraint.maxSkew,
    minDomains: constraint.minDomains ?? 1,
    isHostname: key === HOSTNAME,
    couldBe: new Set(least),
    isOpenTo: (value) => ignores || allowsOnKey(owner, key, value),
    isEligible: (labels, { taints }) =>
      (ignores || mightSelect(owner, labels)) &&
      keys.every((each) => (labels.get(each) ?? []).some((value) => value !== undefined)) &&
      (!honorsTaints || toleratesAll(owner, taints)),
    counts: ({ meta }) =>
      full !== undefined &&
      meta.deletedAt === undefined &&
      meta.namespace === owner.meta.namespace &&
      matches(full, meta.labels),
  };
}

/** What a place is to each rule in one world: its domain, and whether its pods count. */
type Look = readonly { readonly domain: string | undefined; readonly isEligible: boolean }[];

function looksOf(place: Place, rules: readonly Rule[]): readonly Look[] {
  const looks = new Map<string, Look>();
  const keys = [...new Set(rules.map(({ key }) => key))];
  for (const labels of place.outcomes) {
    const values = (key: string) => labels.get(key) ?? [undefined];
    const most = Math.max(1, ...keys.map((key) => values(key).length));
    for (let at = 0; at < most; at += 1) {
      const settled = new Map(
        keys.map((key) => [key, values(key)[at % values(key).length]] as const),
      );
      const known = new Map([
        ...labels,
        ...[...settled].map(([key, value]) => [key, [value]] as const),
      ]);
      const look = rules.map((rule) => {
        const domain = settled.get(rule.key);
        return { domain, isEligible: domain !== undefined && rule.isEligible(known, place) };
      });
      looks.set(JSON.stringify(look), look);
    }
  }
  return [...looks.values()];
}

const NOWHERE = { domain: undefined, isEligible: false };

function problemsAmong(
  groups: ReadonlyMap<Pod, readonly Rule[]>,
  places: readonly Place[],
  last: Pod | undefined,
): readonly string[] {
  const rules = [...new Set([...groups.values()].flat())];
  const counted = countedBy(rules);
  const looks = places.map((place) => looksOf(place, rules));
  const matter = places.map(({ bound, coming }) =>
    [...bound, ...coming].some((pod) => groups.has(pod) || counted(pod).length > 0),
  );
  const found = new Set<string>();
  for (const world of worldsOf(looks.map(({ length }, at) => (matter[at] ? length : 1)))) {
    const look = (at: number): Look => looks[at]?.[world[at] ?? 0] ?? [];
    const bindings = places.flatMap((place, at) =>
      [...place.bound, ...place.coming].map((pod): Binding => {
        const owned = place.coming.includes(pod) ? (groups.get(pod) ?? []) : [];
        const into = (rule: Rule) => look(at)[rules.indexOf(rule)] ?? NOWHERE;
        return {
          name: nameOf(pod),
          isBound: !place.coming.includes(pod),
          isFollower: pod.podAffinity.required.length > 0,
          isLast: pod === last,
          owns: owned.map((rule) => ({ group: rule, domain: into(rule).domain })),
          countsIn: counted(pod)
            .filter((rule) => into(rule).isEligible)
            .map((rule) => ({ group: rule, domain: into(rule).domain })),
          countsItselfIn: counted(pod),
        };
      }),
    );
    const present = new Map(
      rules.map((rule, index) => [
        rule,
        // Where nobody stands who counts, it only matters where the node may come to be.
        places.flatMap((_place, at) =>
          (matter[at] ? [look(at)] : (looks[at] ?? [])).flatMap((each) => {
            const { domain, isEligible } = each[index] ?? NOWHERE;
            return isEligible && domain !== undefined ? [domain] : [];
          }),
        ),
      ]),
    );
    for (const problem of stuckIn(bindings, present)) found.add(problem);
  }
  return [...found];
}

/** The rules that count a pod, remembered for pods of the same labels. */
function countedBy(rules: readonly Rule[]): (pod: Pod) => readonly Rule[] {
  const known = new Map<string, readonly Rule[]>();
  return (pod) => {
    const { labels, namespace, deletedAt } = pod.meta;
    const key = JSON.stringify([labels, namespace, deletedAt]);
    const found = known.get(key) ?? rules.filter((rule) => rule.counts(pod));
    known.set(key, found);
    return found;
  };
}

/** Choices of one look for each place: all of them, or the corners and some that are drawn. */
function worldsOf(sizes: readonly number[]): readonly (readonly number[])[] {
  const count = sizes.reduce((product, size) => product * Math.max(1, size), 1);
  const world = (choose: (at: number, size: number) => number): number[] =>
    sizes.map((size, at) => (size <= 1 ? 0 : choose(at, size) % size));
  if (count <= WORLDS) {
    return Array.from({ length: count }, (_, number) => {
      let left = number;
      return world((_at, size) => {
        const digit = left % size;
        left = Math.floor(left / size);
        return digit;
      });
    });
  }
  let state = 1;
  const draw = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 8;
  };
  const most = Math.max(...sizes);
  const corners = Array.from({ length: Math.min(most, WORLDS) }, (_, digit) => world(() => digit));
  const drawn = Array.from({ length: WORLDS }, () => world(draw));
  return [...corners, ...drawn];
}
