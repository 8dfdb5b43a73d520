import type { Io } from '../io.ts';
import { elapsed, type Narrator } from './narrate.ts';

/** How often a line that takes its own place may change. */
const EVERY_MS = 250;

/**
 * One line that says how far the story has come since `start`, for a person who waits at a
 * terminal, and nothing anywhere else: where a machine reads the answer, and while a timeline has
 * nothing to tell. To finish takes the line away, until there is more to tell.
 */
export function createProgress({ progress }: Pick<Io, 'progress'>, start: number): Narrator {
  let shownAt = Date.now();
  let isShown = false;
  return {
    tell: ({ at, source, text }) => {
      if (progress === undefined || Date.now() - shownAt < EVERY_MS) return;
      shownAt = Date.now();
      isShown = true;
      progress(`${elapsed(at - start)} played; ${source} ${text}`);
    },
    finish: () => {
      if (isShown) progress?.('');
      isShown = false;
    },
  };
}
