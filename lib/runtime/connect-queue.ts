import type { Logger } from '@aws-lambda-powertools/logger';
import { queueCall } from '#lib/aws/calls/queue-call.ts';
import { createLogger, logOf } from './middleware.ts';
import { type Environment, readQueueSettings } from './settings.ts';
import type { HintSender } from './shell.ts';

/** The little that the webhook's function needs: a queue, a clock and a log. */
export function connectQueue(
  service: string,
  environment: Environment,
): { readonly sender: HintSender; readonly logger: Logger; readonly webhookPath: string } {
  const logger = createLogger(service);
  const { region, hintQueueUrl, webhookPath } = readQueueSettings(environment);
  return {
    logger,
    webhookPath,
    sender: {
      aws: queueCall({ region }),
      now: Date.now,
      settings: { hintQueueUrl },
      log: logOf(logger),
    },
  };
}
