import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { typedCall } from '#lib/aws/calls/call.ts';
import { sdkCall } from '#lib/aws/calls/sdk-call.ts';
import { connectKubeconfig, readKubeconfig } from '#lib/kube/connect-kubeconfig.ts';
import { connect } from '#lib/runtime/connect.ts';
import type { Log } from '#lib/runtime/log.ts';
import { checkSettings, type Environment, readSettings } from '#lib/runtime/settings.ts';
import type { Io } from '../io.ts';
import { type Doors, openDoors } from './doors.ts';
import { localLog } from './log.ts';
import { preflight } from './preflight.ts';
import { LOCAL_QUEUE_URL, type LocalStack, startLocalStack } from './stack.ts';
import { realTimers } from './timers.ts';

/** What was asked of `joinery local`. */
export interface LocalArguments {
  readonly host: string;
  readonly port: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly provisionEvery: string;
  readonly consolidateEvery: string;
  readonly driftEvery: string;
  readonly output: 'json' | 'text';
}

/** Resolves when the person wants it to end. */
export type Ending = Promise<void>;

const WRONG_USAGE = 2;
const MAX_PORT = 65_535;
/** A day: whoever looks less often does not want to be looked at. */
const MAX_SECONDS = 86_400;

/**
 * Serves the functions against the kubeconfig's cluster and AWS until `ending`. Gives the exit
 * status: 0 when it was told to end, 1 where it cannot begin (and says why), 2 for wrong usage.
 */
export async function localCommand(
  args: LocalArguments,
  environment: Environment,
  io: Io,
  ending: Ending,
): Promise<number> {
  const wrong = wrongUsage(args);
  if (wrong !== undefined) {
    io.err(wrong);
    return WRONG_USAGE;
  }
  const log = localLog(io, args.output, Date.now);
  try {
    const served = await serve(args, environment, log);
    await ending;
    log.info('ending: what is under way is finished first; Ctrl-C again ends at once');
    await served.doors.close();
    await served.stack.stop();
    log.info('ended');
    return 0;
  } catch (error) {
    io.err(error instanceof Error ? error.message : String(error));
    return 1;
  }
}

function wrongUsage(args: LocalArguments): string | undefined {
  const numbers = {
    '--port': args.port,
    '--provision-every': args.provisionEvery,
    '--consolidate-every': args.consolidateEvery,
    '--drift-every': args.driftEvery,
  };
  for (const [name, value] of Object.entries(numbers)) {
    const [least, most] = name === '--port' ? [0, MAX_PORT] : [1, MAX_SECONDS];
    const isGood = /^\d{1,5}$/.test(value) && Number(value) >= least && Number(value) <= most;
    if (!isGood) {
      return `${name} is ${JSON.stringify(value)}: expected a whole number from ${least} to ${most}`;
    }
  }
  return (args.tlsCert === undefined) === (args.tlsKey === undefined)
    ? undefined
    : '--tls-cert and --tls-key go together';
}

async function serve(
  args: LocalArguments,
  given: Environment,
  log: Log,
): Promise<{ readonly stack: LocalStack; readonly doors: Doors }> {
  const told = { JOINERY_HINT_QUEUE_URL: LOCAL_QUEUE_URL, ...given };
  refuseWrong(told);
  const environment = await preflight({
    kube: connectKubeconfig(),
    kubeconfig: readKubeconfig(),
    aws: typedCall(sdkCall(awsPlace(told))),
    environment: told,
    warn: (line) => log.warn(line),
  });
  const { cluster } = readSettings(environment);
  const doorOptions = doorsOf(args);
  const schedules = {
    provision: Number(args.provisionEvery),
    consolidate: Number(args.consolidateEvery),
    drift: Number(args.driftEvery),
  };
  let stack: LocalStack | undefined;
  const doors = await opened(doorOptions, {
    admit: async (body) => {
      const answer = await stack?.admit({ version: '2.0', rawPath: '/admit', body });
      return answer ?? { statusCode: 503, headers: {}, body: '' };
    },
    announce: (body) => stack?.announce(body),
  });
  log.info(`serving the cluster ${cluster.clusterName} in ${cluster.region}`, {
    said: [
      `API server ${readKubeconfig().server}, Kubernetes ${cluster.kubernetesVersion}`,
      `AWS at ${environment.AWS_ENDPOINT_URL ?? 'its own endpoints'}`,
      `looks: provision each ${schedules.provision} s, consolidate each ${schedules.consolidate} s, drift each ${schedules.drift} s, and on hints`,
      `doors: ${doors.url}/admit for the webhook, ${doors.url}/events for interruptions`,
    ],
    doors: doors.url,
  });
  stack = startLocalStack({
    connect: async (name, holder) => {
      const { shell } = await connect(name, { ...environment, AWS_LAMBDA_LOG_STREAM_NAME: holder });
      return { ...shell, log };
    },
    schedules,
    timers: realTimers,
    log,
    holder: `${hostname()}-${process.pid}`,
  });
  return { stack, doors };
}

/** Throws one sentence for what is wrong with what was told, before anybody is asked for the rest. */
function refuseWrong(told: Environment): void {
  const nameless = whatIsUnnamed(told);
  if (nameless.length > 0) throw new Error(`Say ${nameless.join(', and ')}`);
  const { AWS_ENDPOINT_URL: endpoint } = told;
  if (endpoint && !/^https?:\/\/./.test(endpoint)) {
    const found = JSON.stringify(endpoint);
    throw new Error(`--endpoint-url is ${found}: expected a URL such as http://localhost:5000`);
  }
  checkSettings(told);
}

async function opened(...how: Parameters<typeof openDoors>): Promise<Doors> {
  try {
    return await openDoors(...how);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`No door can be opened (${why}): name another place with --port or --host`, {
      cause: error,
    });
  }
}

function whatIsUnnamed({ JOINERY_CLUSTER_NAME, AWS_REGION }: Environment): readonly string[] {
  return [
    ...(JOINERY_CLUSTER_NAME
      ? []
      : ['which cluster it is: --cluster-name or JOINERY_CLUSTER_NAME']),
    ...(AWS_REGION ? [] : ['in which region: --region or AWS_REGION']),
  ];
}

const awsPlace = ({ AWS_REGION: region = '', AWS_ENDPOINT_URL: endpoint }: Environment) => ({
  region,
  ...(endpoint !== undefined && endpoint !== '' && { endpoint }),
});

const doorsOf = ({ host, port, tlsCert, tlsKey }: LocalArguments) => ({
  host,
  port: Number(port),
  ...(tlsCert !== undefined &&
    tlsKey !== undefined && {
      tls: { cert: readFileSync(tlsCert, 'utf8'), key: readFileSync(tlsKey, 'utf8') },
    }),
});
