import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { TestProject } from 'vitest/node';

const VERSION = '5.2.1';
/** The project's own; .gitignore has it. */
const FOLDER = '.moto';
const START_SECONDS = 60;

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the emulator listens. */
    endpoint: string;
  }
}

/** Lends one emulator to all tests of a run. */
export async function setup(project: TestProject): Promise<() => void> {
  const { endpoint, stop } = await startEmulator();
  project.provide('endpoint', endpoint);
  return stop;
}

/** An emulator that runs. */
export interface Emulator {
  readonly endpoint: string;
  readonly stop: () => void;
}

/** Installs moto where it is missing and starts it with our corrections. */
export async function startEmulator(): Promise<Emulator> {
  install();
  const port = await freePort();
  const said: string[] = [];
  const server = spawn('python3', ['test/e2e/emulator.py', String(port)], {
    // Only what stands in the folder counts, not what else the machine has of moto.
    env: { ...process.env, PYTHONPATH: FOLDER, PYTHONNOUSERSITE: '1' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  server.stderr.on('data', (text) => said.push(String(text)));
  const endpoint = `http://127.0.0.1:${port}`;
  await untilUp(endpoint, server, said);
  const onExit = () => server.kill();
  process.once('exit', onExit);
  return {
    endpoint,
    stop: () => {
      process.off('exit', onExit);
      server.kill();
    },
  };
}

function install(): void {
  const python = spawnSync('python3', ['--version'], { encoding: 'utf8' });
  if (python.status !== 0) {
    throw new Error(
      'The end-to-end tests need Python 3, whose moto stands in for AWS; there is no python3 on the PATH',
    );
  }
  // Compiled parts fit one minor version of Python only.
  const minor = /\d+\.\d+/.exec(python.stdout)?.[0] ?? '';
  const installed = `${FOLDER}/.complete-${VERSION}-${minor}`;
  if (existsSync(installed)) return;
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER);
  const pip = spawnSync(
    'python3',
    ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--target', FOLDER].concat(
      `moto[server]==${VERSION}`,
    ),
    { encoding: 'utf8' },
  );
  if (pip.status !== 0) throw new Error(`pip could not install moto ${VERSION}: ${pip.stderr}`);
  writeFileSync(installed, '');
}

async function untilUp(endpoint: string, server: ChildProcess, said: readonly string[]) {
  for (let tries = 0; tries < START_SECONDS * 4; tries += 1) {
    if (server.exitCode !== null) break;
    try {
      await fetch(`${endpoint}/__emulator`);
      return;
    } catch {
      await delay(250);
    }
  }
  server.kill();
  throw new Error(`moto did not start: ${said.join('').slice(-2_000)}`);
}

async function freePort(): Promise<number> {
  return await new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}
