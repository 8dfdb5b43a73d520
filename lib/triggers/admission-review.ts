import { isObject, parseObject } from './hint.ts';

/** What the API server's webhook call is about, as far as a log line cares. */
export interface AdmissionSubject {
  /** Empty where the body could not be read; the answer is "allowed" all the same. */
  readonly uid: string;
  readonly subject: string;
}

/**
 * What an HTTP request with an AdmissionReview in its body is about. Never refuses: an unreadable
 * body is a subject without uid, since the only thing a webhook call can do is ask for a look.
 *
 * Source: kubernetes, admission.k8s.io/v1 AdmissionReview; API Gateway payload format 2.0.
 */
export function readAdmissionReview(event: unknown): AdmissionSubject {
  const body = isObject(event) && typeof event.body === 'string' ? event.body : '';
  const isEncoded = isObject(event) && event.isBase64Encoded === true;
  const review = parseObject(isEncoded ? decoded(body) : body);
  const request = review?.request;
  if (!isObject(request)) return { uid: '', subject: 'an unreadable admission review' };
  const kind = isObject(request.kind) ? request.kind.kind : undefined;
  const uid = request.uid;
  return {
    uid: typeof uid === 'string' ? uid : '',
    subject: `${text(kind) || 'object'} ${[text(request.namespace), text(request.name)]
      .filter(Boolean)
      .join('/')}`
      .trim()
      .slice(0, LONGEST_SUBJECT),
  };
}

/** A namespace, a name and a kind of Kubernetes fit; whatever is longer was not sent by it. */
const LONGEST_SUBJECT = 400;

function decoded(body: string): string {
  try {
    return atob(body);
  } catch {
    return '';
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Whether an HTTP request is for `path`, named without slashes; every one is for ''. */
export const isKnockAt = (path: string, event: unknown): boolean =>
  path === '' || (isObject(event) && event.rawPath === `/${path}`);

/** The HTTP answer to requests for something that is not served. */
export const NOT_HERE = { statusCode: 404, headers: {}, body: '' } as const;

/** The HTTP answer that lets the object through, whatever it is. */
export const allowAnswer = (uid: string) => ({
  statusCode: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid, allowed: true },
  }),
});
