import type { AwsCall } from '#lib/aws/calls/call.ts';
import { sendHint } from '#lib/aws/queue.ts';
import type { EpochMs } from '#lib/model/time.ts';
import { encodeHint } from '#lib/triggers/hint.ts';
import type { HintSender } from './shell.ts';

/** The longest delay of one SQS message. Source: SQS API, SendMessage, DelaySeconds. */
const MAX_DELAY_SECONDS = 900;

/**
 * Asks for a look at `at` (rounded up to a second, at once if it is past, in 15 minutes at the
 * most: the heartbeat looks long before that). Any look that begins after it is due makes it
 * needless.
 */
export async function sendHintAt(shell: HintSender, at: EpochMs, because: string): Promise<void> {
  const delaySeconds = Math.ceil((at - shell.now()) / 1_000);
  const bounded = Math.min(Math.max(delaySeconds, 0), MAX_DELAY_SECONDS);
  const sentAt = shell.now() + bounded * 1_000;
  const hint = encodeHint({ kind: 'look', sentAt, because });
  await sendHint(shell.aws, shell.settings.hintQueueUrl, hint, bounded);
}

// When the hint is due that a sandbox sent last because it had to wait. Losing it costs a hint.
const waiting = new WeakMap<AwsCall, EpochMs>();

/**
 * Asks for a look at `at`, unless this sandbox has asked for one that is still to come: it will see
 * what has happened until then. So a burst of wake-ups that all find the Lease held comes to one
 * hint, not to as many that go round until it is free.
 */
export async function sendHintUnlessWaiting(
  shell: HintSender,
  at: EpochMs,
  because: string,
): Promise<void> {
  const due = waiting.get(shell.aws);
  if (due !== undefined && due > shell.now()) return;
  await sendHintAt(shell, at, because);
  waiting.set(shell.aws, at);
}
