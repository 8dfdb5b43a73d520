import type { CallFaults } from '../call-faults.ts';
import type { Clock } from '../clock.ts';
import type { Random } from '../random.ts';
import { type ApiRequest, type ApiResponse, type ApiServer, isWatch } from './api-server.ts';

/** How long a call takes on its way to the API server and back, together. */
export interface Latency {
  readonly fromMs: number;
  readonly toMs: number;
}

/** How often each actor made each call: "provision" → "list pods" → 3. */
export type CallCounts = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** The way from actors to the API server. */
export interface Network {
  /** The seam that an actor's calls pass through. A call whose actor was killed never settles. */
  readonly transport: (actor: string) => (request: ApiRequest) => Promise<ApiResponse>;
  readonly calls: () => CallCounts;
}

/** A network with a latency drawn for each call; calls count when they are made. */
export function createNetwork(
  server: ApiServer,
  clock: Clock,
  random: Random,
  { latency, faults }: { readonly latency: Latency; readonly faults: CallFaults | undefined },
): Network {
  const counts = new Map<string, Map<string, number>>();
  const count = (actor: string, name: string): void => {
    const own = counts.get(actor) ?? new Map<string, number>();
    own.set(name, (own.get(name) ?? 0) + 1);
    counts.set(actor, own);
  };
  const transport: Network['transport'] = (actor) => {
    const delays = random.fork(`latency/${actor}`);
    return async (request) => {
      const name = server.nameOf(request);
      count(actor, name);
      const fate = faults?.on({ actor, seam: 'kube', name }) ?? 'pass';
      if (fate === 'never') return never();
      const delay = delays.between(latency.fromMs, latency.toMs);
      // The body is taken as it is now, as if written to a socket.
      const sent = { ...request, body: structuredClone(request.body) };
      await clock.sleep(Math.ceil(delay / 2));
      const response = isWatch(sent) ? await streamed(server, sent) : server.answer(actor, sent);
      if (fate === 'lost') return never();
      await clock.sleep(Math.floor(delay / 2));
      return response;
    };
  };
  return { transport, calls: () => counts };
}

/** A watch from its beginning to its end, whoever ends it. Lines come without delay, in order. */
function streamed(server: ApiServer, request: ApiRequest): Promise<ApiResponse> {
  const { onLine } = request;
  if (onLine === undefined) return Promise.resolve(server.answer('', request));
  return new Promise((resolve, reject) => {
    const lines: unknown[] = [];
    let stop: (() => void) | undefined;
    const take = (line: unknown): void => {
      try {
        if (onLine(line) === 'enough') stop?.();
      } catch (error) {
        reject(error);
        stop?.();
      }
    };
    const began = server.watch(request, {
      line: (line) => (stop === undefined ? lines.push(line) : take(line)),
      end: () => resolve({ status: 200, body: undefined }),
    });
    if (typeof began !== 'function') return resolve(began);
    let isStopped = false;
    stop = () => {
      isStopped = true;
      began();
    };
    for (const line of lines) if (!isStopped) take(line);
  });
}

/** What a caller that no longer lives waits for. */
const never = (): Promise<never> => new Promise(() => undefined);
