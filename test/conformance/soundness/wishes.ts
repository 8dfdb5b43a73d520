/** Preferences that a plan gives up: each pod that goes without one is told of in the warnings. */
import type { Placing } from '#lib/decide/place.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { type Place, valuesAt } from './places.ts';
import { allows, keyOf, type Labels, nameOf, reaches } from './rules.ts';

/** Pods whose preferences are given up in silence. */
export function wishProblems(
  snapshot: Snapshot,
  { warnings }: Placing,
  places: readonly Place[],
): readonly string[] {
  if (snapshot.settings.preferencePolicy === 'Ignore') return [];
  const without = places.flatMap((place) =>
    place.coming.filter(
      (pod) => missesNode(pod, place) || missesPods(pod, place, places, snapshot),
    ),
  );
  const told = warnings.reduce((sum, each) => sum + countIn(each), 0);
  const named = without.map(nameOf).slice(0, 3).join(', ');
  return told >= without.length
    ? []
    : [`${without.length} pods (${named}, …) go without what they prefer, ${told} are told of`];
}

/** How many pods a warning is about. */
const countIn = (warning: string): number =>
  Number(/^(\d+) pods? .* placed without /.exec(warning)?.[1] ?? 0);

/** Whether the term of node affinity that it prefers most is met by nothing the node may become. */
function missesNode({ nodeAffinity }: Pod, { outcomes }: Place): boolean {
  const [heaviest] = nodeAffinity.preferred
    .filter(({ term }) => term.matchExpressions.length > 0)
    .toSorted((a, b) => b.weight - a.weight);
  return outcomes.every((labels) =>
    (heaviest?.term.matchExpressions ?? []).some((line) => !mightMeet(labels, line)),
  );
}

const mightMeet = (labels: Labels, line: Parameters<typeof keyOf>[0]): boolean =>
  (labels.get(keyOf(line)) ?? [undefined]).some((value) =>
    allows(line.operator, line.values ?? [], value),
  );

/** Whether a pod that it would rather not be near shares its domain for certain. */
const missesPods = (
  owner: Pod,
  place: Place,
  places: readonly Place[],
  snapshot: Snapshot,
): boolean =>
  owner.podAntiAffinity.preferred.some(({ term }) =>
    places
      .filter(({ isLeaving }) => !isLeaving)
      .some(
        (other) =>
          isShared(place, other, term.topologyKey) &&
          [...other.bound.filter(({ meta }) => meta.deletedAt === undefined), ...other.coming].some(
            (pod) => pod !== owner && reaches(term, owner, pod, snapshot),
          ),
      ),
  );

function isShared(a: Place, b: Place, key: string): boolean {
  const [value, ...more] = valuesAt(a, key);
  if (value === undefined || more.length > 0) return a === b && value !== undefined;
  return valuesAt(b, key).size === 1 && valuesAt(b, key).has(value);
}
