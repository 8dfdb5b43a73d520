import pc from 'picocolors';
import type { Entry } from '#lib/sim/journal.ts';
import type { Io } from '../io.ts';
import { createRetelling, type Retold } from './retell.ts';

/** So many entries of one kind are told within a scene; the rest is counted. */
const TOLD = 2;
/** A scene ends after so long, lest a long one looks like nothing happens. */
const SCENE_MS = 30_000;
/** What tells objects of one kind apart: generated name suffixes, ids, addresses, numbers. */
const NAMES = /[a-z0-9.]+(?:[-/][a-z0-9.-]+)+|\d[\d.]*/gi;
const INDENT = ' '.repeat(23);

/** Tells a story's timeline as it happens. */
export interface Narrator {
  readonly tell: (entry: Entry) => void;
  /** Tells what a scene still holds back. */
  readonly finish: () => void;
}

/**
 * Prints each entry with the time since `start` and who tells it, scene by scene: a user's deed or
 * a function's decision ends one. Entries of a scene that differ in nothing but names are told
 * twice and then counted, so that a thousand pods do not hide a node; so are looks of a function
 * that changed nothing.
 */
export function createNarrator(io: Pick<Io, 'out' | 'isTerminal'>, start: number): Narrator {
  const colour = pc.createColors(io.isTerminal);
  const retell = createRetelling();
  const scene = createScene((line) => io.out(`${INDENT}${colour.dim(line)}`));
  const print = ({ at, source, text, said }: Retold) => {
    const isOurs = source === 'joinery';
    const who = source.padEnd(11);
    io.out(
      `${colour.dim(elapsed(at - start))}  ${isOurs ? colour.cyan(who) : who} ${isOurs ? colour.bold(text) : text}`,
    );
    for (const sentence of said) io.out(`${INDENT}${sentence}`);
  };
  return {
    tell: (heard) => {
      const entry = retell(heard);
      if (entry !== undefined && scene.shows(entry)) print(entry);
    },
    finish: scene.end,
  };
}

/** Counts what a scene leaves out, and tells it when the scene ends. */
function createScene(print: (line: string) => void) {
  let beganAt = 0;
  let quiet = 0;
  const kinds = new Map<string, { readonly source: string; times: number }>();
  const end = () => {
    for (const line of leftOut([...kinds.values()], quiet)) print(line);
    quiet = 0;
    kinds.clear();
  };
  return {
    end,
    /** Whether `entry` is told now. */
    shows: (entry: Retold): boolean => {
      const { at, source, text, said, isQuiet } = entry;
      const isTurn = said.length > 0 || source === 'user';
      if (!isQuiet && (isTurn || at - beganAt > SCENE_MS)) {
        end();
        beganAt = at;
      }
      if (isQuiet) quiet += 1;
      if (isQuiet) return false;
      const name = `${source} ${text.replace(NAMES, '…')}`;
      const kind = kinds.get(name) ?? { source, times: 0 };
      kind.times += 1;
      kinds.set(name, kind);
      return kind.times <= TOLD || isTurn;
    },
  };
}

function leftOut(
  kinds: readonly { readonly source: string; readonly times: number }[],
  quiet: number,
): readonly string[] {
  const bySource = new Map<string, number>();
  for (const { source, times } of kinds) {
    const held = Math.max(0, times - TOLD) + (bySource.get(source) ?? 0);
    if (held > 0) bySource.set(source, held);
  }
  const more = [...bySource].map(([source, times]) => `${times} more from ${source}`);
  const looks = quiet === 0 ? [] : [`${quiet} look${quiet === 1 ? '' : 's'} with no news`];
  const all = [...more, ...looks];
  return all.length === 0 ? [] : [`… and ${all.join(', ')}`];
}

/** A time since the beginning. Example: 83400 is "+01:23.4". */
export function elapsed(ms: number): string {
  const seconds = (ms % 60_000) / 1_000;
  const minutes = Math.floor(ms / 60_000);
  return `+${String(minutes).padStart(2, '0')}:${seconds.toFixed(1).padStart(4, '0')}`;
}
