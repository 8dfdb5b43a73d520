import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { constants, gzipSync } from 'node:zlib';
import { crdTexts } from '#lib/cli/crds.ts';
import type { Clock } from '#lib/sim/clock.ts';
import { type ApiRequest, createApiServer, isWatch } from '#lib/sim/kubernetes/api-server.ts';
import { customKind } from '#lib/sim/kubernetes/custom-kinds.ts';
import { createRegistry } from '#lib/sim/kubernetes/registry.ts';
import { BUILT_IN } from '#lib/sim/kubernetes/resources.ts';
import { createStore } from '#lib/sim/kubernetes/store.ts';
import type { KubeObject } from '#lib/sim/kubernetes/wire.ts';
import { seededRandom } from '#lib/sim/random.ts';
import { readCrd } from '#lib/sim/schema/custom-resource.ts';
import { followWatch } from '../cluster/follow-watch.ts';
import { listening } from './listening.ts';

const PEM = readFileSync('test/recorded/localhost.pem');
/** Source: kubernetes v1.36, apiserver, responsewriters, from where on answers are packed. */
const PACKED_FROM_BYTES = 128 * 1_024;
/** Each kubelet reports every five minutes; of pods one in five hundred changes in a minute. */
const NODES_OF_WHICH_ONE_REPORTS = 5;
const PODS_OF_WHICH_ONE_CHANGES = 500;

/** An API server behind https whose time passes by the minute, when it is told to. */
export interface KubernetesStandIn {
  readonly url: string;
  readonly certificateAuthority: string;
  readonly now: () => number;
  /** Lets so many minutes pass, in which kubelets and pods report as they do at rest. */
  readonly pass: (minutes: number) => void;
  readonly stop: () => void;
}

/** Serves these objects on loopback. */
export async function standInForKubernetes(
  objects: readonly KubeObject[],
  start: number,
): Promise<KubernetesStandIn> {
  let now = start;
  const clock = clockOf(() => now);
  const store = createStore();
  const customKinds = crdTexts().map(readCrd).map(customKind);
  const resources = [...BUILT_IN, ...customKinds.map(({ resource }) => resource)];
  const registry = createRegistry({
    ...{ clock, random: seededRandom(1), store, resources, customKinds },
  });
  for (const object of objects) store.put(object, 'bench');
  const api = createApiServer(registry, resources, '1.33');
  const touch = (kind: string, oneIn: number): void => {
    const minute = Math.floor(now / 60_000);
    for (const [at, object] of store.list(kind).entries()) {
      if ((at + minute) % oneIn !== 0) continue;
      const annotations = { ...object.metadata.annotations, 'bench/report': String(minute) };
      store.put({ ...object, metadata: { ...object.metadata, annotations } }, 'kubelet');
    }
  };
  const server = createServer({ cert: PEM, key: PEM }, (request, answer) => {
    readRequest(request)
      .then((asked) =>
        isWatch(asked) ? followWatch(api, asked, answer) : tell(api, asked, answer),
      )
      .catch((error: unknown) => answer.destroy(Object(error)));
  });
  const port = await listening(server);
  return {
    url: `https://127.0.0.1:${port}`,
    certificateAuthority: PEM.toString('base64'),
    now: () => now,
    pass: (minutes) => {
      now += minutes * 60_000;
      for (let at = 0; at < minutes; at += 1) touch('Node', NODES_OF_WHICH_ONE_REPORTS);
      touch('Pod', PODS_OF_WHICH_ONE_CHANGES);
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

type Api = ReturnType<typeof createApiServer>;

function tell(api: Api, asked: Asked, answer: ServerResponse): void {
  const { status, body } = api.answer('bench', asked);
  const text = JSON.stringify(body);
  const isPacked = asked.takesGzip && text.length > PACKED_FROM_BYTES;
  answer.writeHead(status, isPacked ? { 'content-encoding': 'gzip' } : {});
  answer.end(isPacked ? gzipSync(text, { level: constants.Z_BEST_SPEED }) : text);
}

interface Asked extends ApiRequest {
  readonly takesGzip: boolean;
}

async function readRequest(request: IncomingMessage): Promise<Asked> {
  const url = new URL(request.url ?? '/', 'https://localhost');
  const contentType = request.headers['content-type'];
  const chunks = await request.toArray();
  return {
    method: request.method as ApiRequest['method'],
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    takesGzip: String(request.headers['accept-encoding']).includes('gzip'),
    ...(contentType !== undefined && { contentType }),
    ...(chunks.length > 0 && { body: JSON.parse(Buffer.concat(chunks).toString()) }),
  };
}

/** What waits, waits in real time: a watch must end. */
function clockOf(now: () => number): Clock {
  const after: Clock['after'] = (ms, task) => {
    const timer = setTimeout(task, Math.max(0, ms)).unref();
    return { cancel: () => clearTimeout(timer) };
  };
  return {
    now,
    after,
    at: (at, task) => after(at - now(), task),
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    run: () => Promise.reject(new Error('Expected real time to pass by itself, found it asked to')),
  };
}
