import { required, wire, withDefault } from '#lib/kube/decode/field.ts';
import { text } from '#lib/kube/decode/scalar.ts';
import type { KubeRequest, KubeResponse, KubeTransport } from './transport.ts';

/**
 * The five ways in which the API server does not do what was asked.
 * conflict: the object is not as it was seen. gone: it is no longer there, or its list's place has
 * expired. notNow: the same request may succeed later. denied: Joinery may not do this. broken:
 * asking again will not help.
 */
export type KubeFailureKind = 'conflict' | 'gone' | 'notNow' | 'denied' | 'broken';

/** A request that was not done, and what that means for whoever asked. */
export class KubeFailure extends Error {
  readonly kind: KubeFailureKind;
  /** Absent where no answer came. */
  readonly status?: number;
  /** The API server's own word: AlreadyExists, Conflict, Expired… */
  readonly reason?: string;
  readonly retryAfterSeconds?: number;

  constructor(
    kind: KubeFailureKind,
    message: string,
    details: {
      readonly status?: number;
      readonly reason?: string;
      readonly retryAfterSeconds?: number | undefined;
      readonly cause?: unknown;
    },
  ) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined);
    this.name = 'KubeFailure';
    this.kind = kind;
    if (details.status !== undefined) this.status = details.status;
    if (details.reason !== undefined) this.reason = details.reason;
    if (details.retryAfterSeconds !== undefined) this.retryAfterSeconds = details.retryAfterSeconds;
  }
}

/** Sends `request` and gives the answer's body; throws a KubeFailure where it was not done. */
export async function send(kube: KubeTransport, request: KubeRequest): Promise<unknown> {
  const response = await answerOf(kube, request);
  if (response.status >= 200 && response.status < 300) return response.body;
  throw failureOf(request, response);
}

async function answerOf(kube: KubeTransport, request: KubeRequest): Promise<KubeResponse> {
  try {
    return await kube(request);
  } catch (cause) {
    if (cause instanceof KubeFailure) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new KubeFailure('notNow', `${request.method} ${request.path}: no answer (${why})`, {
      cause,
    });
  }
}

function failureOf(request: KubeRequest, response: KubeResponse): KubeFailure {
  const { reason, message } = statusOf(response.body);
  const { status, retryAfterSeconds } = response;
  const kind = kindOf(status, message);
  const asked = `${request.method} ${request.path}`;
  return new KubeFailure(kind, `${asked}: ${status} ${reason} ${message}`.trimEnd(), {
    status,
    reason,
    retryAfterSeconds,
  });
}

/** A failed `test` of a JSON patch comes back with this text and no more. */
const FAILED_TEST = 'the server rejected our request due to an error in our request';

/**
 * Source: kubernetes v1.36: a wrong metadata.uid in a patch is 422 "field is immutable" and a
 * failed JSON-patch test is 422 too, where a stale resourceVersion is 409; a pod with two budgets
 * is refused by 500, for good.
 */
function kindOf(status: number, message: string): KubeFailureKind {
  if (status === 409) return 'conflict';
  if (status === 404 || status === 410) return 'gone';
  if (status === 401 || status === 403) return 'denied';
  if (status === 422) return lostRace(message) ? 'conflict' : 'broken';
  if (isSeveralBudgets(status, message)) return 'broken';
  return status === 408 || status === 429 || status >= 500 ? 'notNow' : 'broken';
}

const lostRace = (message: string): boolean =>
  (message.includes('metadata.uid') && message.includes('immutable')) ||
  message.includes(FAILED_TEST);

const isSeveralBudgets = (status: number, message: string): boolean =>
  status === 500 && message.includes('more than one PodDisruptionBudget');

/** Whether the API server would not make an object because one of that name is there. */
export const alreadyExists = (error: unknown): boolean =>
  error instanceof KubeFailure && error.status === 409 && error.reason === 'AlreadyExists';

/** Whether what was asked for or about is not there. */
export const isGone = (error: unknown): boolean =>
  error instanceof KubeFailure && error.kind === 'gone';

function statusOf(body: unknown): { readonly reason: string; readonly message: string } {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return { reason: '', message: typeof body === 'string' ? body.slice(0, 300) : '' };
  }
  const status = wire(body);
  return {
    reason: withDefault(status, 'reason', '', text),
    message: withDefault(status, 'message', '', text),
  };
}

/** The resourceVersion of an object that the API server has answered with; '' where it has none. */
export const versionIn = (body: unknown): string =>
  required(wire(body), 'metadata', (meta) => withDefault(wire(meta), 'resourceVersion', '', text));
