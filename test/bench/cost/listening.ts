import { once } from 'node:events';
import type { Server } from 'node:net';

/** The port on loopback at which a server listens from now on. */
export async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') {
    throw new Error(`expected a port, found ${address}`);
  }
  return address.port;
}
