import { uuid } from './aws/account.ts';
import { isFields } from './aws/request.ts';
import type { Clock } from './clock.ts';
import type { Journal } from './journal.ts';
import type { LambdaFunction } from './lambda.ts';
import type { Random } from './random.ts';

/** A write that the API server lets in, as its admission webhooks hear of it. */
export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name: string;
  readonly username: string;
  readonly object?: unknown;
  readonly oldObject?: unknown;
}

/** Where the webhook stands. */
export interface WebhookOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly journal: Journal;
  readonly admit: LambdaFunction;
  /** Who writes as Joinery: what they write wakes nobody. */
  readonly isJoinery: (username: string) => boolean;
}

/** Source: kubernetes, ValidatingWebhookConfiguration, timeoutSeconds as Joinery sets it. */
const TIMEOUT_MS = 1_000;
/** From the API server to API Gateway and to Lambda, one way. Assumed. */
const NETWORK_MS = [3, 15] as const;

/**
 * The cluster's webhook: POSTs an AdmissionReview to the admit function through an HTTP API for
 * each write that its rules and match conditions name. It fails open: whatever the answer, and
 * whether one comes within a second or not, the write goes on; so this one neither holds up the
 * API server (a real one does, for as long as it takes) nor reads the answer.
 *
 * Rules: Events with reason FailedScheduling, on creation only; NodePools, NodeClaims and
 * EC2NodeClasses that are created, deleted or change their spec; Nodes that are created, deleted
 * or change labels or taints. Never what Joinery itself wrote, and no status.
 *
 * Source: kubernetes, Dynamic Admission Control; API Gateway, HTTP API payload format 2.0.
 */
export function createWebhook(options: WebhookOptions): (request: AdmissionRequest) => void {
  const random = options.random.fork('webhook');
  return (request) => {
    if (options.isJoinery(request.username) || !isNamed(request)) return;
    const delayMs = random.between(...NETWORK_MS);
    const event = httpEvent(request, uuid(random), options.clock.now());
    options.clock.after(delayMs, () => void post(options, request, event));
  };
}

async function post(
  { clock, journal, admit }: WebhookOptions,
  request: AdmissionRequest,
  event: unknown,
): Promise<void> {
  const subject = `${request.kind} ${[request.namespace, request.name].filter(Boolean).join('/')}`;
  let isAnswered = false;
  const note = (text: string): void => journal.note({ at: clock.now(), source: 'webhook', text });
  clock.after(TIMEOUT_MS, () => {
    if (!isAnswered) note(`no answer within 1 s about ${subject}; let in all the same`);
  });
  const result = await admit.invoke(event, `webhook: ${request.operation} ${subject}`);
  isAnswered = true;
  if (result.kind !== 'returned')
    note(`admit ${result.kind} about ${subject}; let in all the same`);
}

function isNamed(request: AdmissionRequest): boolean {
  if (request.subresource !== undefined) return false;
  const { operation, resource, object, oldObject } = request;
  switch (resource) {
    case 'events':
      return operation === 'CREATE' && fieldOf(object, 'reason') === 'FailedScheduling';
    case 'nodepools':
    case 'nodeclaims':
    case 'ec2nodeclasses':
      return operation !== 'UPDATE' || differs(object, oldObject, 'spec');
    case 'nodes':
      return (
        operation !== 'UPDATE' ||
        differs(fieldOf(object, 'spec'), fieldOf(oldObject, 'spec'), 'taints') ||
        differs(fieldOf(object, 'metadata'), fieldOf(oldObject, 'metadata'), 'labels')
      );
    default:
      return false;
  }
}

const differs = (a: unknown, b: unknown, name: string): boolean =>
  JSON.stringify(fieldOf(a, name)) !== JSON.stringify(fieldOf(b, name));

const fieldOf = (value: unknown, name: string): unknown =>
  isFields(value) ? value[name] : undefined;

/** The AdmissionReview in an HTTP request, as API Gateway hands it to a function. */
function httpEvent(request: AdmissionRequest, uid: string, now: number): unknown {
  const { group, version, kind, resource, username, operation } = request;
  const review = {
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid,
      kind: { group, version, kind },
      resource: { group, version, resource },
      ...(request.namespace === undefined ? {} : { namespace: request.namespace }),
      name: request.name,
      operation,
      userInfo: { username },
      object: request.object ?? null,
      oldObject: request.oldObject ?? null,
      dryRun: false,
    },
  };
  const path = '/admit/embedded';
  return {
    version: '2.0',
    routeKey: `POST ${path}`,
    rawPath: path,
    rawQueryString: 'timeout=1s',
    headers: { 'content-type': 'application/json', 'user-agent': 'kube-apiserver-admission' },
    requestContext: {
      accountId: 'anonymous',
      http: {
        method: 'POST',
        path,
        protocol: 'HTTP/1.1',
        sourceIp: '10.0.0.10',
        userAgent: 'kube-apiserver-admission',
      },
      requestId: uid,
      stage: '$default',
      timeEpoch: now,
    },
    body: JSON.stringify(review),
    isBase64Encoded: false,
  };
}
