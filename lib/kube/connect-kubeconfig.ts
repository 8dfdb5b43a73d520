import { Agent, type RequestOptions, request } from 'node:https';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { KubeConfig } from '@kubernetes/client-node';
import type { KubeRequest, KubeResponse, KubeTransport } from './transport.ts';

/** Connections kept open to the API server: enough for everything that runs at once. */
const MAX_CONNECTIONS = 32;
/** An API server that says nothing for this long is not going to answer. */
const TIMEOUT_MS = 30_000;

const unzip = promisify(gunzip);

/**
 * The cluster of a kubeconfig, as the seam: the file named, or the one kubectl would take, and its
 * current context, with whatever way of logging in it names. Throws where there is no cluster in
 * it, or one that is not spoken to over https.
 */
export function connectKubeconfig(file?: string): KubeTransport {
  const config = new KubeConfig();
  if (file === undefined) config.loadFromDefault();
  else config.loadFromFile(file);
  const cluster = config.getCurrentCluster();
  const server = cluster?.server;
  if (server === undefined || !server.startsWith('https://')) {
    throw new Error(
      `Expected a kubeconfig whose current context names an https cluster, found ${server ?? 'none'}`,
    );
  }
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_CONNECTIONS });
  return async (asked) => {
    const { path, body } = encodeRequest(asked);
    const url = new URL(server.replace(/\/$/, '') + path);
    const options = await withCredentials(config, {
      method: asked.method,
      timeout: TIMEOUT_MS,
      headers: {
        accept: 'application/json',
        'accept-encoding': 'gzip',
        ...(body !== undefined && {
          'content-type': asked.contentType ?? 'application/json',
          'content-length': Buffer.byteLength(body),
        }),
      },
    });
    // The agent that came with the credentials opens a connection for each request.
    const isDirect = cluster?.proxyUrl === undefined;
    return await exchange(url, isDirect ? { ...options, agent } : options, body);
  };
}

/** Certificates and tokens go into each request's options; tokens are fetched anew when they end. */
async function withCredentials(
  config: KubeConfig,
  options: RequestOptions,
): Promise<RequestOptions> {
  await config.applyToHTTPSOptions(options);
  return options;
}

function encodeRequest(asked: KubeRequest): { path: string; body: string | undefined } {
  const query = new URLSearchParams(asked.query).toString();
  return {
    path: query === '' ? asked.path : `${asked.path}?${query}`,
    body: asked.body === undefined ? undefined : JSON.stringify(asked.body),
  };
}

function exchange(
  url: URL,
  options: RequestOptions,
  body: string | undefined,
): Promise<KubeResponse> {
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const { statusCode = 0, headers } = answer;
        decodeBody(Buffer.concat(chunks), headers['content-encoding']).then(
          (decoded) =>
            resolve({ status: statusCode, body: decoded, ...retryAfter(headers['retry-after']) }),
          reject,
        );
      });
    });
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${TIMEOUT_MS / 1_000} s`)));
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Proxies answer in plain text: what is no JSON is handed on as it is. */
async function decodeBody(bytes: Buffer, encoding: string | undefined): Promise<unknown> {
  const text = (encoding === 'gzip' ? await unzip(bytes) : bytes).toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function retryAfter(header: string | undefined): Pick<KubeResponse, 'retryAfterSeconds'> {
  const seconds = Number(header);
  return header !== undefined && Number.isFinite(seconds) ? { retryAfterSeconds: seconds } : {};
}
