import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@aws-lambda-powertools/logger';
import { typedCall } from '#lib/aws/call.ts';
import { sdkCall } from '#lib/aws/sdk-call.ts';
import { connectKubeconfig } from '#lib/kube/connect-kubeconfig.ts';
import { createEventMemory } from '#lib/kube/event-memory.ts';
import { createLogger, logOf } from './middleware.ts';
import { type Environment, readSettings } from './settings.ts';
import type { Shell } from './shell.ts';

/**
 * The real world behind both seams: the cluster of the current kubeconfig context (KUBECONFIG, or
 * the service account of a pod) and AWS with the SDK's own credentials. Throws where a setting is
 * missing.
 */
export function connect(
  service: string,
  environment: Environment,
): { readonly shell: Shell; readonly logger: Logger } {
  const settings = readSettings(environment);
  const logger = createLogger(service);
  return {
    logger,
    shell: {
      kube: connectKubeconfig(),
      aws: typedCall(sdkCall({ region: settings.cluster.region })),
      now: Date.now,
      events: createEventMemory(),
      sleep: async (ms) => {
        await delay(ms);
      },
      settings,
      log: logOf(logger),
    },
  };
}
