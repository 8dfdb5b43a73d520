import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request } from 'node:https';
import type { ControlPlane } from './control-plane.ts';

/** What becomes of a request, instead of an answer. */
type ProxyFault = '500' | '429' | 'cut before' | 'cut after';

/** An API server that is not always well. */
export interface FaultProxy {
  /** https://127.0.0.1:… */
  readonly server: string;
  /** How many requests met with each fault. */
  readonly struck: ReadonlyMap<ProxyFault, number>;
  readonly stop: () => Promise<void>;
}

const FAULTS: readonly ProxyFault[] = ['500', '429', 'cut before', 'cut after'];

/**
 * Stands before the API server and lets one request in `every` fail, each time in another way: an
 * error, a request to come later, a connection that is cut before the request arrives, or after it
 * was done.
 */
export async function startFaultProxy(plane: ControlPlane, every: number): Promise<FaultProxy> {
  const struck = new Map<ProxyFault, number>();
  let requests = 0;
  const server = createServer(plane.certificate, (asked, answer) => {
    requests += 1;
    const fault = requests % every === 0 ? FAULTS[(requests / every) % FAULTS.length] : undefined;
    if (fault !== undefined) struck.set(fault, (struck.get(fault) ?? 0) + 1);
    if (fault === 'cut before') asked.socket.destroy();
    else if (fault === '500' || fault === '429') refuse(answer, fault);
    else forward({ plane, asked, answer, isCut: fault === 'cut after' });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    server: `https://127.0.0.1:${port}`,
    struck,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function refuse(answer: ServerResponse, status: '500' | '429'): void {
  const reason = status === '500' ? 'InternalError' : 'TooManyRequests';
  const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message: 'a fault' };
  answer.writeHead(Number(status), {
    'content-type': 'application/json',
    ...(status === '429' && { 'retry-after': '1' }),
  });
  answer.end(JSON.stringify({ ...body, code: Number(status) }));
}

interface Forwarded {
  readonly plane: ControlPlane;
  readonly asked: IncomingMessage;
  readonly answer: ServerResponse;
  /** Done, but nobody hears of it. */
  readonly isCut: boolean;
}

function forward({ plane, asked, answer, isCut }: Forwarded): void {
  const { method, headers, url } = asked;
  const options = { method, headers, ca: plane.certificateAuthority };
  const passed = request(`${plane.server}${url}`, options, (found) => {
    if (isCut) {
      found.resume();
      found.on('end', () => asked.socket.destroy());
      return;
    }
    answer.writeHead(found.statusCode ?? 502, found.headers);
    found.pipe(answer);
  });
  passed.on('error', () => asked.socket.destroy());
  answer.on('close', () => passed.destroy());
  asked.pipe(passed);
}
