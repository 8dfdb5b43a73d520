import type { Pod } from '#lib/model/pod.ts';
import type { Ask } from '../pods/ask.ts';
import type { PodGroup } from '../pods/pod-groups.ts';
import { levelOf, take, type Waiting } from '../pods/waiting.ts';
import type { Census } from '../topology/census.ts';
import type { NodeContext } from '../topology/node-rules.ts';
import type { Topology } from '../topology/topology.ts';
import { emptyLoads, type Resort } from './host-loads.ts';
import { accepts, type Host } from './hosts.ts';

/** What has been put on existing nodes so far. */
export interface HostPacking {
  /**
   * Puts as many waiting pods as fit on nodes that their present wishes allow, first node first.
   * Pods that want to be together on one node and are nowhere yet go where all of them fit; as a
   * last resort where only some do.
   */
  readonly place: (waiting: Waiting, resort?: Resort) => void;
  /** How many pods of the group have room that their most wishful level allows. */
  readonly roomFor: (group: PodGroup) => number;
  /** Puts those pods back where they were meant to go, if they still can. */
  readonly placeExpected: (waiting: Waiting, expected: ReadonlyMap<string, string>) => void;
  /** In the order in which they were made. */
  readonly placements: () => readonly { readonly pod: Pod; readonly host: string }[];
}

/** What topology rules say about existing nodes, and who is told what is put there. */
export interface HostTopology extends Pick<NodeContext, 'mayBegin'> {
  readonly topology: Topology;
  readonly census: Census;
  /** Hears of pods that get a place. */
  readonly settle: (group: PodGroup) => void;
}

/** An empty packing onto `hosts`, which are filled in their order. */
export function packHosts(hosts: readonly Host[], rules: HostTopology): HostPacking {
  const loads = emptyLoads(rules.topology, rules);
  const welcomes = createWelcome();
  const placements: { readonly pod: Pod; readonly host: string }[] = [];
  const put = (host: Host, pods: readonly Pod[], { group }: Waiting): void => {
    loads.add(host, group, pods.length);
    rules.census.record(
      group.standing.byDomain,
      rules.topology.placeOf(host),
      pods.length,
      rules.topology.countingOn(host),
    );
    rules.settle(group);
    for (const pod of pods) placements.push({ pod, host: host.name });
  };
  /** Puts the first of `pods`, and returns how many. Each one changes what rules say of the next. */
  const putAllowed = (host: Host, pods: readonly Pod[], waiting: Waiting): number => {
    if (pods.length > 0 && waiting.group.standing.byDomain.length === 0) {
      put(host, pods, waiting);
      return pods.length;
    }
    const refused = pods.findIndex((pod) => {
      if (!isInDomain(host, waiting.group, rules)) return true;
      put(host, [pod], waiting);
      return false;
    });
    return refused < 0 ? pods.length : refused;
  };
  const place = (host: Host, waiting: Waiting, resort: Resort | undefined): void => {
    const most = loads.roomFor(host, waiting.group, resort);
    if (most < 1 || !welcomes(host, levelOf(waiting).asks)) return;
    const isPart = most < waiting.left.length && isFirstOfKind(host, waiting.group, rules);
    if (isPart && resort === undefined) return;
    take(waiting, putAllowed(host, waiting.left.slice(0, most), waiting));
  };
  return {
    place: (waiting, resort) => {
      for (const host of hosts) {
        if (waiting.left.length === 0) return;
        place(host, waiting, resort);
      }
    },
    roomFor: (group) => {
      const asks = group.levels[0]?.asks ?? [];
      return hosts.reduce((sum, host) => {
        const most = loads.roomFor(host, group);
        return most > 0 && welcomes(host, asks) ? sum + most : sum;
      }, 0);
    },
    placeExpected: (waiting, expected) => {
      if (expected.size === 0) return;
      const asks = waiting.group.levels.flatMap((level) => level.asks);
      for (const host of hosts) {
        const meant = waiting.left.filter(({ meta }) => expected.get(meta.uid) === host.name);
        if (meant.length === 0 || !welcomes(host, asks)) continue;
        const candidates = meant.slice(0, loads.roomFor(host, waiting.group));
        const back = new Set(candidates.slice(0, putAllowed(host, candidates, waiting)));
        waiting.left = waiting.left.filter((pod) => !back.has(pod));
      }
    },
    placements: () => placements,
  };
}

/** Whether a host accepts one of several Asks; each answer is remembered. */
export function createWelcome(): (host: Host, asks: readonly Ask[]) => boolean {
  const accepted = new Map<Host, Map<Ask, boolean>>();
  return (host, asks) => {
    const answers = accepted.get(host) ?? new Map<Ask, boolean>();
    accepted.set(host, answers);
    return asks.some((ask) => {
      const answer = answers.get(ask) ?? accepts(host, ask);
      answers.set(ask, answer);
      return answer;
    });
  };
}

/** Whether pods that want to be together would be the first of their kind, here or anywhere. */
const isFirstOfKind = (
  host: Host,
  { standing }: PodGroup,
  { topology, mayBegin }: HostTopology,
): boolean =>
  standing.byNode.some(
    ({ rule, owns }) =>
      owns &&
      rule.kind === 'affinity' &&
      mayBegin?.(rule) === true &&
      !topology.residentsOn(host).has(rule),
  );

/** Whether rules over domains let one more pod onto the host, those of others regarded too. */
function isInDomain(
  host: Host,
  { sample, standing }: PodGroup,
  { topology, census }: HostTopology,
): boolean {
  const place = topology.placeOf(host);
  return (
    census.objection(standing.byDomain, place, topology.allowedTo(sample)) === undefined &&
    !census.crowdsOthers(standing.byDomain, place)
  );
}
