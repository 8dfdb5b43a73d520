import { sendHint } from '#lib/aws/queue.ts';
import type { EpochMs } from '#lib/model/time.ts';
import { encodeHint } from '#lib/triggers/hint.ts';
import type { HintSender } from './shell.ts';

/** The longest delay of one SQS message. Source: SQS API, SendMessage, DelaySeconds. */
const MAX_DELAY_SECONDS = 900;

/**
 * Asks for a look at `at` (rounded up to a second, at once if it is past, in 15 minutes at the
 * most: the heartbeat looks long before that). Any look since `news` makes it needless: for what
 * has just happened that is now; for what is yet to come, when it comes, which is what is taken
 * where nothing else is said.
 */
export async function sendHintAt(
  shell: HintSender,
  at: EpochMs,
  because: string,
  news?: EpochMs,
): Promise<void> {
  const delaySeconds = Math.ceil((at - shell.now()) / 1_000);
  const bounded = Math.min(Math.max(delaySeconds, 0), MAX_DELAY_SECONDS);
  const sentAt = news ?? shell.now() + bounded * 1_000;
  const hint = encodeHint({ kind: 'look', sentAt, because });
  await sendHint(shell.aws, shell.settings.hintQueueUrl, hint, bounded);
}
