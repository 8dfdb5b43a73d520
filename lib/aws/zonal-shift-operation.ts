import { EC2Client } from '@aws-sdk/client-ec2';
import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import { partitionOf } from '#lib/ec2/partition.ts';
import type { ClientSettings, Sender } from './place.ts';

/** The operation of ARC zonal shift that Joinery uses, with the part of its answer that it reads. */
export interface ZonalShiftOperations {
  readonly GetManagedResource: {
    readonly input: { readonly resourceIdentifier: string };
    readonly output: {
      readonly zonalShifts?: readonly DescribedShift[];
      readonly autoshifts?: readonly DescribedShift[];
    };
  };
}

interface DescribedShift {
  readonly appliedStatus?: string;
  readonly awayFrom?: string;
  /** Seconds since 1970. */
  readonly expiryTime?: number;
}

const SERVICE = 'arc-zonal-shift';

/**
 * GetManagedResource as one signed request. The SDK's own client of this service is one operation
 * of a few kilobytes in a package of its own; its signer, which we have, is all that it would add.
 *
 * Source: ARC Zonal Shift API, GetManagedResource.
 */
export function zonalShiftSenders(place: ClientSettings) {
  const { region } = place;
  const { credentials } = new EC2Client(place).config;
  const { dnsSuffix } = partitionOf(region);
  const base = new URL(place.endpoint ?? `https://${SERVICE}.${region}.${dnsSuffix}`);
  const signer = new SignatureV4({ credentials, region, service: SERVICE, sha256: Sha256 });
  return {
    GetManagedResource: async (input) => {
      const { resourceIdentifier } = Object(input);
      const path = `/managedresources/${encodeURIComponent(String(resourceIdentifier))}`;
      const request = new HttpRequest({
        method: 'GET',
        protocol: base.protocol,
        hostname: base.hostname,
        path,
        headers: { host: base.host, accept: 'application/json' },
      });
      const { headers } = await signer.sign(request);
      const signal = AbortSignal.timeout(place.requestHandler.socketTimeout);
      return await answerOf(await fetch(new URL(path, base), { headers, signal }));
    },
  } satisfies Readonly<Record<keyof ZonalShiftOperations, Sender>>;
}

async function answerOf(answer: Response): Promise<unknown> {
  const body: unknown = await answer.json().catch(() => ({}));
  if (answer.ok) return body;
  const { message, Message } = Object(body);
  const [name = ''] = (answer.headers.get('x-amzn-errortype') ?? '').split(':');
  throw Object.assign(new Error(String(message ?? Message ?? `HTTP ${answer.status}`)), {
    name: name === '' ? 'ServiceUnavailable' : name,
  });
}
