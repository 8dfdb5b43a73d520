import { DecodeError, required, wire } from '#lib/kube/decode/field.ts';
import { text } from '#lib/kube/decode/scalar.ts';
import { KubeFailure, send } from './errors.ts';
import type { KubeTransport } from './transport.ts';

/**
 * The minor version of the API server, e.g. 1.33; undefined where it does not say. Managed
 * clusters write the minor as 33+.
 */
export async function readMinorVersion(kube: KubeTransport): Promise<string | undefined> {
  try {
    const answer = wire(await send(kube, { method: 'GET', path: '/version' }));
    const digits = (key: string) => /^\d+/.exec(required(answer, key, text))?.[0];
    const major = digits('major');
    const minor = digits('minor');
    return major === undefined || minor === undefined ? undefined : `${major}.${minor}`;
  } catch (error) {
    if (error instanceof KubeFailure || error instanceof DecodeError) return undefined;
    throw error;
  }
}
