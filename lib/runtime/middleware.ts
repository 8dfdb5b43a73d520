import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import type { Log } from './log.ts';

/** A function of Joinery, before it is wrapped for Lambda. */
export type Story = (event: unknown, context: Remaining) => Promise<unknown>;

/** What a story may know of the invocation: how long it has left. */
export interface Remaining {
  readonly getRemainingTimeInMillis: () => number;
}

/**
 * The handler that Lambda calls: `story`, each of its log lines carrying the invocation's id. What
 * flies past the story fails the invocation, so that the alarm rings.
 */
export const withRuntime = (story: Story, logger: Logger) =>
  middy()
    .use(injectLambdaContext(logger, { resetKeys: true }))
    .handler((event: unknown, context: Context) => story(event, context));

/** The one logger of a sandbox; `service` is the function's name. */
export const createLogger = (service: string): Logger => new Logger({ serviceName: service });

/** `logger` as the rest of Joinery knows it. */
export const logOf = (logger: Logger): Log => ({
  info: (message, fields = {}) => logger.info(message, fields),
  warn: (message, fields = {}) => logger.warn(message, fields),
  error: (message, fields = {}) => logger.error(message, fields),
});
