import { awsErrorKind, describeAwsError } from '#lib/aws/errors.ts';
import { KubeFailure, type KubeFailureKind } from '#lib/kube/errors.ts';
import type { Outcome } from '#lib/model/plan.ts';
import type { LimitedPorts } from './ports.ts';

/** What became of an action, without the action. */
export type Result = Omit<Outcome, 'action'>;

/** It is done. */
export const DONE: Result = { result: 'done' };

const OF_KUBE: Readonly<Record<KubeFailureKind, Result['result']>> = {
  conflict: 'lost',
  gone: 'lost',
  notNow: 'retry',
  denied: 'failed',
  broken: 'failed',
};

/** What a failed call means for the action that made it. Anything else is a bug and is thrown on. */
export function resultOf(error: unknown, ports: Pick<LimitedPorts, 'awsCallOf'>): Result {
  if (error instanceof KubeFailure) {
    const { kind, message, retryAfterSeconds } = error;
    return {
      result: OF_KUBE[kind],
      because: message,
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    };
  }
  if (ports.awsCallOf(error) === undefined) throw error;
  const result = awsErrorKind(error) === 'denied' ? 'failed' : 'retry';
  return { result, because: describeAwsError(error) };
}
