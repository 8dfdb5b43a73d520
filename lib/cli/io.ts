/** Where a command prints: answers on standard output, problems on standard error. */
export interface Io {
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
  /** Whether colours are welcome. */
  readonly isTerminal: boolean;
  /** Shows a line in place of the one before, '' to take it away; where a person looks on only. */
  readonly progress?: (line: string) => void;
}

/** A reader that has seen enough (`| head`) closes the pipe; that is no failure of ours. */
const stopWhenUnread = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
};

/** Back to the first column, and all of the line away. Source: ECMA-48, EL. */
const ANEW = '\r\u001b[2K';
/** Wider lines would not be taken away whole. */
const WIDTH = 79;

/** The console. Colours and progress only where a person looks on; NO_COLOR keeps colours away. */
export function consoleIo(): Io {
  process.stdout.on('error', stopWhenUnread);
  return {
    out: (line) => process.stdout.write(`${line}\n`),
    err: (line) => process.stderr.write(`${line}\n`),
    ...(process.stderr.isTTY && {
      progress: (line: string) => process.stderr.write(`${ANEW}${line.slice(0, WIDTH)}`),
    }),
    isTerminal: process.stdout.isTTY === true && !process.env.NO_COLOR,
  };
}
