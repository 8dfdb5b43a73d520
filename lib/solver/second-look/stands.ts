import { requirementOf } from '#lib/constraints/requirement.ts';
import {
  agrees,
  intersectRequirements,
  isCompatible,
  type Requirements,
} from '#lib/constraints/requirements.ts';
import { firstUntolerated } from '#lib/constraints/taints.ts';
import { INSTANCE_TYPE, WELL_KNOWN } from '#lib/model/labels.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { AdmittedProblem, Packed } from '../attempt.ts';
import type { Host } from '../hosts/hosts.ts';
import type { SealedClaim } from '../opening/seal.ts';
import type { LabelAsk } from '../pods/ask.ts';
import type { PodGroup } from '../pods/pod-groups.ts';
import type { Counting, Place } from '../topology/census.ts';
import type { TopologyRule } from '../topology/rule.ts';
import type { Topology } from '../topology/topology.ts';

/** A node that is there or planned, as rules over domains see it. */
export interface Spot {
  /** What tells it apart from all other nodes: the name of one that is there, or a number. */
  readonly name: string;
  /** Absent where the node is only planned. */
  readonly host?: Host;
  readonly place: Place;
  /** Whether its labels meet what is asked, whatever they turn out to be. */
  readonly isSure: (asked: LabelAsk) => boolean;
  readonly countingFor: (rule: TopologyRule) => Counting;
}

/** Pods of a group that a plan puts on one node. */
export interface Stand {
  readonly group: PodGroup;
  readonly spot: Spot;
  readonly count: number;
}

/**
 * Who of `groups` stands where when the whole plan stands: on nodes that are there first, then on
 * new ones.
 *
 * Cost: pods; and the types of the claims, where it takes them to tell a domain.
 */
export function standsOf(
  { placements, claims }: Pick<Packed, 'placements' | 'claims'>,
  { groups, hosts, topology }: Pick<AdmittedProblem, 'groups' | 'hosts' | 'topology'>,
): readonly Stand[] {
  const groupOf = new Map(groups.flatMap((group) => group.pods.map((pod) => [pod, group])));
  const standsAt = (spotOf: () => Spot, pods: readonly Pod[]): readonly Stand[] => {
    const byGroup = Map.groupBy(pods, (pod) => groupOf.get(pod));
    byGroup.delete(undefined);
    if (byGroup.size === 0) return [];
    const spot = spotOf();
    return [...byGroup].flatMap(([group, { length }]) =>
      group ? [{ group, spot, count: length }] : [],
    );
  };
  const onHosts = Map.groupBy(placements, ({ host }) => host);
  const keys = topologyKeysOf(groups);
  return [
    ...hosts.flatMap((host) => {
      const pods = (onHosts.get(host.name) ?? []).map(({ pod }) => pod);
      return standsAt(() => spotOfHost(host, topology), pods);
    }),
    ...claims.flatMap((claim, at) => standsAt(() => spotOfClaim(claim, at, keys), claim.pods)),
  ];
}

/** A node that is there. */
export const spotOfHost = (host: Host, { placeOf, countingOn }: Topology): Spot => ({
  name: host.name,
  host,
  place: placeOf(host),
  isSure: (asked) => host.labels.every((labels) => surelyMeets(labels, asked)),
  countingFor: countingOn(host),
});

/** The keys of all rules over domains that groups have to do with. */
export const topologyKeysOf = (groups: readonly PodGroup[]): readonly string[] => [
  ...new Set(
    groups.flatMap(({ standing }) => standing.byDomain.map(({ rule }) => rule.topologyKey)),
  ),
];

/** A node to be, the one at this place among the claims, as far as it is settled what it will be. */
export function spotOfClaim(claim: SealedClaim, at: number, keys: readonly string[]): Spot {
  let looks: readonly Requirements[] | undefined;
  const looksOf = (): readonly Requirements[] => {
    looks ??= looksOfClaim(claim);
    return looks;
  };
  const verdicts = new Map<TopologyRule, Counting>();
  return {
    name: `new ${at}`,
    place: new Map(
      keys.flatMap((key) => {
        const values = valuesIn(claim, key, looksOf);
        return values.length === 0 ? [] : [[key, values] as const];
      }),
    ),
    isSure: (asked) => looksOf().every((labels) => surelyMeets(labels, asked)),
    countingFor: (rule) => {
      const verdict = verdicts.get(rule) ?? countingOn(claim, rule, looksOf);
      verdicts.set(rule, verdict);
      return verdict;
    },
  };
}

/** The labels that it may come to have, one set for each way to launch it. */
function looksOfClaim({
  requirements,
  source,
  instanceTypes,
}: SealedClaim): readonly Requirements[] {
  const listed = new Set(instanceTypes);
  return source.types
    .filter(({ type }) => listed.has(type.name))
    .flatMap(({ type, requirements: labels, offerings }) => {
      const named = new Map(requirements).set(
        INSTANCE_TYPE,
        requirementOf({ key: INSTANCE_TYPE, operator: 'In', values: [type.name] }),
      );
      const ofType = intersectRequirements(named, labels);
      return offerings
        .filter((offering) => agrees(offering.requirements, requirements))
        .map((offering) => intersectRequirements(ofType, offering.requirements));
    });
}

/** The values that a label may come to have; none where it will be missing. */
function valuesIn(
  { requirements }: SealedClaim,
  key: string,
  looksOf: () => readonly Requirements[],
): readonly string[] {
  const own = requirements.get(key);
  if (own && !own.complement) return [...own.values];
  if (!WELL_KNOWN.has(key)) return [];
  const values = looksOf().flatMap((look) => {
    const label = look.get(key);
    return label && !label.complement ? [...label.values] : [];
  });
  return [...new Set(values)];
}

function countingOn(
  { source }: SealedClaim,
  { filter: { alternatives, tolerations } }: TopologyRule,
  looksOf: () => readonly Requirements[],
): Counting {
  const hard = source.taints.filter(({ effect }) => effect !== 'PreferNoSchedule');
  if (tolerations && firstUntolerated(hard, tolerations)) return 'never';
  if (!alternatives) return 'surely';
  const looks = looksOf();
  if (looks.every((look) => !alternatives.some((asked) => mayMeet(look, asked)))) return 'never';
  const isSure = looks.every((look) => alternatives.some((asked) => surelyMeets(look, asked)));
  return isSure ? 'surely' : 'maybe';
}

const NO_KEYS: ReadonlySet<string> = new Set();

const mayMeet = (labels: Requirements, { requirements, present }: LabelAsk): boolean =>
  isCompatible(labels, requirements, NO_KEYS) && isCompatible(labels, present, NO_KEYS);

/** Whether it meets what is asked whichever of the values that are open it will have. */
function surelyMeets(labels: Requirements, asked: LabelAsk): boolean {
  const isSettled = [...asked.requirements.keys()].every((key) => {
    const label = labels.get(key);
    return !label || (!label.complement && label.values.size <= 1);
  });
  return isSettled && mayMeet(labels, asked);
}
