/**
 * admit: the door that the cluster's webhook knocks at. Always answers "allowed" and asks
 * provision for a look; it decides nothing and believes nothing, so a forged call costs one look.
 */
import { sendHintAt } from '#lib/runtime/hints.ts';
import type { HintSender } from '#lib/runtime/shell.ts';
import {
  allowAnswer,
  isKnockAt,
  NOT_HERE,
  readAdmissionReview,
} from '#lib/triggers/admission-review.ts';

/** Calls that follow one another this closely become one look: the hint waits for them. */
const GATHER_MS = 1_000;

/**
 * The function that the webhook invokes. A hint that cannot be sent is left to the heartbeat. A
 * function URL lets any path through: who does not know `webhookPath` is not heard; any path will do
 * where it is ''.
 */
export function createAdmission(shell: HintSender, webhookPath = '') {
  let lastHintAt = Number.NEGATIVE_INFINITY;
  return async (event: unknown) => {
    if (!isKnockAt(webhookPath, event)) return NOT_HERE;
    const { uid, subject } = readAdmissionReview(event);
    if (shell.now() - lastHintAt >= GATHER_MS) {
      lastHintAt = shell.now();
      await sendHintAt(shell, shell.now() + GATHER_MS, subject).catch((error: unknown) =>
        shell.log.error('no hint could be sent; the heartbeat will look', { error }),
      );
    }
    return allowAnswer(uid);
  };
}
