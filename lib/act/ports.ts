import type { AwsCall } from '#lib/aws/call.ts';
import { KubeFailure } from '#lib/kube/errors.ts';
import type { EventMemory } from '#lib/kube/event-memory.ts';
import type { KubeTransport } from '#lib/kube/transport.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import type { EpochMs } from '#lib/model/time.ts';

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
}

/**
 * The same ports, whose every call first asks for time and leave; throws NotSent where there is
 * none. So whatever takes several calls may be cut off between any two of them, and nowhere else.
 */
export function limited(ports: ActPorts, { until, mayGoOn }: ActLimits): LimitedPorts {
  const fromAws = new Set<unknown>();
  const mayCall = async (): Promise<void> => {
    if (ports.now() >= until) throw new NotSent('there was no time left');
    if (!(await mayGoOn())) throw new NotSent('the Lease was lost');
  };
  return {
    ...ports,
    kube: async (request) => {
      await mayCall();
      return await ports.kube(request);
    },
    aws: async (name, input) => {
      await mayCall();
      try {
        return await ports.aws(name, input);
      } catch (error) {
        fromAws.add(error);
        throw error;
      }
    },
    isFromAws: (error) => fromAws.has(error),
  };
}
