import { firstPortConflict } from '#lib/constraints/host-ports.ts';
import type { Pod } from '#lib/model/pod.ts';
import { type Amounts, type Axes, amountsOf } from '#lib/solver/amounts.ts';
import { accepts, type Host } from '#lib/solver/hosts/hosts.ts';
import { type Ask, askKey, askLevels } from '#lib/solver/pods/ask.ts';

/** A pod as the quick look for room sees it: no topology, no volumes. */
export interface Mover {
  readonly pod: Pod;
  readonly amounts: Amounts;
  /** What it must have, wishes given up; pods that ask the same share the list. */
  readonly asks: readonly Ask[];
}

/** Where pods would go, and those for which no room was found. */
export interface Fit {
  readonly placed: readonly { readonly mover: Mover; readonly host: string }[];
  readonly left: readonly Mover[];
}

/**
 * The free room of all nodes, for quick looks at what would fit where. It is a guess that the solver
 * confirms or not: pods of other nodes, domains and volumes are not regarded.
 */
export interface Rooms {
  /** Tries `movers`, largest first, on all nodes but `without`, in the order of the nodes. */
  readonly fit: (movers: readonly Mover[], without: ReadonlySet<string>) => Fit;
  /** Takes room for good. */
  readonly take: (host: string, amounts: Amounts) => void;
  /** Takes a node away for good. */
  readonly close: (host: string) => void;
}

/** Makes Movers of pods, remembering what pods alike ask. */
export function moversOf(axes: Axes): (pod: Pod) => Mover {
  const asked = new Map<string, readonly Ask[]>();
  return (pod) => {
    const key = askKey(pod);
    const known = asked.get(key);
    const rules = { preferencePolicy: 'Ignore', someTaintsArePreferences: true } as const;
    const asks = known ?? askLevels(pod, rules).at(-1)?.asks ?? [];
    asked.set(key, asks);
    return { pod, amounts: amountsOf(pod.requests, axes), asks };
  };
}

interface Room {
  readonly host: Host;
  free: Amounts;
  isOpen: boolean;
}

/** Opens rooms on `hosts`, which are tried in their order. */
export function openRooms(hosts: readonly Host[]): Rooms {
  const rooms = hosts.map((host): Room => ({ host, free: host.free, isOpen: !host.takesNoMovers }));
  const byName = new Map(rooms.map((room) => [room.host.name, room]));
  const welcomes = createWelcome();
  const roomFor = (
    mover: Mover,
    without: ReadonlySet<string>,
    used: ReadonlyMap<Room, Amounts>,
  ): Room | undefined =>
    rooms.find(
      (room) =>
        room.isOpen &&
        hasRoom(used.get(room) ?? room.free, mover.amounts) &&
        !without.has(room.host.name) &&
        welcomes(room.host, mover),
    );
  return {
    fit: (movers, without) => {
      const used = new Map<Room, Amounts>();
      const placed: { mover: Mover; host: string }[] = [];
      const left: Mover[] = [];
      for (const mover of movers) {
        const room = roomFor(mover, without, used);
        if (!room) left.push(mover);
        else {
          used.set(room, minus(used.get(room) ?? room.free, mover.amounts));
          placed.push({ mover, host: room.host.name });
        }
      }
      return { placed, left };
    },
    take: (host, amounts) => {
      const room = byName.get(host);
      if (room) room.free = minus(room.free, amounts);
    },
    close: (host) => {
      const room = byName.get(host);
      if (room) room.isOpen = false;
    },
  };
}

function createWelcome(): (host: Host, mover: Mover) => boolean {
  const answers = new Map<readonly Ask[], Map<Host, boolean>>();
  return (host, { asks, pod }) => {
    const ofAsks = answers.get(asks) ?? new Map<Host, boolean>();
    answers.set(asks, ofAsks);
    const answer = ofAsks.get(host) ?? asks.some((ask) => accepts(host, ask));
    ofAsks.set(host, answer);
    return answer && !firstPortConflict(pod.hostPorts, host.hostPorts);
  };
}

/** Whether amounts fit in what is free. */
function hasRoom(free: Amounts, amounts: Amounts): boolean {
  for (let axis = 0; axis < amounts.length; axis++) {
    const asked = amounts[axis] ?? 0;
    if (asked > 0 && asked > (free[axis] ?? 0)) return false;
  }
  return true;
}

const minus = (free: Amounts, amounts: Amounts): Amounts =>
  free.map((amount, axis) => amount - (amounts[axis] ?? 0));
