import { firstPortConflict } from '#lib/constraints/host-ports.ts';
import type { Pod } from '#lib/model/pod.ts';
import { type Amounts, type Axes, amountsOf } from '#lib/solver/amounts.ts';
import { accepts, type Host } from '#lib/solver/hosts/hosts.ts';
import { type Ask, askKey, askLevels } from '#lib/solver/pods/ask.ts';

/** What pods have in common that the quick look for room cannot tell apart. */
export interface MoverKind {
  readonly amounts: Amounts;
  /** What they must have, wishes given up. */
  readonly asks: readonly Ask[];
  readonly hostPorts: Pod['hostPorts'];
}

/** A pod as the quick look for room sees it: no topology, no volumes. */
export interface Mover {
  readonly pod: Pod;
  readonly kind: MoverKind;
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
  /** Tries `movers` in their order on all nodes but `without`, in the order of the nodes. */
  readonly fit: (movers: Iterable<Mover>, without: ReadonlySet<string>) => Fit;
  /** Takes room for good. */
  readonly take: (host: string, amounts: Amounts) => void;
  /** Takes a node away for good. */
  readonly close: (host: string) => void;
}

/** Makes Movers of pods; those alike share a kind. */
export function moversOf(axes: Axes): (pod: Pod) => Mover {
  const kinds = new Map<string, MoverKind>();
  const asked = new Map<string, readonly Ask[]>();
  return (pod) => {
    const key = askKey(pod);
    const amounts = amountsOf(pod.requests, axes);
    const ports = pod.hostPorts.map(({ ip, port, protocol }) => `${ip}/${port}/${protocol}`);
    const text = `${key}\n${amounts.join(' ')}\n${ports.join(' ')}`;
    const known = kinds.get(text);
    if (known) return { pod, kind: known };
    const rules = { preferencePolicy: 'Ignore', someTaintsArePreferences: true } as const;
    const asks = asked.get(key) ?? askLevels(pod, rules).at(-1)?.asks ?? [];
    asked.set(key, asks);
    const kind = { amounts, asks, hostPorts: pod.hostPorts };
    kinds.set(text, kind);
    return { pod, kind };
  };
}

interface Room {
  readonly host: Host;
  free: number[];
  isOpen: boolean;
}

/** Opens rooms on `hosts`, which are tried in their order. */
export function openRooms(hosts: readonly Host[]): Rooms {
  const rooms = hosts.map(
    (host): Room => ({ host, free: [...host.free], isOpen: !host.takesNoMovers }),
  );
  const byName = new Map(rooms.map((room) => [room.host.name, room]));
  const welcomes = createWelcome();
  return {
    fit: (movers, without) => {
      const used = new Map<Room, number[]>();
      // Rooms only shrink: where one of a kind did not fit, the next does not.
      const from = new Map<MoverKind, number>();
      const placed: { mover: Mover; host: string }[] = [];
      const left: Mover[] = [];
      for (const mover of movers) {
        const { kind } = mover;
        let at = from.get(kind) ?? 0;
        for (; at < rooms.length; at++) {
          const room = rooms[at];
          if (!room?.isOpen || without.has(room.host.name)) continue;
          if (hasRoom(used.get(room) ?? room.free, kind.amounts) && welcomes(room.host, kind))
            break;
        }
        from.set(kind, kind.hostPorts.length > 0 ? at + 1 : at);
        const room = rooms[at];
        if (!room) {
          left.push(mover);
          continue;
        }
        const free = used.get(room) ?? [...room.free];
        subtract(free, kind.amounts);
        used.set(room, free);
        placed.push({ mover, host: room.host.name });
      }
      return { placed, left };
    },
    take: (host, amounts) => {
      const room = byName.get(host);
      if (room) subtract(room.free, amounts);
    },
    close: (host) => {
      const room = byName.get(host);
      if (room) room.isOpen = false;
    },
  };
}

function createWelcome(): (host: Host, kind: MoverKind) => boolean {
  const answers = new Map<MoverKind, Map<Host, boolean>>();
  return (host, kind) => {
    const ofKind = answers.get(kind) ?? new Map<Host, boolean>();
    answers.set(kind, ofKind);
    const known = ofKind.get(host);
    if (known !== undefined) return known;
    const answer =
      kind.asks.some((ask) => accepts(host, ask)) &&
      !firstPortConflict(kind.hostPorts, host.hostPorts);
    ofKind.set(host, answer);
    return answer;
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

function subtract(free: number[], amounts: Amounts): void {
  for (let axis = 0; axis < amounts.length; axis++) {
    free[axis] = (free[axis] ?? 0) - (amounts[axis] ?? 0);
  }
}
