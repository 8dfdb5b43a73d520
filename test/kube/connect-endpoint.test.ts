import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { rootCertificates } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { connectEndpoint, type Endpoint } from '#lib/kube/connect-endpoint.ts';

/** A certificate for localhost and its key; they are nobody's secret. */
const PEM = readFileSync('test/recorded/localhost.pem');

const inBase64 = (text: string): string => Buffer.from(text).toString('base64');

interface Heard {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly authorization: string | undefined;
}

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** An API server that takes the token `good` alone, and a transport whose first token is `first`. */
async function aCluster(first: string, difference: Partial<Endpoint> = {}) {
  const heard: Heard[] = [];
  const server = createServer({ cert: PEM, key: PEM }, ({ method, url, headers }, answer) => {
    const { authorization } = headers;
    heard.push({ method, url, authorization });
    if (authorization !== 'Bearer good') {
      answer.writeHead(401, { 'content-type': 'application/json' }).end('{"kind":"Status"}');
      return;
    }
    answer.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"kind":"PodList"}'));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  let token = first;
  const kube = connectEndpoint({
    server: `https://127.0.0.1:${port}/`,
    certificateAuthority: PEM.toString('base64'),
    token: async () => token,
    forgetToken: () => {
      token = first === 'stale' ? 'good' : 'bad again';
    },
    ...difference,
  });
  return { kube, heard, port };
}

const LIST = { method: 'GET', path: '/api/v1/pods', query: { limit: '500' } } as const;

describe('connectEndpoint', () => {
  it('asks with the bearer token and reads what is packed', async () => {
    const { kube, heard } = await aCluster('good');

    expect(await kube(LIST)).toEqual({ status: 200, body: { kind: 'PodList' } });
    expect(heard).toEqual([
      { method: 'GET', url: '/api/v1/pods?limit=500', authorization: 'Bearer good' },
    ]);
  });

  it('takes another token where one was refused, and asks once more', async () => {
    const { kube, heard } = await aCluster('stale');

    expect(await kube(LIST)).toMatchObject({ status: 200 });
    expect(heard.map(({ authorization }) => authorization)).toEqual([
      'Bearer stale',
      'Bearer good',
    ]);
  });

  it('does not ask for ever where no token is taken', async () => {
    const { kube, heard } = await aCluster('bad');

    expect(await kube(LIST)).toMatchObject({ status: 401 });
    expect(heard).toHaveLength(2);
  });

  it('trusts no server that the cluster’s authority did not sign', async () => {
    const nobody = { certificateAuthority: rootCertificates.slice(0, 1).map(inBase64).join() };
    const { kube, heard } = await aCluster('good', nobody);

    await expect(kube(LIST)).rejects.toThrow(/self-signed|signature/);
    expect(heard).toEqual([]);
  });

  it('says why a server may not be there', async () => {
    const { kube, port } = await aCluster('good', { whyUnreachable: 'it is private' });
    for (const server of servers.splice(0)) {
      await new Promise((resolve) => server.close(resolve));
    }

    await expect(kube(LIST)).rejects.toThrow(
      `https://127.0.0.1:${port}/ cannot be reached (ECONNREFUSED): it is private`,
    );
  });
});

describe('a watch over https', () => {
  /** A server that writes these pieces of a stream and then ends it, breaks it, or goes on for ever. */
  async function aStream(pieces: readonly string[], then: 'ends' | 'breaks' | 'goes on') {
    let isCutOff: () => void;
    const cutOff = new Promise<void>((resolve) => {
      isCutOff = resolve;
    });
    const server = createServer({ cert: PEM, key: PEM }, (_, answer) => {
      answer.on('close', () => isCutOff());
      answer.writeHead(200);
      for (const piece of pieces) answer.write(piece);
      if (then === 'ends') answer.end();
      if (then === 'breaks') setImmediate(() => answer.destroy());
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const kube = connectEndpoint({
      server: `https://127.0.0.1:${port}`,
      certificateAuthority: PEM.toString('base64'),
      token: async () => 'good',
      forgetToken: () => undefined,
    });
    const heard: unknown[] = [];
    const watch = (enough: number) =>
      kube({
        ...LIST,
        query: { watch: '1' },
        onLine: (line) => (heard.push(line) === enough ? 'enough' : 'more'),
      });
    return { watch, heard, cutOff };
  }

  it('hands on each line as it comes, wherever the pieces were cut, and nothing unfinished', async () => {
    const { watch, heard } = await aStream(['{"a":1}\n{"a"', ':2}\n', '{"a":'], 'ends');

    expect(await watch(9)).toEqual({ status: 200, body: undefined });
    expect(heard).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it('cuts a stream off once enough was heard', async () => {
    const { watch, heard, cutOff } = await aStream(['{"a":1}\n{"a":2}\n{"a":3}\n'], 'goes on');
    await watch(2);
    await cutOff;

    expect(heard).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it('rejects where the connection breaks, what was heard before being heard', async () => {
    const { watch, heard } = await aStream(['{"a":1}\n'], 'breaks');

    await expect(watch(9)).rejects.toThrow(/aborted|hang up|ECONNRESET/);
    expect(heard.length).toBeLessThanOrEqual(1);
  });
});

it('asks once more where a connection that was kept had been closed meanwhile', async () => {
  const used = new WeakSet<object>();
  let cut = 0;
  const server = createServer({ cert: PEM, key: PEM }, ({ socket }, answer) => {
    if (used.has(socket)) {
      cut += 1;
      socket.destroy();
      return;
    }
    used.add(socket);
    answer.writeHead(200).end('{"kind":"PodList"}');
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const kube = connectEndpoint({
    server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    certificateAuthority: PEM.toString('base64'),
    token: async () => 'good',
    forgetToken: () => undefined,
  });
  await kube(LIST);

  expect(await kube(LIST)).toMatchObject({ status: 200 });
  expect(cut).toBe(1);
});
