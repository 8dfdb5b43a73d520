import type { HostPort } from '#lib/constraints/host-ports.ts';
import type { Pod } from '#lib/model/pod.ts';
import { type Amounts, plus } from './amounts.ts';
import type { Ask } from './ask.ts';
import { accepts, type Host, placesOn } from './hosts.ts';
import { levelOf, take, type Waiting } from './waiting.ts';

/** What has been put on existing nodes so far. */
export interface HostPacking {
  /** Puts as many waiting pods as fit on nodes that their present wishes allow, first node first. */
  readonly place: (waiting: Waiting) => void;
  /** Puts those pods back where they were meant to go, if they still can. */
  readonly placeExpected: (waiting: Waiting, expected: ReadonlyMap<string, string>) => void;
  /** In the order in which they were made. */
  readonly placements: () => readonly { readonly pod: Pod; readonly host: string }[];
}

/** An empty packing onto `hosts`, which are filled in their order. */
export function packHosts(hosts: readonly Host[]): HostPacking {
  const used = new Map<Host, Amounts>();
  const ports = new Map<Host, readonly HostPort[]>();
  const accepted = new Map<Host, Map<Ask, boolean>>();
  const placements: { readonly pod: Pod; readonly host: string }[] = [];

  const welcomes = (host: Host, asks: readonly Ask[]): boolean =>
    asks.some((ask) => {
      const answers = accepted.get(host) ?? new Map<Ask, boolean>();
      accepted.set(host, answers);
      const answer = answers.get(ask) ?? accepts(host, ask);
      answers.set(ask, answer);
      return answer;
    });
  const usedOf = (host: Host): Amounts => used.get(host) ?? host.free.map(() => 0);
  const room = (host: Host, { group }: Waiting): number =>
    placesOn(host, group, usedOf(host), ports.get(host) ?? []);
  const put = (host: Host, pods: readonly Pod[], { group }: Waiting): void => {
    if (pods.length === 0) return;
    used.set(host, plus(usedOf(host), group.amounts, pods.length));
    ports.set(host, [...(ports.get(host) ?? []), ...group.hostPorts]);
    for (const pod of pods) placements.push({ pod, host: host.name });
  };

  return {
    place: (waiting) => {
      const { asks } = levelOf(waiting);
      for (const host of hosts) {
        if (waiting.left.length === 0) return;
        if (room(host, waiting) < 1 || !welcomes(host, asks)) continue;
        put(host, take(waiting, room(host, waiting)), waiting);
      }
    },
    placeExpected: (waiting, expected) => {
      if (expected.size === 0) return;
      const asks = waiting.group.levels.flatMap((level) => level.asks);
      for (const host of hosts) {
        const meant = waiting.left.filter(({ meta }) => expected.get(meta.uid) === host.name);
        if (meant.length === 0 || !welcomes(host, asks)) continue;
        const back = new Set(meant.slice(0, room(host, waiting)));
        waiting.left = waiting.left.filter((pod) => !back.has(pod));
        put(host, [...back], waiting);
      }
    },
    placements: () => placements,
  };
}
