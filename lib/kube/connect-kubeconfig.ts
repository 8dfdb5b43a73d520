import { readFileSync } from 'node:fs';
import { Agent, type RequestOptions } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node';
import { exchangeOver, MAX_CONNECTIONS } from './https-exchange.ts';
import type { KubeTransport } from './transport.ts';

/**
 * The cluster of a kubeconfig, as the seam: the file named, or the one kubectl would take, and its
 * current context, with whatever way of logging in it names. Throws where there is no cluster in
 * it, or one that is not spoken to over https.
 */
export function connectKubeconfig(file?: string): KubeTransport {
  const config = load(file);
  const cluster = config.getCurrentCluster();
  const server = serverOf(cluster);
  // The agent that came with the credentials opens a connection for each request.
  const isDirect = cluster?.proxyUrl === undefined;
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_CONNECTIONS });
  const exchange = {
    server: server.replace(/\/$/, ''),
    authorize: (options: RequestOptions) => withCredentials(config, options),
    ...(isDirect && { agent }),
  };
  return (asked) => exchangeOver(exchange, asked);
}

/** Where the kubeconfig's current cluster is, and in base64 who signs for it ('' where it does not say). */
export function readKubeconfig(file?: string): {
  readonly server: string;
  readonly certificateAuthority: string;
} {
  const cluster = load(file).getCurrentCluster();
  const fromFile = cluster?.caFile && readFileSync(cluster.caFile).toString('base64');
  return {
    server: serverOf(cluster),
    certificateAuthority: cluster?.caData || fromFile || '',
  };
}

function load(file: string | undefined): KubeConfig {
  const config = new KubeConfig();
  try {
    if (file === undefined) config.loadFromDefault();
    else config.loadFromFile(file);
  } catch (error) {
    const which = file ?? 'that KUBECONFIG names, else ~/.kube/config,';
    const [why] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw new Error(`The kubeconfig ${which} cannot be read: ${why}`, { cause: error });
  }
  return config;
}

/** What the library makes up where it finds no file, nor the account of a pod. */
const MADE_UP = 'http://localhost:8080';

function serverOf(cluster: { readonly server: string } | null): string {
  const server = cluster?.server;
  if (server?.startsWith('https://')) return server;
  if (server === MADE_UP) {
    throw new Error('There is no kubeconfig: expected ~/.kube/config, or KUBECONFIG to name one');
  }
  throw new Error(
    `Expected a kubeconfig whose current context names an https cluster, found ${server ?? 'none'}`,
  );
}

/** Certificates and tokens go into each request's options; tokens are fetched anew when they end. */
async function withCredentials(
  config: KubeConfig,
  options: RequestOptions,
): Promise<RequestOptions> {
  await config.applyToHTTPSOptions(options);
  return options;
}
