/**
 * Needless refusals: nobody is refused whom a node that is there, one that is planned, or one that
 * could be made, would take when the whole plan stands and this pod is bound last.
 */
import type { Placing } from '#lib/decide/place.ts';
import type { InstanceType } from '#lib/model/instance-type.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { PlannedNodeClaim } from '#lib/model/plan.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { affinityProblems, antiAffinityProblems } from './apart.ts';
import { claimProblems } from './claims.ts';
import { problemsWith } from './hosts.ts';
import { isNew, type Makeable, makeable, offersEnough } from './limits.ts';
import { type Place, placesOf } from './places.ts';
import { HOSTNAME, type Labels, mightSelect, NODEPOOL, nameOf, sum, ZONE } from './rules.ts';
import { spreadProblems } from './spread.ts';
import { volumeProblems } from './volumes.ts';

/** Pods that a plan refuses and need not. */
export function refusalProblems(
  snapshot: Snapshot,
  placing: Placing,
  pods: ReadonlyMap<string, Pod>,
): readonly string[] {
  // A pod that leans on one of a node that is going would have nothing to lean on.
  const places = placesOf(snapshot, placing, pods).filter(({ isLeaving }) => !isLeaving);
  const seen = new Set<string>();
  const topology = [...pods.values()].flatMap(keysOf);
  const keys = [...new Set([...topology, ZONE])];
  return placing.refused.flatMap(({ pod: name, by, because }) => {
    const pod = pods.get(name);
    if (!pod || by === 'unsupported' || optsOut(pod) || !isNew(pod, seen)) return [];
    // Words that no manifest may use, and volumes that are not to be had, are refused in any case.
    const isEarly = by === 'eligibility' || by === 'volumes';
    if (isEarly && !because.startsWith('no node has room')) return [];
    // How many volumes a node takes that is not up yet is guessed from those that are.
    const isGuess = pod.volumes.length > 0 && snapshot.csiNodes.length > 0;
    // What rules make of a node that may still be anything is hard to say.
    const open = places.filter(
      ({ isNew: isPlanned, outcomes }) => !isPlanned && outcomes.length > 1,
    );
    if (open.length > 0 && isSpread(pod)) return [];
    const host = snapshot.nodes.find((each) => {
      const isOpen = open.some(({ name: its }) => its === each.name);
      if (isOpen && topology.length > 0) return false;
      if (isGuess && !isUp(each)) return false;
      const there = places.find((place) => place.name === each.name)?.coming ?? [];
      return (
        problemsWith(each, [...there, pod], snapshot).length === 0 &&
        holdsWith(
          pod,
          places.map((place) => joined(place, each.name, pod)),
          snapshot,
        )
      );
    });
    if (host) return [`${name} is refused though ${host.name} would take it`];
    if (isGuess) return [];
    // What a daemon takes that runs on some nodes only counts for a type wherever it may run.
    const isUneven = snapshot.daemonSets.some(({ pod: daemon }) => isChoosy(daemon));
    const planned = (isUneven ? [] : placing.claims).find(
      (claim) =>
        takes(claim, pod, { snapshot, placing, pods }) &&
        holdsWith(
          pod,
          places.map((place) => joined(place, claim.name, pod)),
          snapshot,
        ),
    );
    if (planned) return [`${name} is refused though ${planned.name} would take it`];
    return snapshot.nodePools
      .filter((pool) => {
        const nodes = makeable(pool, pod, snapshot, { placing, puristic: false });
        const holding = kindsOf(nodes, keys, pod).filter(({ place }) =>
          holdsWith(pod, [...places, place], snapshot),
        );
        return offersEnough(
          pool,
          pod,
          holding.flatMap(({ types }) => types),
        );
      })
      .map(({ meta }) => `${name} is refused though ${meta.name} could make a node`);
  });
}

const isUp = ({ node, claim }: StateNode): boolean =>
  node !== undefined && (!claim || node.meta.labels['karpenter.sh/initialized'] === 'true');

/** Whether it compares its domain with others, one of which an open node may make. */
const isSpread = ({ topologySpread }: Pod): boolean =>
  topologySpread.some(
    ({ whenUnsatisfiable, topologyKey }) =>
      whenUnsatisfiable === 'DoNotSchedule' && topologyKey !== HOSTNAME,
  );

const isChoosy = ({ nodeSelector, nodeAffinity }: Pod): boolean =>
  Object.keys(nodeSelector).length > 0 || nodeAffinity.required.length > 0;

const optsOut = (pod: Pod): boolean => JSON.stringify(pod.nodeAffinity).includes(NODEPOOL);

const joined = (place: Place, name: string, pod: Pod): Place =>
  place.name === name ? { ...place, coming: [...place.coming, pod] } : place;

interface Plan {
  readonly snapshot: Snapshot;
  readonly placing: Placing;
  readonly pods: ReadonlyMap<string, Pod>;
}

/** Whether a planned node has what one more pod asks for, in each way in which it may be launched. */
function takes(claim: PlannedNodeClaim, pod: Pod, { snapshot, placing, pods }: Plan): boolean {
  const fuller = { ...claim, pods: [...claim.pods, nameOf(pod)] };
  const creations = placing.creations.map((action) => {
    if (action.kind !== 'createNodeClaim' || action.claim.name !== claim.name) return action;
    const requests = sum([action.claim.spec.requests, pod.requests]);
    const created = { ...action.claim, spec: { ...action.claim.spec, requests } };
    return { ...action, claim: created, forPods: fuller.pods };
  });
  const claims = placing.claims.map((each) => (each === claim ? fuller : each));
  return claimProblems(snapshot, { ...placing, claims, creations }, fuller, pods).length === 0;
}

const holdsWith = (pod: Pod, places: readonly Place[], snapshot: Snapshot): boolean =>
  antiAffinityProblems(snapshot, places).length === 0 &&
  affinityProblems(snapshot, places).length === 0 &&
  volumeProblems(snapshot, places).length === 0 &&
  spreadProblems(snapshot, places, pod).length === 0;

const keysOf = ({ topologySpread, podAffinity, podAntiAffinity }: Pod): readonly string[] =>
  [...topologySpread, ...podAffinity.required, ...podAntiAffinity.required].map(
    ({ topologyKey }) => topologyKey,
  );

/** New nodes that differ by some label only. */
interface Kind {
  readonly place: Place;
  readonly types: InstanceType[];
}

/** One new node of each kind that differs by these labels, and the types that make it. */
function kindsOf(nodes: readonly Makeable[], keys: readonly string[], pod: Pod): readonly Kind[] {
  const found = new Map<string, Kind>();
  for (const { pool, type, labels } of nodes) {
    for (const settled of settle(labels, keys)) {
      if (!mightSelect(pod, settled)) continue;
      const told = JSON.stringify(keys.map((key) => settled.get(key)));
      const place = {
        name: 'a new node',
        isNew: true,
        isLeaving: false,
        taints: pool.template.taints,
        outcomes: [new Map([...settled, [HOSTNAME, ['a new node']]])],
        bound: [],
        coming: [pod],
      };
      const kind = found.get(told) ?? { place, types: [] };
      kind.types.push(type);
      found.set(told, kind);
    }
  }
  return [...found.values()];
}

/** Each way in which these keys can be settled. */
const settle = (labels: Labels, keys: readonly string[]): readonly Labels[] =>
  keys.reduce<readonly Labels[]>(
    (all, key) =>
      all.flatMap((each) => {
        const values = each.get(key) ?? [];
        return values.length <= 1
          ? [each]
          : values.map((value) => new Map([...each, [key, [value]]]));
      }),
    [labels],
  );
