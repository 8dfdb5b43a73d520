import type { Entry } from '#lib/sim/journal.ts';

/** An entry of the journal as a reader of a story wants it. */
export interface Retold {
  readonly at: number;
  readonly source: string;
  readonly text: string;
  /** Sentences that belong to it. */
  readonly said: readonly string[];
  /** A look that changed nothing and found nothing new: counted, not told. */
  readonly isQuiet: boolean;
}

/** Turns that looked at nothing: another was at it, or had been. */
const NO_LOOK = /: (held by another|stale hint|nothing of ours)$/;
const STARTS = /^\w+ starts \(webhook: (.*)\)$/;
const EVENT_NAME = /Event (\S+?)\.[0-9a-f]{8,}/g;
/** What every turn says, and what says nothing of what it decided. */
const ROUTINE = /^(woken by|looks again|did) /;
const BOOKKEEPING = /^did (?:(?:update|updateStatus)(?: × \d+)?(?:, |$))+$/;
/** Refusals are recorded anew as long as they hold. */
const REMINDING = /^did recordEvent(?: × \d+)?$/;

/**
 * Retells entries one after the other; undefined for those that a reader can do without. A
 * function tells itself what woke it and what it did, so of Lambda only the webhook's door and
 * what went wrong remain. A turn that found nothing to do, or only brought statuses up to date, is
 * one line; what a function has said in its turn before is not said again.
 */
export function createRetelling(): (entry: Entry) => Retold | undefined {
  const saidBefore = new Map<string, ReadonlySet<string>>();
  return (entry) => {
    if (entry.source === 'joinery') return retoldTurn(entry, saidBefore);
    if (entry.source !== 'lambda') return { ...entry, said: saidIn(entry), isQuiet: false };
    const [, subject] = STARTS.exec(entry.text) ?? [];
    if (subject !== undefined) return retoldHint(entry, subject);
    if (/ (starts \(|returned$)/.test(entry.text)) return undefined;
    return { ...entry, said: [], isQuiet: false };
  };
}

/** Nodes change so often that the kubelet's word and the turn's own will do. */
function retoldHint({ at }: Entry, subject: string): Retold | undefined {
  if (subject.endsWith(' modified') || subject.startsWith('Node ')) return undefined;
  const text = `${shortened(subject)}: asks for a look`;
  return { at, source: 'webhook', text, said: [], isQuiet: false };
}

function retoldTurn(
  entry: Entry,
  saidBefore: Map<string, ReadonlySet<string>>,
): Retold | undefined {
  if (NO_LOOK.test(entry.text)) return undefined;
  const all = saidIn(entry).map(shortened);
  const [who = ''] = entry.text.split(':');
  const before = saidBefore.get(who) ?? new Set();
  const found = all.filter((line) => !ROUTINE.test(line));
  saidBefore.set(who, new Set(found));
  const news = found.filter((line) => !before.has(line));
  const did = all.find((line) => line.startsWith('did '));
  const told = { at: entry.at, source: entry.source };
  if (news.length > 0 || all.length === 0) {
    const said = all.filter((line) => !line.startsWith('looks again') && isNew(line, before));
    return { ...told, text: entry.text, said, isQuiet: false };
  }
  const isQuiet = did === undefined || BOOKKEEPING.test(did) || REMINDING.test(did);
  return { ...told, text: `${who}: ${did ?? 'nothing to do'}`, said: [], isQuiet };
}

const isNew = (line: string, before: ReadonlySet<string>): boolean =>
  ROUTINE.test(line) || !before.has(line);

/** The sentences that came with an entry. */
function saidIn({ fields }: Entry): readonly string[] {
  const said = fields?.said;
  return Array.isArray(said) ? said.filter((line) => typeof line === 'string') : [];
}

/** Events are named for an object and an instant; readers know the object. */
const shortened = (text: string): string => text.replace(EVENT_NAME, 'Event of $1');
