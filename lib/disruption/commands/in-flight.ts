import { compareText } from '#lib/constraints/order.ts';
import { REPLACES } from '#lib/model/labels.ts';
import type { StateNode } from '#lib/model/node.ts';
import { isServed } from '#lib/model/node-pool.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { type CommandRecord, recordOf, writeRecord } from './record.ts';

/** A command that some NodeClaim remembers, as far as it can be seen now. */
export interface LiveCommand {
  readonly record: CommandRecord;
  /** The members that are there and remember it, by name; some may be being deleted. */
  readonly members: readonly StateNode[];
  /** How many of its members are there no more. */
  readonly gone: number;
  /** How many of its members are there, and do not remember it. */
  readonly forgetful: number;
  /** Whether all that remember it do so in the same words. */
  readonly isAgreed: boolean;
}

/** Which nodes take part in commands that are under way. */
export interface InFlight {
  /** By id. */
  readonly commands: readonly LiveCommand[];
  /** Names of the StateNodes that are to go; they are no candidates and no places for pods. */
  readonly members: ReadonlySet<string>;
  /** Of `members`, those whose replacements exist: their pods will need a place. */
  readonly leaving: ReadonlySet<string>;
  /** Names of the NodeClaims that come first, and of their StateNodes. */
  readonly replacements: ReadonlySet<string>;
}

/** The commands that are under way, from what NodeClaims remember of them. O(n log n). */
export function inFlightOf({ nodes }: Pick<Snapshot, 'nodes'>): InFlight {
  const remembering = nodes.flatMap((state) => {
    const record = state.claim && isServed(state.claim.spec.nodeClassRef) && recordOf(state.claim);
    return record ? [{ state, record }] : [];
  });
  const groups = Map.groupBy(remembering, ({ record }) => record.id);
  const uids = new Set(nodes.flatMap(({ claim }) => claim?.meta.uid ?? []));
  const commands = [...groups.values()]
    .map((group) => commandOf(group, uids))
    .sort((a, b) => compareText(a.record.id, b.record.id));
  const ids = new Set(commands.map(({ record }) => record.id));
  return {
    commands,
    ...rolesOf(commands),
    replacements: new Set(
      nodes
        .filter(({ claim }) => ids.has(claim?.meta.annotations[REPLACES] ?? ''))
        .flatMap(({ name, claim }) => (claim ? [name, claim.meta.name] : [])),
    ),
  };
}

/** The same without one of the commands, for whoever judges that one. */
export function inFlightBesides(inFlight: InFlight, id: string): InFlight {
  const commands = inFlight.commands.filter(({ record }) => record.id !== id);
  return { ...inFlight, commands, ...rolesOf(commands) };
}

function rolesOf(commands: readonly LiveCommand[]): Pick<InFlight, 'members' | 'leaving'> {
  const namesIn = (some: readonly LiveCommand[]): ReadonlySet<string> =>
    new Set(
      some
        .flatMap(({ members }) => members)
        .filter(({ claim }) => claim?.meta.deletedAt === undefined)
        .map(({ name }) => name),
    );
  return {
    members: namesIn(commands),
    leaving: namesIn(commands.filter(({ record }) => isReplaced(record))),
  };
}

function commandOf(
  group: readonly { readonly state: StateNode; readonly record: CommandRecord }[],
  uids: ReadonlySet<string>,
): LiveCommand {
  const told = group
    .map(({ record }) => ({ record, text: writeRecord(record) }))
    .sort((a, b) => furthest(a.record, b.record) || compareText(a.text, b.text));
  const [first] = told;
  if (!first) throw new Error('expected a member, found none');
  const remember = new Set(group.map(({ state }) => state.claim?.meta.uid));
  const others = first.record.members.filter((uid) => !remember.has(uid));
  return {
    record: first.record,
    members: group.map(({ state }) => state).sort((a, b) => compareText(a.name, b.name)),
    gone: others.filter((uid) => !uids.has(uid)).length,
    forgetful: others.filter((uid) => uids.has(uid)).length,
    isAgreed: told.every(({ text }) => text === first.text),
  };
}

const isReplaced = ({ validated, waitingSince }: CommandRecord): boolean =>
  waitingSince !== undefined || validated?.replacements.length === 0;

const stageOf = ({ validated, waitingSince }: CommandRecord): number =>
  waitingSince !== undefined ? 2 : validated ? 1 : 0;

const furthest = (a: CommandRecord, b: CommandRecord): number => stageOf(b) - stageOf(a);
