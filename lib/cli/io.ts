/** Where a command prints: answers on standard output, problems on standard error. */
export interface Io {
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
  /** Whether colours and progress lines are welcome. */
  readonly isTerminal: boolean;
}

/** The console. Colours and progress only where a person looks on and NO_COLOR is not set. */
export const consoleIo = (): Io => ({
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
  isTerminal: process.stdout.isTTY === true && !process.env.NO_COLOR,
});
