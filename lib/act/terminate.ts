import type { AwsCall } from '#lib/aws/calls/call.ts';
import { terminateInstances } from '#lib/aws/instances.ts';

/** Ends one instance; resolves once EC2 has taken the call, rejects with what refuses it. */
export type Terminate = (instanceId: string) => Promise<void>;

interface Batch {
  readonly ids: string[];
  readonly sent: Promise<void>;
}

/** Whoever is about to ask gets so many turns of the queue of promises to do so. */
const TURNS = 20;

/**
 * Ends instances that are asked for at the same moment by one call, so that many nodes which go
 * together do not use up what launches need. What refuses the call refuses all of them: each is
 * asked for again by a later look.
 */
export function createTerminate(aws: AwsCall): Terminate {
  let open: Batch | undefined;
  const begin = (): Batch => {
    const ids: string[] = [];
    const sent = (async () => {
      for (let turn = 0; turn < TURNS; turn += 1) await Promise.resolve();
      open = undefined;
      await terminateInstances(aws, ids);
    })();
    return { ids, sent };
  };
  return async (instanceId) => {
    open ??= begin();
    open.ids.push(instanceId);
    await open.sent;
  };
}
