import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@aws-lambda-powertools/logger';
import { type AwsCall, typedCall } from '#lib/aws/calls/call.ts';
import { sdkCall } from '#lib/aws/calls/sdk-call.ts';
import { clusterTokens } from '#lib/aws/cluster-token.ts';
import { connectEndpoint } from '#lib/kube/connect-endpoint.ts';
import { createEventMemory } from '#lib/kube/event-memory.ts';
import { withPatience } from '#lib/kube/patience.ts';
import type { KubeTransport } from '#lib/kube/transport.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import { askEks } from './ask-eks.ts';
import { createLogger, logOf } from './middleware.ts';
import { checkSettings, clusterToAsk, type Environment, readSettings } from './settings.ts';
import type { Shell } from './shell.ts';

/**
 * The real world behind both seams: AWS with the SDK's own credentials, and in Lambda the cluster's
 * endpoint with tokens signed by them, elsewhere the current kubeconfig context. What the
 * environment does not say of the cluster is asked of EKS. Throws where a setting is missing.
 */
export async function connect(
  service: string,
  environment: Environment,
): Promise<{ readonly shell: Shell; readonly logger: Logger }> {
  checkSettings(environment);
  const asked = clusterToAsk(environment);
  const told =
    asked === undefined ? {} : await askEks(awsIn(asked.region, environment), asked.clusterName);
  const settings = readSettings({ ...told, ...withoutEmpty(environment) });
  const logger = createLogger(service);
  return {
    logger,
    shell: {
      kube: withPatience(await connectCluster(settings.cluster, environment), sleep),
      aws: awsIn(settings.cluster.region, environment),
      now: Date.now,
      events: createEventMemory(),
      sleep,
      settings,
      log: logOf(logger),
      ...metricsOf(environment),
    },
  };
}

async function sleep(ms: number): Promise<void> {
  await delay(ms);
}

/** Only Lambda's standard output is read for metrics. */
const metricsOf = ({ AWS_LAMBDA_FUNCTION_NAME }: Environment): Pick<Shell, 'writeMetrics'> =>
  AWS_LAMBDA_FUNCTION_NAME ? { writeMetrics: (line) => process.stdout.write(`${line}\n`) } : {};

/** An endpoint override is the SDK's own, here so that it need not be of this process. */
const awsIn = (region: string, { AWS_ENDPOINT_URL: endpoint }: Environment): AwsCall =>
  typedCall(sdkCall({ region, ...(endpoint && { endpoint }) }));

const WHY_UNREACHABLE =
  'an endpoint that is private takes functions in its VPC, and a security group that lets them in';

/** A kubeconfig wins where one is named; its client is loaded only then, for it takes its time. */
async function connectCluster(
  { clusterName, clusterEndpoint, clusterCa, region }: ClusterSettings,
  { KUBECONFIG, AWS_LAMBDA_FUNCTION_NAME }: Environment,
): Promise<KubeTransport> {
  if (KUBECONFIG || !AWS_LAMBDA_FUNCTION_NAME) {
    const { connectKubeconfig } = await import('#lib/kube/connect-kubeconfig.ts');
    return connectKubeconfig();
  }
  const tokens = clusterTokens({ region }, clusterName, Date.now);
  return connectEndpoint({
    server: clusterEndpoint,
    certificateAuthority: clusterCa,
    token: tokens.token,
    forgetToken: tokens.forget,
    whyUnreachable: WHY_UNREACHABLE,
  });
}

const withoutEmpty = (environment: Environment): Environment =>
  Object.fromEntries(Object.entries(environment).filter(([, value]) => value));
