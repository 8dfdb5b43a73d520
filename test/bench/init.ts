/**
 * How long each function's bundle takes to initialize: `npm run bench:init`. Makes the bundles, then
 * imports each in fresh processes, a run of each in turn so that a busy moment is shared, and prints
 * the medians as Markdown, with what is read before the first invocation and whose code that is.
 * Processor time holds on a busy machine, too. Node's own start and AWS's download of the bundle are
 * not in it.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Bundle, bundleAll } from '#infra/bundle.ts';

const RUNS = 20;
/** Of so many parts of a bundle the size is told. */
const LARGEST = 4;
const run = promisify(execFile);

/** What the functions are told in Lambda; nothing is sent while a bundle initializes. */
const ENVIRONMENT = {
  JOINERY_CLUSTER_NAME: 'shop',
  JOINERY_CLUSTER_ENDPOINT: 'https://127.0.0.1:1',
  JOINERY_CLUSTER_CA: 'TUlJQg==',
  JOINERY_SERVICE_CIDR: '10.100.0.0/16',
  JOINERY_KUBERNETES_VERSION: '1.36',
  JOINERY_HINT_QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/111122223333/joinery',
  AWS_REGION: 'us-east-1',
  AWS_LAMBDA_FUNCTION_NAME: 'joinery',
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'example',
};

const IMPORT = `const [wall, processor] = [performance.now(), process.cpuUsage()];
await import(process.argv[1]);
const { user, system } = process.cpuUsage(processor);
process.stdout.write(JSON.stringify([performance.now() - wall, (user + system) / 1_000]));`;

/** What initializing took, by the clock and of processors. */
async function initMillis({ folder }: Bundle): Promise<readonly [wall: number, cpu: number]> {
  const script = ['--input-type=module', '--eval', IMPORT, `${folder}/index.mjs`];
  const { stdout } = await run(process.execPath, script, { env: ENVIRONMENT });
  return JSON.parse(stdout);
}

const median = (values: readonly number[]): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;

const bundles = await bundleAll(process.cwd());
const taken = new Map(bundles.map((bundle) => [bundle, [] as (readonly [number, number])[]]));
for (let round = 0; round < RUNS; round++) {
  for (const bundle of bundles) taken.get(bundle)?.push(await initMillis(bundle));
}
const kib = (bytes: number): string => `${(bytes / 1_024).toFixed(0)} KiB`;
const rows = bundles.map((bundle) => {
  const { bytes, parts } = bundle.atStart;
  const largest = parts.slice(0, LARGEST).map(([name, size]) => `${name} ${kib(size)}`);
  const cells = [bundle.name, kib(bundle.bytes), kib(bytes), largest.join(', ')];
  const times = taken.get(bundle) ?? [];
  const [wall, cpu] = [times.map(([each]) => each), times.map(([, each]) => each)].map(median);
  return `| ${cells.join(' | ')} | ${wall?.toFixed(0)} ms | ${cpu?.toFixed(0)} ms |`;
});
process.stdout.write(
  `| function | bundle | read at the start | most of it | initialized in (median of ${RUNS}) | of processors |\n|---|--:|--:|---|--:|--:|\n${rows.join('\n')}\n`,
);
