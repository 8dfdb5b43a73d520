import pc from 'picocolors';
import type { Entry } from '#lib/sim/journal.ts';
import type { Io } from '../io.ts';

/** So many entries of one kind in a row are told; the rest of the run is counted. */
const TOLD = 2;
/** What tells objects of one kind apart: generated name suffixes, ids, addresses, numbers. */
const NAMES = /[a-z0-9.]+(?:[-/][a-z0-9.-]+)+|\d[\d.]*/gi;

/** Tells a story's timeline as it happens. */
export interface Narrator {
  readonly tell: (entry: Entry) => void;
  /** Tells what a run of like entries still holds back. */
  readonly finish: () => void;
}

/**
 * Prints each entry with the time since `start` and who tells it. Entries in a row that differ in
 * nothing but names are told twice and then counted, so that a thousand pods do not hide a node.
 */
export function createNarrator(io: Io, start: number): Narrator {
  let kind = '';
  let run = 0;
  const colour = pc.createColors(io.isTerminal);
  const flush = () => {
    if (run > TOLD) io.out(colour.dim(`${' '.repeat(24)}… and ${run - TOLD} more like it`));
    run = 0;
  };
  return {
    tell: (heard) => {
      const entry = retold(heard);
      if (entry === undefined) return;
      const next = `${entry.source} ${entry.text.replace(NAMES, '…')}`;
      if (next !== kind) flush();
      kind = next;
      run += 1;
      if (run > TOLD) return;
      const who = entry.source.padEnd(12);
      const isOurs = entry.source === 'joinery';
      io.out(
        `${colour.dim(elapsed(entry.at - start))}  ${isOurs ? colour.cyan(who) : who} ${isOurs ? colour.bold(entry.text) : entry.text}`,
      );
      for (const sentence of saidIn(entry)) io.out(`${' '.repeat(25)}${sentence}`);
    },
    finish: flush,
  };
}

/** Turns that looked at nothing: another was at it, or had been. */
const QUIET = /: (held by another|stale hint)$/;
const STARTS = /^(\w+) starts \(webhook: (.*)\)$/;

/**
 * An entry as a reader wants it: a function tells itself what woke it and what it did, so of
 * Lambda only the webhook's door and what went wrong remain.
 */
function retold(entry: Entry): Entry | undefined {
  if (entry.source === 'joinery' && QUIET.test(entry.text)) return undefined;
  if (entry.source !== 'lambda') return entry;
  const [, , subject] = STARTS.exec(entry.text) ?? [];
  if (subject !== undefined)
    return { ...entry, source: 'webhook', text: `${subject}: asks for a look` };
  return / (starts \(|returned$)/.test(entry.text) ? undefined : entry;
}

/** The sentences that came with an entry. */
function saidIn({ fields }: Entry): readonly string[] {
  const said = fields?.said;
  return Array.isArray(said) ? said.filter((line) => typeof line === 'string') : [];
}

/** Example: 83400 is "+01:23.4". */
function elapsed(ms: number): string {
  const seconds = (ms % 60_000) / 1_000;
  const minutes = Math.floor(ms / 60_000);
  return `+${String(minutes).padStart(2, '0')}:${seconds.toFixed(1).padStart(4, '0')}`.padStart(9);
}
