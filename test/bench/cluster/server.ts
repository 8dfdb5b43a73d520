/**
 * An embedded API server with the bench cluster in it, behind real https on loopback, with gzip as
 * a real one packs large answers. A process of its own; tells its port on standard output. Kubelets
 * and pods go on reporting, so that watches have something to tell.
 * Arguments: nodes, pods, pending pods, and the instant at which the embedded clock starts.
 */
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { constants, gzipSync } from 'node:zlib';
import type { Clock } from '#lib/sim/clock.ts';
import { type ApiRequest, createApiServer, isWatch } from '#lib/sim/kubernetes/api-server.ts';
import { customKind } from '#lib/sim/kubernetes/custom-kinds.ts';
import { isRecord } from '#lib/sim/kubernetes/json.ts';
import { createRegistry } from '#lib/sim/kubernetes/registry.ts';
import { BUILT_IN } from '#lib/sim/kubernetes/resources.ts';
import { createStore } from '#lib/sim/kubernetes/store.ts';
import type { KubeObject } from '#lib/sim/kubernetes/wire.ts';
import { seededRandom } from '#lib/sim/random.ts';
import { readCrd } from '#lib/sim/schema/custom-resource.ts';
import { followWatch } from './follow-watch.ts';
import { nodes } from './nodes.ts';
import { workloads } from './workloads.ts';

const PEM = readFileSync('test/recorded/localhost.pem');
const CRDS = [
  'karpenter.sh_nodepools',
  'karpenter.sh_nodeclaims',
  'karpenter.k8s.aws_ec2nodeclasses',
];
/** Some 128 KB, above which a real one packs. Source: kubernetes v1.36, apiserver, responsewriters. */
const LONG_LIST = 30;
/** Each kubelet reports every five minutes; of a hundred thousand pods two a second change. */
const NODE_REPORTS_MS = 300_000;
const POD_CHANGES_EVERY_MS = 500;

const [nodeCount = 0, podCount = 0, pending = 0, start = 0] = process.argv.slice(2).map(Number);
const startedAt = performance.now();
const now = (): number => start + performance.now() - startedAt;

const clock: Clock = {
  now,
  at: (at, task) => clock.after(at - now(), task),
  after: (ms, task) => {
    const timer = setTimeout(task, Math.max(0, ms)).unref();
    return { cancel: () => clearTimeout(timer) };
  },
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  run: () => Promise.reject(new Error('Expected real time to pass by itself, found it asked to')),
};

const store = createStore();
const customKinds = CRDS.map((name) =>
  customKind(readCrd(readFileSync(`infra/cluster/crds/${name}.yaml`, 'utf8'))),
);
const resources = [...BUILT_IN, ...customKinds.map(({ resource }) => resource)];
const registry = createRegistry({ clock, random: seededRandom(1), store, resources, customKinds });
const createdAt = '2026-11-20T11:00:00Z';
for (const name of ['default', 'joinery', 'kube-system']) {
  const metadata = { name, uid: name, resourceVersion: '1', creationTimestamp: createdAt };
  store.put({ apiVersion: 'v1', kind: 'Namespace', metadata }, 'bench');
}
for (const object of nodes(nodeCount, createdAt)) store.put(object, 'bench');
const size = { nodes: nodeCount, pods: podCount, pending };
for (const object of workloads(size, createdAt)) store.put(object, 'bench');
const api = createApiServer(registry, resources, '1.33');

let reports = 0;
function report(kind: 'Node' | 'Pod'): void {
  const all = store.list(kind);
  const object = all[(reports * 7919) % Math.max(1, all.length)];
  reports += 1;
  if (object === undefined) return;
  const annotations = { ...object.metadata.annotations, 'bench/report': String(reports) };
  store.put({ ...object, metadata: { ...object.metadata, annotations } }, 'kubelet');
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

async function serve(request: IncomingMessage, answer: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'https://localhost');
  const contentType = request.headers['content-type'];
  const body = await bodyOf(request);
  const asked: ApiRequest = {
    method: request.method as ApiRequest['method'],
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    ...(contentType !== undefined && { contentType }),
    ...(body !== undefined && { body }),
  };
  if (isWatch(asked)) {
    followWatch(api, asked, answer);
    return;
  }
  const { status, body: told } = api.answer('bench', asked);
  const isLong = isRecord(told) && Array.isArray(told.items) && told.items.length > LONG_LIST;
  if (isLong && request.headers['accept-encoding'] === 'gzip') {
    answer.writeHead(status, { 'content-encoding': 'gzip' });
    answer.end(packList(asked.path, told as unknown as ListBody));
    return;
  }
  answer.writeHead(status);
  answer.end(JSON.stringify(told));
}

/** What was packed of each page, and of which versions of its objects. */
const packed = new Map<string, { readonly versions: string; readonly bytes: Buffer }>();
const pack = (text: string): Buffer => gzipSync(text, { level: constants.Z_BEST_SPEED });

interface ListBody {
  readonly metadata: { readonly continue?: string };
  readonly items: readonly { readonly metadata: KubeObject['metadata'] }[];
}

/**
 * A list, packed in three members of which the middle one, its items, is kept: a real API server
 * does this work on machines of its own, and here it would be taken from whoever is measured.
 */
function packList(path: string, { items, ...rest }: ListBody): Buffer {
  const key = `${path} ${items.length} ${items[0]?.metadata.uid}`;
  const versions = items.map(({ metadata }) => metadata.resourceVersion).join();
  const known = packed.get(key);
  const bytes = known?.versions === versions ? known.bytes : pack(JSON.stringify(items));
  packed.set(key, { versions, bytes });
  return Buffer.concat([pack(`${JSON.stringify(rest).slice(0, -1)},"items":`), bytes, pack('}')]);
}

/** Packs every page once, as they will be asked for. */
function packAll(): void {
  for (const { group, version, plural } of resources) {
    const path = group === '' ? `/api/${version}/${plural}` : `/apis/${group}/${version}/${plural}`;
    let next = '';
    do {
      const query = { limit: '500', ...(next !== '' && { continue: next }) };
      const page = api.answer('bench', { method: 'GET', path, query }).body as ListBody;
      if (page.items.length > LONG_LIST) packList(path, page);
      next = page.metadata.continue ?? '';
    } while (next !== '');
  }
}
packAll();

const server = createServer({ cert: PEM, key: PEM }, (request, answer) => {
  serve(request, answer).catch((error: unknown) => {
    answer.destroy(error instanceof Error ? error : new Error(String(error)));
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
setInterval(() => report('Node'), NODE_REPORTS_MS / Math.max(1, nodeCount));
setInterval(() => report('Pod'), POD_CHANGES_EVERY_MS);
