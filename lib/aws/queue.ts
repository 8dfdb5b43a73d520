import type { AwsCall } from '#lib/aws/calls/call.ts';

/** Puts a hint into Joinery's own queue, where it can be received after `delaySeconds` (0–900). */
export async function sendHint(
  call: AwsCall,
  queueUrl: string,
  hint: string,
  delaySeconds: number,
): Promise<void> {
  await call('SendMessage', {
    QueueUrl: queueUrl,
    MessageBody: hint,
    DelaySeconds: delaySeconds,
  });
}
