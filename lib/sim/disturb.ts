import type { Disturbance } from './call-faults.ts';
import { type KubeAnswer, type KubeCall, kubeCallName } from './seams.ts';

type Kube = (request: KubeCall) => Promise<KubeAnswer>;

/** The API server's own words for what it refuses with. */
const REASONS: Readonly<Record<number, string>> = {
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
};

/** What lists answered to one sandbox, by what was asked. */
export type ListMemory = Map<string, KubeAnswer>;

/** Performs a request and remembers what a list answered. */
export async function remembering(
  kube: Kube,
  request: KubeCall,
  lists: ListMemory,
): Promise<KubeAnswer> {
  const answer = await kube(request);
  if (isList(request) && answer.status === 200) lists.set(keyOf(request), answer);
  return answer;
}

/** What a disturbed request comes to, for a caller that lives on. */
export async function disturbed(
  kube: Kube,
  request: KubeCall,
  { fate, lists }: { readonly fate: Disturbance; readonly lists: ListMemory },
): Promise<KubeAnswer> {
  switch (fate.how) {
    case 'stale':
      return (isList(request) ? lists.get(keyOf(request)) : undefined) ?? (await kube(request));
    case 'cut':
      if (fate.performed) await kube(request);
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    case 'answer':
      return refused(fate);
  }
}

function refused({
  status,
  retryAfterSeconds,
}: Extract<Disturbance, { readonly how: 'answer' }>): KubeAnswer {
  const reason = REASONS[status] ?? '';
  return {
    status,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    body: {
      kind: 'Status',
      status: 'Failure',
      reason,
      message: 'as the fault plan has it',
      code: status,
    },
  };
}

const isList = (request: KubeCall): boolean => kubeCallName(request).startsWith('list ');

const keyOf = ({ path, query }: KubeCall): string => `${path} ${JSON.stringify(query ?? {})}`;
