import type { IncomingMessage } from 'node:http';
import { type Agent, type RequestOptions, request } from 'node:https';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { readLines } from './read-lines.ts';
import type { KubeRequest, KubeResponse, LineListener } from './transport.ts';

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
 * Sends one request and reads its answer, unpacked and decoded, or line by line where it is a
 * watch's. Rejects where no answer came, or not all of it.
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
      'accept-encoding': asked.onLine === undefined ? 'gzip' : 'identity',
      ...(body !== undefined && {
        'content-type': asked.contentType ?? 'application/json',
        'content-length': Buffer.byteLength(body),
      }),
    },
  });
  return await exchange(new URL(server + path), agent ? { ...options, agent } : options, {
    body,
    onLine: asked.onLine,
  });
}

function encodeRequest(asked: KubeRequest): { path: string; body: string | undefined } {
  const query = new URLSearchParams(asked.query).toString();
  return {
    path: query === '' ? asked.path : `${asked.path}?${query}`,
    body: asked.body === undefined ? undefined : JSON.stringify(asked.body),
  };
}

interface Sent {
  readonly body: string | undefined;
  readonly onLine: LineListener | undefined;
}

/** What a connection that was kept open, but not by the other side, is met with. */
class StaleConnection extends Error {}

/**
 * Once more over another connection where the one that was kept had been closed meanwhile, as
 * happens to a sandbox that slept. Every request of Joinery's may be sent twice, so it does not
 * matter whether the first arrived. Source: Node.js, http, request.reusedSocket.
 */
async function exchange(url: URL, options: RequestOptions, sent: Sent): Promise<KubeResponse> {
  for (;;) {
    try {
      return await exchangeOnce(url, options, sent);
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw error;
    }
  }
}

function exchangeOnce(
  url: URL,
  options: RequestOptions,
  { body, onLine }: Sent,
): Promise<KubeResponse> {
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (answer) => {
      const isWatched = onLine !== undefined && answer.statusCode === 200;
      const read = isWatched ? readLines(answer, onLine) : readBody(answer);
      read.then(
        (decoded) =>
          resolve({
            status: answer.statusCode ?? 0,
            body: decoded,
            ...retryAfter(answer.headers['retry-after']),
          }),
        reject,
      );
    });
    sent.on('timeout', () => sent.destroy(timedOut()));
    sent.on('error', (error) => {
      const isStale = sent.reusedSocket && 'code' in error && error.code === 'ECONNRESET';
      reject(isStale ? new StaleConnection(error.message, { cause: error }) : error);
    });
    sent.end(body);
  });
}

function readBody(answer: IncomingMessage): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    answer.on('data', (chunk: Buffer) => chunks.push(chunk));
    answer.on('error', reject);
    answer.on('end', () => {
      decodeBody(Buffer.concat(chunks), answer.headers['content-encoding']).then(resolve, reject);
    });
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
