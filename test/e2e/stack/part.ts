import { type ChildProcess, spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { request as http } from 'node:http';
import { request as https } from 'node:https';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** A program that was started for the tests. */
export interface Part {
  readonly name: string;
  readonly pid: number;
  /** Ends it: politely, and after some seconds for good. */
  readonly stop: () => Promise<void>;
  /** Ends it at once, as a crash would. */
  readonly kill: () => Promise<void>;
  /** The end of what it wrote. */
  readonly said: () => string;
}

/** More would be forgotten ones. */
const MOST_PROGRAMS = 50;
const POLITE_MS = 5_000;
const READY_MS = 90_000;
const LAST_WORDS = 3_000;

/** How a part is started. */
export interface PartOptions {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** Where its log goes. */
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a program whose output goes to a file of `folder`. */
export function startPart({ name, program, args, folder, env }: PartOptions): Part {
  const log = join(folder, `${name}.log`);
  const output = openSync(log, 'a');
  const child = spawn(program, args, {
    stdio: ['ignore', output, output],
    env: { ...process.env, HOME: folder, ...env },
  });
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  // Whoever is interrupted leaves nothing running behind.
  const onExit = () => child.kill('SIGKILL');
  // A world has some ten programs, and two worlds may stand side by side.
  process.setMaxListeners(MOST_PROGRAMS);
  process.once('exit', onExit);
  void gone.then(() => process.off('exit', onExit));
  return {
    name,
    pid: child.pid ?? 0,
    said: () => readFileSync(log, 'utf8').slice(-LAST_WORDS),
    kill: async () => {
      child.kill('SIGKILL');
      await gone;
    },
    stop: async () => {
      child.kill('SIGTERM');
      await Promise.race([gone, delay(POLITE_MS, undefined, { ref: false })]);
      if (isRunning(child)) child.kill('SIGKILL');
      await gone;
    },
  };
}

const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode === null && signalCode === null;

/** Waits until `url` answers 200; throws with the part's last words where it ends before, or never does. */
export async function untilReady(part: Part, url: string, token?: string): Promise<void> {
  for (const end = Date.now() + READY_MS; Date.now() < end; await delay(50)) {
    if ((await statusOf(url, token)) === 200) return;
    if (!isAlive(part.pid)) throw new Error(`${part.name} ended: ${part.said()}`);
  }
  throw new Error(`${part.name} is not ready after ${READY_MS / 1_000} s: ${part.said()}`);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function statusOf(url: string, token: string | undefined): Promise<number> {
  const options = {
    rejectUnauthorized: false,
    timeout: 2_000,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  };
  return new Promise((resolve) => {
    const asked = (url.startsWith('https:') ? https : http)(url, options, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(0));
    asked.end();
  });
}

/** So many ports that nobody listens on now. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const probes = await Promise.all(
    Array.from({ length: count }, async () => {
      const probe = createServer();
      await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
      const address = probe.address();
      return { probe, port: typeof address === 'object' && address !== null ? address.port : 0 };
    }),
  );
  for (const { probe } of probes) await new Promise((resolve) => probe.close(resolve));
  return probes.map(({ port }) => port);
}
