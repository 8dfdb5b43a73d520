import { uuid } from './aws/account.ts';
import { isFields } from './aws/request.ts';
import type { Clock } from './clock.ts';
import type { Journal } from './journal.ts';
import type { LambdaFunction } from './lambda.ts';
import type { Random } from './random.ts';

/** A write of the API server, as its admission webhooks would hear of it. */
export interface AdmittedWrite {
  readonly type: 'added' | 'modified' | 'deleted';
  readonly object: AdmittedObject;
  readonly old?: AdmittedObject;
  /** Who wrote. */
  readonly actor: string;
}

/** What a webhook reads of an object; the rest goes on as it is. */
interface AdmittedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** Where the webhook stands. */
export interface WebhookOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly journal: Journal;
  readonly admit: LambdaFunction;
  /** Who writes as Joinery: what they write wakes nobody. */
  readonly isJoinery: (actor: string) => boolean;
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
export function createWebhook(options: WebhookOptions): (write: AdmittedWrite) => void {
  const random = options.random.fork('webhook');
  return (write) => {
    if (options.isJoinery(write.actor) || !isNamed(write)) return;
    const delayMs = random.between(...NETWORK_MS);
    const event = httpEvent(write, uuid(random), options.clock.now());
    options.clock.after(delayMs, () => void post(options, write, event));
  };
}

async function post(
  { clock, journal, admit }: WebhookOptions,
  write: AdmittedWrite,
  event: unknown,
): Promise<void> {
  const { kind, metadata } = write.object;
  const subject = `${kind} ${[metadata.namespace, metadata.name].filter(Boolean).join('/')}`;
  let isAnswered = false;
  const note = (text: string): void => journal.note({ at: clock.now(), source: 'webhook', text });
  clock.after(TIMEOUT_MS, () => {
    if (!isAnswered) note(`no answer within 1 s about ${subject}; let in all the same`);
  });
  const result = await admit.invoke(event, `webhook: ${subject} ${write.type}`);
  isAnswered = true;
  if (result.kind !== 'returned')
    note(`admit ${result.kind} about ${subject}; let in all the same`);
}

function isNamed({ type, object, old }: AdmittedWrite): boolean {
  switch (object.kind) {
    case 'Event':
      return type === 'added' && fieldOf(object, 'reason') === 'FailedScheduling';
    case 'NodePool':
    case 'NodeClaim':
    case 'EC2NodeClass':
      return type !== 'modified' || differs(object, old, 'spec');
    case 'Node':
      return (
        type !== 'modified' ||
        differs(fieldOf(object, 'spec'), fieldOf(old, 'spec'), 'taints') ||
        differs(fieldOf(object, 'metadata'), fieldOf(old, 'metadata'), 'labels')
      );
    default:
      return false;
  }
}

const differs = (a: unknown, b: unknown, name: string): boolean =>
  JSON.stringify(fieldOf(a, name)) !== JSON.stringify(fieldOf(b, name));

const fieldOf = (value: unknown, name: string): unknown =>
  isFields(value) ? value[name] : undefined;

const OPERATIONS = { added: 'CREATE', modified: 'UPDATE', deleted: 'DELETE' } as const;

/** The AdmissionReview in an HTTP request, as API Gateway hands it to a function. */
function httpEvent({ type, object, old, actor }: AdmittedWrite, uid: string, now: number): unknown {
  const { apiVersion, kind, metadata } = object;
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const review = {
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid,
      kind: { group, version, kind },
      resource: { group, version, resource: pluralOf(kind) },
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      name: metadata.name,
      operation: OPERATIONS[type],
      userInfo: { username: actor },
      object: type === 'deleted' ? null : object,
      oldObject: (type === 'deleted' ? object : old) ?? null,
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

/** Of the five kinds that the rules name. */
const pluralOf = (kind: string): string =>
  `${kind.toLowerCase()}${kind.endsWith('s') ? 'es' : 's'}`;
