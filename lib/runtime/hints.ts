import { sendHint } from '#lib/aws/queue.ts';
import type { EpochMs } from '#lib/model/time.ts';
import { encodeHint } from '#lib/triggers/hint.ts';
import type { HintSender } from './shell.ts';

/** The longest delay of one SQS message. Source: SQS API, SendMessage, DelaySeconds. */
const MAX_DELAY_SECONDS = 900;

/**
 * Asks for a look at `at` (rounded up to a second, at once if it is past, in 15 minutes at the
 * most: the heartbeat looks long before that).
 */
export async function sendHintAt(shell: HintSender, at: EpochMs, because: string): Promise<void> {
  const delaySeconds = Math.ceil((at - shell.now()) / 1_000);
  const bounded = Math.min(Math.max(delaySeconds, 0), MAX_DELAY_SECONDS);
  // A delayed hint counts as sent when it arrives, or the look in between would make it stale.
  const hint = encodeHint({ kind: 'look', sentAt: shell.now() + bounded * 1_000, because });
  await sendHint(shell.aws, shell.settings.hintQueueUrl, hint, bounded);
}
