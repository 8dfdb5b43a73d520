import { needsLease } from './lease-free.ts';
import type { TurnReport } from './turn.ts';

/**
 * The instances whose NodeClaims were to be deleted or marked because of what was announced of them,
 * and could not be. Nobody else would come to do it: nothing but a message says so.
 */
export function undoneIn(rounds: TurnReport['rounds']): readonly string[] {
  const isDone = new Map<string, boolean>();
  for (const { outcomes, snapshot } of rounds) {
    const providerIds = new Map(
      snapshot.nodes.map(({ claim }) => [claim?.meta.uid, claim?.status.providerId]),
    );
    for (const { action, result } of outcomes) {
      if (needsLease(action) || !('object' in action)) continue;
      const instanceId = providerIds.get(action.object.uid)?.split('/').at(-1);
      if (instanceId !== undefined) isDone.set(instanceId, result === 'done');
    }
  }
  return [...isDone].flatMap(([instanceId, done]) => (done ? [] : [instanceId]));
}
