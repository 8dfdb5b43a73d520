/**
 * What the real bundles take at a cluster at rest: `npm run cost -- --measure`. Each is a process of
 * its own, with the cluster behind https and AWS behind http on loopback, and is invoked as its
 * schedule would, an hour of it and more.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type BundleName, bundleAll } from '#infra/bundle.ts';
import { type AwsStandIn, standInForAws } from './aws-stand-in.ts';
import { CLUSTER, type IdleCluster, idleCluster } from './idle-cluster.ts';
import { type KubernetesStandIn, standInForKubernetes } from './kubernetes-stand-in.ts';
import type { Taken } from './sandbox.ts';

/** What one function took at one cluster. */
export interface Measured {
  readonly function: BundleName;
  readonly nodes: number;
  readonly pods: number;
  readonly initCpuMs: number;
  readonly firstCpuMs: number;
  /** The mean of those that follow, as a bill adds them up. */
  readonly laterCpuMs: number;
  readonly laterWallMs: number;
  readonly peakMegabytes: number;
  /** Of those that follow. */
  readonly logBytes: number;
  /** Every series of figures that it told. */
  readonly series: readonly string[];
}

/** How a function is woken where nothing happens: by what, each so many minutes, how often. */
interface Waking {
  readonly event: string;
  readonly minutes: number;
  readonly times: number;
}

const WAKINGS: Readonly<Record<BundleName, Waking>> = {
  provision: { event: 'heartbeat', minutes: 1, times: 60 },
  consolidate: { event: 'consolidate-schedule', minutes: 1, times: 60 },
  drift: { event: 'drift-schedule', minutes: 5, times: 24 },
  // An instance of somebody else's, and a pod that waits: neither is of a quiet hour.
  interrupt: { event: 'state-change', minutes: 1, times: 60 },
  admit: { event: 'admission-review', minutes: 1, times: 60 },
};

/** Measures every function at a quiet cluster of each size. */
export async function measure(sizes: readonly number[]): Promise<readonly Measured[]> {
  const bundles = await bundleAll(process.cwd());
  const found: Measured[] = [];
  for (const size of sizes) {
    const cluster = await idleCluster(size);
    for (const { name, folder } of bundles) found.push(await measureOne(cluster, name, folder));
  }
  return found;
}

async function measureOne(
  cluster: IdleCluster,
  name: BundleName,
  folder: string,
): Promise<Measured> {
  const { event, minutes, times } = WAKINGS[name];
  const woken = JSON.parse(await readFile(`events/${event}.json`, 'utf8'));
  const kubernetes = await standInForKubernetes(cluster.objects, cluster.now);
  const aws = await standInForAws(cluster.answers);
  const sandbox = start(folder, kubernetes, aws);
  let log = '';
  sandbox.stdout?.on('data', (text) => {
    log += text;
  });
  sandbox.stderr?.pipe(process.stderr);
  const dead = ended(sandbox);
  const next = async (): Promise<Taken> => {
    sandbox.send({ now: kubernetes.now(), event: woken });
    const [taken] = await Promise.race([once(sandbox, 'message'), dead]);
    kubernetes.pass(minutes);
    return taken;
  };
  try {
    const [init, first] = [await next(), await next()];
    const logged = log.length;
    const later: Taken[] = [];
    while (later.length < times) later.push(await next());
    const told = log.slice(logged);
    process.stderr.write(`${name}, ${cluster.nodes} nodes: ${[...aws.calls].join(' ')}\n`);
    return {
      ...{ function: name, nodes: cluster.nodes, pods: cluster.pods },
      initCpuMs: tenths(init.cpuMs),
      firstCpuMs: tenths(first.cpuMs),
      laterCpuMs: tenths(mean(later.map(({ cpuMs }) => cpuMs))),
      laterWallMs: tenths(mean(later.map(({ wallMs }) => wallMs))),
      peakMegabytes: Math.round(later.at(-1)?.peakMegabytes ?? 0),
      logBytes: Math.round(told.length / later.length),
      series: seriesIn(log),
    };
  } finally {
    sandbox.kill();
    kubernetes.stop();
    aws.stop();
  }
}

function start(folder: string, kubernetes: KubernetesStandIn, aws: AwsStandIn): ChildProcess {
  return fork('test/bench/cost/sandbox.ts', [`${folder}/index.mjs`], {
    silent: true,
    env: {
      JOINERY_CLUSTER_NAME: CLUSTER,
      JOINERY_CLUSTER_ENDPOINT: kubernetes.url,
      JOINERY_CLUSTER_CA: kubernetes.certificateAuthority,
      JOINERY_SERVICE_CIDR: '10.100.0.0/16',
      JOINERY_KUBERNETES_VERSION: '1.33',
      JOINERY_HINT_QUEUE_URL: `${aws.url}/hints`,
      AWS_ENDPOINT_URL: aws.url,
      AWS_REGION: 'us-east-1',
      AWS_LAMBDA_FUNCTION_NAME: 'joinery',
      AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'example',
    },
  });
}

async function ended(sandbox: ChildProcess): Promise<never> {
  const [status] = await once(sandbox, 'exit');
  throw new Error(`expected an answer of the sandbox, found that it ended with ${status}`);
}

const tenths = (value: number): number => Math.round(value * 10) / 10;
const mean = (values: readonly number[]): number =>
  values.reduce((sum, each) => sum + each, 0) / values.length;

/** Each metric with its dimensions, as CloudWatch would make them of the log. */
function seriesIn(log: string): readonly string[] {
  const series = log.split('\n').flatMap((line) => {
    if (!line.includes('"CloudWatchMetrics"')) return [];
    const told = JSON.parse(line);
    return told._aws.CloudWatchMetrics.flatMap(
      ({ Dimensions, Metrics }: { Dimensions: string[][]; Metrics: { Name: string }[] }) =>
        Dimensions.flatMap((dimensions) =>
          Metrics.map(({ Name }) => [Name, ...dimensions.map((each) => told[each])].join(' ')),
        ),
    );
  });
  return [...new Set<string>(series)].toSorted();
}
