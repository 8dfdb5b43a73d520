import type { HostPort } from '#lib/constraints/host-ports.ts';
import { isRejection } from '#lib/constraints/rejection.ts';
import { HOSTNAME } from '#lib/model/labels.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { type Amounts, type Axes, amountsOf } from '#lib/solver/amounts.ts';
import { everyPodOf } from '#lib/solver/ground.ts';
import { type Ask, askKey, askLevels } from '#lib/solver/pods/ask.ts';
import type { TopologyRule } from '#lib/solver/topology/rule.ts';
import { type Part, ruleBookOf } from '#lib/solver/topology/rules.ts';
import { volumeObjectsOf } from '#lib/solver/volumes/volume-lookup.ts';
import { NO_VOLUME_NEED, type VolumeNeed, volumeNeedOf } from '#lib/solver/volumes/volume-needs.ts';

/**
 * What keeps pods off each other's nodes: a pod brings marks to its node, and goes nowhere where a
 * mark is that it shuns. Spreads over zones and the like count it, or are its own.
 */
export interface Apartness {
  readonly brings: readonly string[];
  readonly shuns: readonly string[];
  readonly counted: readonly TopologyRule[];
  readonly spreads: readonly TopologyRule[];
}

/** What pods have in common that the quick look for room cannot tell apart. */
export interface MoverKind extends Apartness {
  readonly amounts: Amounts;
  /** What they must have, wishes given up. */
  readonly asks: readonly Ask[];
  readonly hostPorts: readonly HostPort[];
}

/** A pod as the quick look for room sees it. */
export interface Mover {
  readonly pod: Pod;
  readonly kind: MoverKind;
}

/** How pods of one cluster are seen. */
export interface MoverMaker {
  /** Those alike share a kind. */
  readonly moverOf: (pod: Pod) => Mover;
  readonly apartnessOf: (pod: Pod) => Apartness;
}

/** Looks at the pods of `snapshot`. Cost: the rules of all its pods, once for each set of labels. */
export function moversIn(snapshot: Snapshot, axes: Axes): MoverMaker {
  const kinds = new Map<string, MoverKind>();
  const asked = new Map<string, readonly Ask[]>();
  const apartnessOf = apartnessIn(snapshot);
  const needOf = volumeNeedsIn(snapshot);
  const numberOf = numbering<TopologyRule>();
  return {
    apartnessOf,
    moverOf: (pod) => {
      const need = needOf(pod);
      const key = `${askKey(pod)}\n${need.key}`;
      const amounts = amountsOf(pod.requests, axes);
      const { brings, shuns, counted, spreads } = apartnessOf(pod);
      const ports = pod.hostPorts.map(({ ip, port, protocol }) => `${ip}/${port}/${protocol}`);
      const numbers = [...counted, ...spreads].map(numberOf);
      const parts = [amounts, ports, brings, shuns, numbers].map((each) => each.join(' '));
      const text = `${key}\n${parts.join('\n')}`;
      const known = kinds.get(text);
      if (known) return { pod, kind: known };
      const rules = { preferencePolicy: 'Ignore', someTaintsArePreferences: true } as const;
      const asks = asked.get(key) ?? askLevels(pod, rules, need.alternatives).at(-1)?.asks ?? [];
      asked.set(key, asks);
      const { hostPorts } = pod;
      const kind = { amounts, asks, hostPorts, brings, shuns, counted, spreads };
      kinds.set(text, kind);
      return { pod, kind };
    },
  };
}

/** Where pods' volumes can be attached; what cannot be told is for the solver to refuse. */
function volumeNeedsIn(snapshot: Snapshot): (pod: Pod) => VolumeNeed {
  const objects = volumeObjectsOf(snapshot);
  return (pod) => {
    const need = pod.volumes.length === 0 ? NO_VOLUME_NEED : volumeNeedOf(pod, objects);
    return isRejection(need) ? NO_VOLUME_NEED : need;
  };
}

/** Numbers things in the order in which they are first asked about. */
function numbering<Thing>(): (thing: Thing) => number {
  const ids = new Map<Thing, number>();
  return (thing) => {
    const id = ids.get(thing) ?? ids.size;
    ids.set(thing, id);
    return id;
  };
}

const NOTHING_APART: Apartness = { brings: [], shuns: [], counted: [], spreads: [] };

/**
 * Required anti-affinity over the hostname, as marks: one for owners and one for the selected; and
 * required spreads over anything else. Affinities are for the solver to see.
 */
function apartnessIn(snapshot: Snapshot): (pod: Pod) => Apartness {
  const book = ruleBookOf({
    batch: everyPodOf(snapshot).filter(
      ({ podAntiAffinity, topologySpread }) =>
        podAntiAffinity.required.length > 0 || topologySpread.length > 0,
    ),
    running: [],
    namespaces: snapshot.namespaces,
  });
  if (book.rules.length === 0) return () => NOTHING_APART;
  const idOf = numbering<TopologyRule>();
  const known = new Map<string, Apartness>();
  return (pod) => {
    const { byNode, byNodeText, byDomain, byDomainText } = book.standingOf(pod);
    const text = `${byNodeText}/${byDomainText}`;
    const apart = known.get(text) ?? {
      ...marksOf(byNode.filter(isApart), idOf),
      ...spreadingOf(byDomain.filter(isSpread)),
    };
    known.set(text, apart);
    return apart;
  };
}

const isApart = ({ rule }: Part): boolean =>
  rule.kind === 'antiAffinity' && rule.topologyKey === HOSTNAME;

const isSpread = ({ rule }: Part): boolean => rule.kind === 'spread';

const spreadingOf = (parts: readonly Part[]): Pick<Apartness, 'counted' | 'spreads'> => ({
  counted: parts.flatMap(({ rule, selected }) => (selected ? [rule] : [])),
  spreads: parts.flatMap(({ rule, owns }) => (owns ? [rule] : [])),
});

const marksOf = (
  parts: readonly Part[],
  idOf: (rule: TopologyRule) => number,
): Pick<Apartness, 'brings' | 'shuns'> => ({
  brings: parts.flatMap(({ rule, owns, selected }) => [
    ...(owns ? [`owner ${idOf(rule)}`] : []),
    ...(selected ? [`selected ${idOf(rule)}`] : []),
  ]),
  shuns: parts.flatMap(({ rule, owns, selected }) => [
    ...(owns ? [`selected ${idOf(rule)}`] : []),
    ...(selected ? [`owner ${idOf(rule)}`] : []),
  ]),
});
