import type { ServerResponse } from 'node:http';
import type { ApiRequest, ApiServer } from '#lib/sim/kubernetes/api-server.ts';

/** Answers a watch of an embedded API server over HTTP, line by line, until either side ends it. */
export function followWatch(api: ApiServer, asked: ApiRequest, answer: ServerResponse): void {
  answer.writeHead(200, { 'content-type': 'application/json' });
  answer.flushHeaders();
  const stop = api.watch(asked, {
    line: (line) => answer.write(`${JSON.stringify(line)}\n`),
    end: () => answer.end(),
  });
  if (typeof stop === 'function') answer.on('close', stop);
  else answer.end(`${JSON.stringify({ type: 'ERROR', object: stop.body })}\n`);
}
