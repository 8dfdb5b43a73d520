import { KubeFailure } from '#lib/kube/errors.ts';
import type { Log } from '#lib/runtime/log.ts';
import type { Io } from '../io.ts';

type Level = 'info' | 'warn' | 'error';
type Fields = Readonly<Record<string, unknown>>;

/** The time of day, which is all that a person who looks on wants to know. */
const clockTime = (now: number): string => new Date(now).toISOString().slice(11, 19);

/**
 * A log for a person (`text`: the time, what happened, and below it what was seen and done in
 * sentences) or for a machine (`json`: one object a line, with every field).
 */
export function localLog(io: Pick<Io, 'out'>, output: 'text' | 'json', now: () => number): Log {
  const write =
    (level: Level) =>
    (message: string, fields: Fields = {}) => {
      if (output === 'json') {
        io.out(
          JSON.stringify({ time: new Date(now()).toISOString(), level, message, ...plain(fields) }),
        );
        return;
      }
      io.out(`${clockTime(now())} ${level === 'info' ? '' : `${level.toUpperCase()} `}${message}`);
      for (const line of sentencesIn(fields)) io.out(`         ${line}`);
    };
  return { info: write('info'), warn: write('warn'), error: write('error') };
}

/** What of the fields a person would read: what was said, and errors. */
function sentencesIn({ said, error, body }: Fields): readonly string[] {
  return [
    ...(Array.isArray(said) ? said.map(String) : []),
    ...(error === undefined ? [] : [sentenceOf(error)]),
    ...(typeof body === 'string' ? [body] : []),
  ];
}

/** Where a bug was is worth a stack; an API server that does not answer is not. */
const sentenceOf = (error: unknown): string =>
  error instanceof KubeFailure ? error.message : describe(error);

const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

/** Errors have nothing that JSON would show. */
const plain = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      value instanceof Error ? describe(value) : value,
    ]),
  );
