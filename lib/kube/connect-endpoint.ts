import { Agent, type RequestOptions } from 'node:https';
import { type Exchange, exchangeOver, MAX_CONNECTIONS } from './https-exchange.ts';
import type { KubeTransport } from './transport.ts';

/** An API server that is spoken to with a bearer token. */
export interface Endpoint {
  /** https://… */
  readonly server: string;
  /** Base64 PEM of the authority that signed its certificate. */
  readonly certificateAuthority: string;
  /** A token that holds now. */
  readonly token: () => Promise<string>;
  /** Called where a token was refused: the next one is to be another. */
  readonly forgetToken: () => void;
  /** Added to the error where no connection came about, for the person who reads it. */
  readonly whyUnreachable?: string;
}

const UNAUTHORIZED = 401;

/** How Node names a connection that did not come about, rather than one that broke. */
const UNREACHABLE: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'ETIMEDOUT',
]);

/**
 * An API server as the seam, over plain https, with connections kept open. A token that is refused
 * is replaced and the request sent once more, since it did nothing.
 */
export function connectEndpoint(endpoint: Endpoint): KubeTransport {
  const agent = new Agent({
    keepAlive: true,
    maxSockets: MAX_CONNECTIONS,
    ca: Buffer.from(endpoint.certificateAuthority, 'base64'),
  });
  const exchange: Exchange = {
    server: endpoint.server.replace(/\/$/, ''),
    authorize: async (options: RequestOptions) => ({
      ...options,
      headers: { ...options.headers, authorization: `Bearer ${await endpoint.token()}` },
    }),
    agent,
  };
  const send: KubeTransport = async (asked) => {
    try {
      return await exchangeOver(exchange, asked);
    } catch (error) {
      throw explained(error, endpoint);
    }
  };
  return async (asked) => {
    const answer = await send(asked);
    if (answer.status !== UNAUTHORIZED) return answer;
    endpoint.forgetToken();
    return await send(asked);
  };
}

function explained(error: unknown, { server, whyUnreachable }: Endpoint): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (whyUnreachable === undefined || !UNREACHABLE.has(code)) return error;
  return new Error(`${server} cannot be reached (${code}): ${whyUnreachable}`, { cause: error });
}
