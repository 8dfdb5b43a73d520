import { type Agent, type RequestOptions, request } from 'node:https';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { KubeRequest, KubeResponse } from './transport.ts';

/** Connections kept open to the API server: enough for everything that runs at once. */
export const MAX_CONNECTIONS = 32;
/** An API server that says nothing for this long is not going to answer. */
const TIMEOUT_MS = 30_000;

const unzip = promisify(gunzip);

/** Where and how requests are sent. */
export interface Exchange {
  /** https://… of the API server, with no slash at its end. */
  readonly server: string;
  /** Adds what the API server needs to know who asks: a certificate, a token. */
  readonly authorize: (options: RequestOptions) => Promise<RequestOptions>;
  /** Used unless `authorize` brought one of its own that must be used. */
  readonly agent?: Agent;
}

/**
 * Sends one request and reads its answer, unpacked and decoded. Rejects where no answer came.
 */
export async function exchangeOver(
  { server, authorize, agent }: Exchange,
  asked: KubeRequest,
): Promise<KubeResponse> {
  const { path, body } = encodeRequest(asked);
  const options = await authorize({
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
  return await exchange(new URL(server + path), agent ? { ...options, agent } : options, body);
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
    sent.on('timeout', () => sent.destroy(timedOut()));
    sent.on('error', reject);
    sent.end(body);
  });
}

const timedOut = (): Error =>
  Object.assign(new Error(`no answer within ${TIMEOUT_MS / 1_000} s`), { code: 'ETIMEDOUT' });

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
