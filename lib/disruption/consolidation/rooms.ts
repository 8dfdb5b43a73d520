import { isTerminal } from '#lib/consent/pod-state.ts';
import { firstPortConflict } from '#lib/constraints/host-ports.ts';
import type { Pod } from '#lib/model/pod.ts';
import { accepts, type Host } from '#lib/solver/hosts/hosts.ts';
import type { Apartness, Mover, MoverKind } from './movers.ts';
import { openSpreads } from './spreads.ts';

/** Where pods would go, and those for which no room was found. */
export interface Fit {
  readonly placed: readonly { readonly mover: Mover; readonly host: string }[];
  readonly left: readonly Mover[];
}

/**
 * The free room of all nodes, for quick looks at what would fit where. It is a guess that the solver
 * confirms or not: affinities and limits of volumes are not regarded.
 */
export interface Rooms {
  /** Tries `movers` in their order on all nodes but `without`, in the order of the nodes. */
  readonly fit: (movers: Iterable<Mover>, without: ReadonlySet<string>) => Fit;
  /** Takes room for good. */
  readonly take: (host: string, kind: MoverKind) => void;
  /** Takes a node away for good. */
  readonly close: (host: string) => void;
}

/** What a node has left, and the marks of the pods on it. */
interface Load {
  readonly free: number[];
  /** Never changed: replaced. */
  marks: ReadonlySet<string>;
}

interface Room {
  readonly host: Host;
  readonly load: Load;
  isOpen: boolean;
}

/** Opens rooms on `hosts`, which are tried in their order. */
export function openRooms(hosts: readonly Host[], apartnessOf: (pod: Pod) => Apartness): Rooms {
  const rooms = hosts.map(
    (host): Room => ({
      host,
      load: { free: [...host.free], marks: new Set(marksOn(host, apartnessOf)) },
      isOpen: !host.takesNoMovers,
    }),
  );
  const byName = new Map(rooms.map((room) => [room.host.name, room]));
  const welcomes = createWelcome();
  const spreads = openSpreads(hosts, apartnessOf);
  return {
    fit: (movers, without) => {
      const loads = new Map<Room, Load>();
      // Rooms only shrink: where one of a kind did not fit, the next does not.
      const from = new Map<MoverKind, number>();
      const tally = spreads.openTally(without);
      const takes = (room: Room, kind: MoverKind): boolean =>
        room.isOpen &&
        holds(loads.get(room) ?? room.load, kind) &&
        !without.has(room.host.name) &&
        welcomes(room.host, kind) &&
        (kind.spreads.length === 0 || tally.admits(kind, room.host.name));
      const placed: { mover: Mover; host: string }[] = [];
      const left: Mover[] = [];
      for (const mover of movers) {
        const { kind } = mover;
        const at = firstFrom(rooms, from.get(kind) ?? 0, (room) => takes(room, kind));
        from.set(kind, nextFrom(kind, at));
        const room = rooms[at];
        if (!room) {
          left.push(mover);
          continue;
        }
        const load = loads.get(room) ?? copyOf(room.load);
        put(load, kind);
        tally.add(kind, room.host.name);
        loads.set(room, load);
        placed.push({ mover, host: room.host.name });
      }
      return { placed, left };
    },
    take: (host, kind) => {
      const room = byName.get(host);
      if (!room) return;
      put(room.load, kind);
      spreads.take(host, kind);
    },
    close: (host) => {
      const room = byName.get(host);
      if (!room) return;
      room.isOpen = false;
      spreads.close(host);
    },
  };
}

/** Where the next of a kind is tried first. What is too uneven now may be even later. */
function nextFrom({ spreads, hostPorts }: MoverKind, at: number): number {
  if (spreads.length > 0) return 0;
  return hostPorts.length > 0 ? at + 1 : at;
}

const marksOn = ({ stateNode }: Host, apartnessOf: (pod: Pod) => Apartness): readonly string[] =>
  stateNode.pods.filter((pod) => !isTerminal(pod)).flatMap((pod) => apartnessOf(pod).brings);

const copyOf = ({ free, marks }: Load): Load => ({ free: free.slice(), marks });

/** The index of the first that will do, at or after `from`; past the end where none does. */
function firstFrom(rooms: readonly Room[], from: number, willDo: (room: Room) => boolean): number {
  for (let at = from; at < rooms.length; at++) {
    const room = rooms[at];
    if (room && willDo(room)) return at;
  }
  return rooms.length;
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

function holds({ free, marks }: Load, { amounts, shuns }: MoverKind): boolean {
  for (let axis = 0; axis < amounts.length; axis++) {
    const asked = amounts[axis] ?? 0;
    if (asked > 0 && asked > (free[axis] ?? 0)) return false;
  }
  return shuns.length === 0 || !shuns.some((mark) => marks.has(mark));
}

function put(load: Load, { amounts, brings }: MoverKind): void {
  for (let axis = 0; axis < amounts.length; axis++) {
    load.free[axis] = (load.free[axis] ?? 0) - (amounts[axis] ?? 0);
  }
  if (brings.length > 0) load.marks = new Set([...load.marks, ...brings]);
}
