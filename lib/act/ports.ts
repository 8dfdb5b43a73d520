import type { AwsCall, AwsOperation } from '#lib/aws/calls/call.ts';
import { awsErrorKind } from '#lib/aws/errors.ts';
import type { KnownTemplates } from '#lib/aws/launch-templates.ts';
import { KubeFailure } from '#lib/kube/errors.ts';
import type { EventMemory } from '#lib/kube/event-memory.ts';
import type { KubeTransport } from '#lib/kube/transport.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import type { EpochMs } from '#lib/model/time.ts';
import { createTerminate, type Terminate } from './terminate.ts';

/** What acting takes. */
export interface ActPorts {
  readonly kube: KubeTransport;
  readonly aws: AwsCall;
  readonly now: () => EpochMs;
  readonly settings: { readonly cluster: ClusterSettings };
  /** What was recorded lately; kept for as long as the process lives. */
  readonly events: EventMemory;
}

/** For how long, and whether at all, one may go on acting. */
export interface ActLimits {
  readonly until: EpochMs;
  /** Asked before each call: whether the Lease is still ours. */
  readonly mayGoOn: () => Promise<boolean> | boolean;
}

/** There was no time for a call, or no right to make it: nothing was sent. */
class NotSent extends KubeFailure {
  constructor(why: string) {
    super('notNow', why, {});
    this.name = 'NotSent';
  }
}

/** Ports that know their limits, and which errors AWS answered with. */
export interface LimitedPorts extends ActPorts {
  /** Whether `error` is how an AWS call ended, rather than a bug. */
  readonly isFromAws: (error: unknown) => boolean;
  /** The call that `error` is the end of; undefined where it is no AWS call's. */
  readonly awsCallOf: (error: unknown) => AwsOperation | undefined;
  readonly terminate: Terminate;
  /** The launch templates that this round has seen or made. */
  readonly templates: KnownTemplates;
}

/**
 * The same ports, whose every call first asks for time and leave; throws NotSent where there is
 * none. So whatever takes several calls may be cut off between any two of them, and nowhere else.
 * Once AWS has answered that it is asked too often, it is not asked again by these ports; nor is
 * the API server, for as long as it says. That an eviction is refused says nothing of other calls.
 */
export function limited(ports: ActPorts, { until, mayGoOn }: ActLimits): LimitedPorts {
  const fromAws = new Map<unknown, AwsOperation>();
  let isThrottled = false;
  let restsUntil = Number.NEGATIVE_INFINITY;
  const mayCall = async (): Promise<void> => {
    if (ports.now() >= until) throw new NotSent('there was no time left');
    if (!(await mayGoOn())) throw new NotSent('the Lease was lost');
  };
  const aws: AwsCall = async (name, input) => {
    await mayCall();
    if (isThrottled) throw new NotSent('AWS asked to be called less often');
    try {
      return await ports.aws(name, input);
    } catch (error) {
      fromAws.set(error, name);
      isThrottled ||= awsErrorKind(error) === 'throttled';
      throw error;
    }
  };
  return {
    ...ports,
    kube: async (request) => {
      await mayCall();
      if (ports.now() < restsUntil)
        throw new NotSent('the API server asked to be called less often');
      const answer = await ports.kube(request);
      const { status, retryAfterSeconds = 0 } = answer;
      const isBusy = status === 429 && !request.path.endsWith('/eviction');
      if (isBusy) restsUntil = ports.now() + retryAfterSeconds * 1_000;
      return answer;
    },
    aws,
    terminate: createTerminate(aws),
    isFromAws: (error) => fromAws.has(error),
    awsCallOf: (error) => fromAws.get(error),
    templates: new Map(),
  };
}
