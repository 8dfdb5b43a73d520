/** Where a command prints: answers on standard output, problems on standard error. */
export interface Io {
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
  /** Whether colours and progress lines are welcome. */
  readonly isTerminal: boolean;
}

/** A reader that has seen enough (`| head`) closes the pipe; that is no failure of ours. */
const stopWhenUnread = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
};

/** The console. Colours and progress only where a person looks on and NO_COLOR is not set. */
export function consoleIo(): Io {
  process.stdout.on('error', stopWhenUnread);
  return {
    out: (line) => process.stdout.write(`${line}\n`),
    err: (line) => process.stderr.write(`${line}\n`),
    isTerminal: process.stdout.isTTY === true && !process.env.NO_COLOR,
  };
}
