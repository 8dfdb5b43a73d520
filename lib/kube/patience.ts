import type { KubeRequest, KubeResponse, KubeTransport } from './transport.ts';

/** How often one read is asked for, the first time included. */
const MAX_ATTEMPTS = 3;
/** The wait before another attempt where the API server does not say how long. */
const PAUSE_MS = 250;
/** Whoever is to wait for longer is better off with a later look. */
const LONGEST_MS = 5_000;

/**
 * The same API server, asked again where a read is refused for now or its answer never came, after
 * as long as it says. A look takes twenty reads, and one of them must not fail it. Writes go through
 * once: what comes of them is for their Plan to say, and a later look repeats them on purpose.
 *
 * Source: kubernetes v1.36, client-go/rest/request.go, retries on 429 and 5xx by Retry-After.
 */
export const withPatience =
  (kube: KubeTransport, sleep: (ms: number) => Promise<void>): KubeTransport =>
  async (request) => {
    const attempts = isRead(request) ? MAX_ATTEMPTS : 1;
    for (let attempt = 1; attempt < attempts; attempt += 1) {
      const answer = await kube(request).catch(() => undefined);
      const waitMs = answer === undefined ? PAUSE_MS : pauseAfter(answer);
      if (answer !== undefined && waitMs === undefined) return answer;
      await sleep(waitMs ?? PAUSE_MS);
    }
    return await kube(request);
  };

/** A watch is gone on with from where it came to, by whoever watches. */
const isRead = ({ method, onLine }: KubeRequest): boolean =>
  method === 'GET' && onLine === undefined;

/** How long to wait before asking again; undefined where it is done, or in vain. */
function pauseAfter({ status, retryAfterSeconds }: KubeResponse): number | undefined {
  if (status !== 429 && status < 500) return undefined;
  const waitMs = retryAfterSeconds === undefined ? PAUSE_MS : retryAfterSeconds * 1_000;
  return waitMs <= LONGEST_MS ? waitMs : undefined;
}
