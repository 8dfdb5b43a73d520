import type { ClientSettings, Sender } from '#lib/aws/place.ts';
import { signedRequests } from './signed-request.ts';

/** The operation of EventBridge that Joinery uses, with the part of its answer that it reads. */
export interface EventBusOperations {
  readonly PutEvents: {
    readonly input: { readonly Entries: readonly EventEntry[] };
    readonly output: { readonly FailedEntryCount?: number };
  };
}

interface EventEntry {
  readonly EventBusName: string;
  readonly Source: string;
  readonly DetailType: string;
  /** JSON. */
  readonly Detail: string;
  /** Seconds since 1970. */
  readonly Time: number;
}

/**
 * PutEvents as one signed request.
 *
 * Source: EventBridge API, PutEvents; AWS JSON protocol 1.1.
 */
export function eventBusSenders(place: ClientSettings) {
  const send = signedRequests(place, 'events');
  return {
    PutEvents: async (input) =>
      await send({
        method: 'POST',
        path: '/',
        headers: {
          'content-type': 'application/x-amz-json-1.1',
          'x-amz-target': 'AWSEvents.PutEvents',
        },
        body: JSON.stringify(input),
      }),
  } satisfies Readonly<Record<keyof EventBusOperations, Sender>>;
}
