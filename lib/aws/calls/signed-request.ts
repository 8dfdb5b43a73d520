import { EC2Client } from '@aws-sdk/client-ec2';
import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import type { ClientSettings } from '#lib/aws/place.ts';
import { partitionOf } from '#lib/ec2/partition.ts';

/** One request to a service, to be signed. */
interface UnsignedRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Sends requests to a service, signed as the SDK signs them; fails as the SDK fails. For services
 * of which one operation is used: the SDK's own client would be a package more, and the signer,
 * which we have, is all that it would add.
 */
export function signedRequests(place: ClientSettings, service: string) {
  const { region } = place;
  const { credentials } = new EC2Client(place).config;
  const { dnsSuffix } = partitionOf(region);
  const base = new URL(place.endpoint ?? `https://${service}.${region}.${dnsSuffix}`);
  const signer = new SignatureV4({ credentials, region, service, sha256: Sha256 });
  return async ({ method, path, body, headers: own = {} }: UnsignedRequest): Promise<unknown> => {
    const request = new HttpRequest({
      method,
      protocol: base.protocol,
      hostname: base.hostname,
      path,
      headers: { host: base.host, accept: 'application/json', ...own },
      ...(body !== undefined && { body }),
    });
    const { headers } = await signer.sign(request);
    const signal = AbortSignal.timeout(place.requestHandler.socketTimeout);
    const sent = { method, headers, signal, ...(body !== undefined && { body }) };
    return await answerOf(await fetch(new URL(path, base), sent));
  };
}

async function answerOf(answer: Response): Promise<unknown> {
  const body: unknown = await answer.json().catch(() => ({}));
  if (answer.ok) return body;
  const { message, Message, __type } = Object(body);
  const told =
    answer.headers.get('x-amzn-errortype') ??
    String(__type ?? '')
      .split('#')
      .at(-1);
  const [name = ''] = (told ?? '').split(':');
  throw Object.assign(new Error(String(message ?? Message ?? `HTTP ${answer.status}`)), {
    name: name === '' ? 'ServiceUnavailable' : name,
  });
}
