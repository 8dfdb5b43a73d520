/**
 * Required pod affinity and anti-affinity when a whole plan stands, as kube-scheduler's filter
 * InterPodAffinity judges them.
 *
 * Anti-affinity holds if no two pods that keep apart can come to share a domain, whatever the open
 * nodes turn out to be. Affinity holds if the pods can be bound in some order so that each finds
 * what it wants to be near, pods that look for nothing first; a pod that is what it looks for may
 * come before all others of its kind, wherever they will be (Karpenter lets it where none is in a
 * domain that the pod may go to: kube-scheduler would never bind it there). Pods of nodes that are
 * going may or may not be gone by then: it is enough that the plan holds in one of the two cases.
 * As in kube-scheduler, one and the same pod must match all terms of a pod for it to be what that
 * pod looks for.
 *
 * Sources: kubernetes v1.36, scheduler/plugins/interpodaffinity/filtering.go; karpenter v1.14,
 * scheduling/topologygroup.go, nextDomainAffinity.
 */
import type { Pod, PodAffinityTerm } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { type Place, valuesAt } from './places.ts';
import { nameOf, reaches } from './rules.ts';

/** Pods that stand where another one, new or old, must not be. */
export function antiAffinityProblems(
  snapshot: Snapshot,
  places: readonly Place[],
): readonly string[] {
  const staying = places.filter(({ isLeaving }) => !isLeaving);
  const known = new Map<string, readonly Place[]>();
  const holders = (term: PodAffinityTerm, owner: Pod): readonly Place[] => {
    const key = JSON.stringify([term, owner.meta.namespace]);
    const found =
      known.get(key) ??
      staying.filter((place) => standing(place).some((pod) => reaches(term, owner, pod, snapshot)));
    known.set(key, found);
    return found;
  };
  return staying.flatMap((place) =>
    place.coming.flatMap((owner) =>
      owner.podAntiAffinity.required.flatMap((term) => {
        const beside = holders(term, owner).find(
          (other) =>
            mayShare(place, other, term.topologyKey) &&
            standing(other).some((pod) => pod !== owner && reaches(term, owner, pod, snapshot)),
        );
        const where = `${term.topologyKey} of ${place.name}`;
        return beside ? [`${nameOf(owner)} may share ${where} with a pod it keeps away`] : [];
      }),
    ),
  );
}

/** Pods that are there and stay, and pods that come. Karpenter does not count who is leaving. */
const standing = ({ bound, coming }: Place): readonly Pod[] => [
  ...bound.filter(({ meta }) => meta.deletedAt === undefined),
  ...coming,
];

function mayShare(a: Place, b: Place, key: string): boolean {
  const values = [...valuesAt(a, key)].filter((value) => value !== undefined);
  return a === b ? values.length > 0 : values.some((value) => valuesAt(b, key).has(value));
}

interface Stand {
  readonly pod: Pod;
  readonly place: Place;
}

/** Pods that can never be bound for want of a pod near them. */
export function affinityProblems(snapshot: Snapshot, places: readonly Place[]): readonly string[] {
  const problems = farAmong(snapshot, places);
  const staying = places.filter(({ isLeaving }) => !isLeaving);
  const isSettled = problems.length === 0 || staying.length === places.length;
  return isSettled || farAmong(snapshot, staying).length > 0 ? problems : [];
}

function farAmong(snapshot: Snapshot, places: readonly Place[]): readonly string[] {
  const all = places.flatMap((place) => standing(place).map((pod): Stand => ({ pod, place })));
  const isOwner = ({ pod, place }: Stand): boolean =>
    place.coming.includes(pod) && pod.podAffinity.required.length > 0;
  const waiting = new Set(all.filter(isOwner));
  const bound = all.filter((each) => !waiting.has(each));
  const bind = (stand: Stand): void => {
    bound.push(stand);
    waiting.delete(stand);
  };
  for (;;) {
    const next =
      [...waiting].find((stand) => isNear(stand, bound, snapshot)) ??
      [...waiting].find((stand) => isFirst(stand, bound, snapshot));
    if (!next) break;
    bind(next);
  }
  return [...waiting].map(
    ({ pod, place }) => `${nameOf(pod)} may be on ${place.name} without what it must be near`,
  );
}

const isTarget = ({ pod }: Stand, owner: Pod, snapshot: Snapshot): boolean =>
  owner.podAffinity.required.every((term) => reaches(term, owner, pod, snapshot));

/** Whether a bound pod is near for certain, by each term. */
function isNear({ pod, place }: Stand, bound: readonly Stand[], snapshot: Snapshot): boolean {
  const targets = bound.filter((other) => isTarget(other, pod, snapshot));
  return pod.podAffinity.required.every(({ topologyKey }) =>
    [...valuesAt(place, topologyKey)].every(
      (value) =>
        value !== undefined &&
        targets.some((other) => {
          if (other.place === place) return true;
          const there = valuesAt(other.place, topologyKey);
          return there.size === 1 && there.has(value);
        }),
    ),
  );
}

/** Whether the pod may be the first of its kind: none is anywhere that has the labels. */
function isFirst(stand: Stand, bound: readonly Stand[], snapshot: Snapshot): boolean {
  const { pod, place } = stand;
  if (!isTarget(stand, pod, snapshot)) return false;
  const targets = bound.filter((other) => isTarget(other, pod, snapshot));
  return pod.podAffinity.required.every(
    ({ topologyKey }) =>
      [...valuesAt(place, topologyKey)].every((value) => value !== undefined) &&
      targets.every((other) =>
        [...valuesAt(other.place, topologyKey)].every((value) => value === undefined),
      ),
  );
}
