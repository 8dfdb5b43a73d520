import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';

/** What comes in through the doors goes here. */
export interface Visitors {
  /** A call of the cluster's webhook: the body of its request; gives the HTTP answer. */
  readonly admit: (
    body: string,
  ) => Promise<{ readonly statusCode: number; readonly headers: object; readonly body: string }>;
  /** An event as EventBridge would put it into the interruption queue. */
  readonly announce: (body: string) => void;
}

/** Where the doors are, and with which certificate; without one they speak plain HTTP. */
export interface DoorOptions {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** Doors that are open. */
export interface Doors {
  /** https://127.0.0.1:8095 */
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** An admission review of a large object has a few hundred kilobytes. */
const LONGEST_BODY_BYTES = 4_000_000;
const USAGE = 'POST /admit for an AdmissionReview, POST /events for an event of EventBridge\n';

/** Opens the doors. Rejects where nobody may listen there. */
export async function openDoors(options: DoorOptions, visitors: Visitors): Promise<Doors> {
  const { host, port, tls } = options;
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    answer(request, response, visitors).catch(() => response.destroy());
  };
  const server = tls === undefined ? createHttp(listener) : createHttps(tls, listener);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  // A socket's address is text only where it is a file.
  const opened = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${host}:${opened}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  visitors: Visitors,
): Promise<void> {
  const path = request.url?.split('?')[0];
  const body = request.method === 'POST' ? await bodyOf(request) : undefined;
  if (body !== undefined && path === '/admit') {
    const { statusCode, headers, body: said } = await visitors.admit(body);
    response.writeHead(statusCode, { ...headers }).end(said);
    return;
  }
  if (body !== undefined && path === '/events') {
    visitors.announce(body);
    response.writeHead(202).end();
    return;
  }
  response.writeHead(404, { 'content-type': 'text/plain' }).end(USAGE);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > LONGEST_BODY_BYTES) throw new Error('expected a short body, found a long one');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
