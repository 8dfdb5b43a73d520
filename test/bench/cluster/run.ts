/**
 * What a look at a large cluster takes, as Markdown: 5,000 nodes and 100,000 pods where nothing else
 * is asked for (arguments: nodes, pods, pending pods). The API server is an embedded one behind real
 * https, in a process of its own; what it takes to pack answers is in the wall clock and not in the
 * processor time. Prints figures; judges nothing, and is no test.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpus } from 'node:os';
import { createInterface } from 'node:readline';
import { NOON } from '#test/build/objects.ts';
import type { Step } from './measure.ts';

const [nodes = '5000', pods = '100000', pending = '0'] = process.argv.slice(2);

function child(file: string, ...args: readonly string[]) {
  const flags = ['--max-old-space-size=8192'];
  return spawn(process.execPath, [...flags, `test/bench/cluster/${file}.ts`, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const spawnedAt = performance.now();
const server = child('server', nodes, pods, pending, String(NOON));
try {
  const [port] = (await once(createInterface(server.stdout), 'line')) as [string];
  const ranMs = String(Math.round(performance.now() - spawnedAt));
  const measure = child('measure', port, String(NOON), ranMs, 'turns');
  let told = '';
  measure.stdout.on('data', (chunk: Buffer) => {
    told += chunk.toString();
  });
  const [status] = await once(measure, 'close');
  if (status !== 0) throw new Error(`expected figures, found exit status ${status}`);
  const steps: readonly Step[] = JSON.parse(told);
  print(`Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}\n`);
  print('| step | wall clock | processor | peak memory so far | |');
  print('| --- | --: | --: | --: | --- |');
  for (const { name, wallMs, cpuMs, peakMegabytes, note } of steps) {
    const cells = [name, `${Math.round(wallMs)} ms`, `${Math.round(cpuMs)} ms`];
    print(`| ${[...cells, `${Math.round(peakMegabytes)} MB`, note].join(' | ')} |`);
  }
} finally {
  server.kill();
}
