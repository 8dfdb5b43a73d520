import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { until } from './control-plane.ts';

/** A line of the log of `joinery local`. */
interface LogLine {
  readonly time: string;
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly said?: readonly string[];
  readonly [field: string]: unknown;
}

/** `joinery local` as a process of its own. */
export interface Joinery {
  readonly pid: number;
  readonly lines: readonly LogLine[];
  /** Of its doors. */
  readonly url: () => string;
  /** Ctrl-C; gives its exit status. */
  readonly stop: () => Promise<number | null>;
  /** As a crash would end it. */
  readonly kill: () => Promise<void>;
}

/** How it is started. */
export interface JoineryOptions {
  readonly kubeconfig: string;
  readonly endpoint: string;
  readonly region: string;
  readonly clusterName: string;
  readonly folder: string;
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly heartbeatSeconds?: number;
  /** Of those that are to be woken at another pace than the rest. */
  readonly everySeconds?: Readonly<Partial<Record<'provision' | 'consolidate' | 'drift', number>>>;
  readonly env?: Readonly<Record<string, string>>;
}

const HEARTBEAT_SECONDS = 10;
const DRIFT_SECONDS = 60;
const NODE = new URL('../../../node_modules/.bin/node', import.meta.url).pathname;
const COMMAND = new URL('../../../lib/cli/main.ts', import.meta.url).pathname;

/** Starts `joinery local` and waits until its doors are open. Throws what it had to say otherwise. */
export async function startJoinery(options: JoineryOptions): Promise<Joinery> {
  const beat = options.heartbeatSeconds ?? HEARTBEAT_SECONDS;
  const { tls, everySeconds = {} } = options;
  const pace = { provision: beat, consolidate: beat, drift: DRIFT_SECONDS, ...everySeconds };
  const args = [
    ...[COMMAND, 'local', '--port', '0', '--output', 'json'],
    ...Object.entries(pace).flatMap(([name, seconds]) => [`--${name}-every`, String(seconds)]),
    ...(tls === undefined ? [] : ['--tls-cert', tls.cert, '--tls-key', tls.key]),
  ];
  const child = spawn(NODE, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      KUBECONFIG: options.kubeconfig,
      AWS_ENDPOINT_URL: options.endpoint,
      AWS_REGION: options.region,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      JOINERY_CLUSTER_NAME: options.clusterName,
      ...options.env,
    },
  });
  const lines: LogLine[] = [];
  const problems: string[] = [];
  const file = createWriteStream(join(options.folder, 'joinery.log'), { flags: 'a' });
  createInterface({ input: child.stdout }).on('line', (line) => {
    file.write(`${line}\n`);
    if (line.startsWith('{"time"')) lines.push(JSON.parse(line));
  });
  child.stderr.on('data', (text) => {
    file.write(text);
    problems.push(String(text));
  });
  const onExit = () => child.kill('SIGKILL');
  process.once('exit', onExit);
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', (status) => {
      process.off('exit', onExit);
      resolve(status);
    });
  });
  const url = () => String(lines.find(({ doors }) => doors !== undefined)?.doors ?? '');
  await until(
    () => {
      if (child.exitCode !== null) throw new Error(`joinery local ended: ${problems.join('')}`);
      return url() !== '';
    },
    60_000,
    () => `joinery local serves: ${problems.join('')}`,
  );
  return {
    pid: child.pid ?? 0,
    lines,
    url,
    stop: () => {
      child.kill('SIGINT');
      return ended;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
