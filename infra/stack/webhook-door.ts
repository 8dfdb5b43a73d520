import { CfnApi, CfnIntegration, CfnRoute, CfnStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { CfnPermission, CfnUrl } from 'aws-cdk-lib/aws-lambda';
import { Aws, Fn } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { JoineryFunction } from './joinery-function.ts';

/**
 * Calls a second that are let through, on average and at once. kube-scheduler writes at most 50
 * Events a second; what is turned away is found by the heartbeat.
 */
const CALLS_PER_SECOND = 50;
const CALLS_AT_ONCE = 100;

/** An HTTP API with one route: a POST to the path that nobody can guess. */
export class HttpApiDoor extends Construct {
  readonly url: string;

  constructor(scope: Construct, admit: JoineryFunction, path: string) {
    super(scope, 'HttpApi');
    const api = new CfnApi(this, 'Api', {
      name: `${Aws.STACK_NAME}-webhook`,
      description: "Where the cluster's webhook asks Joinery for a look.",
      protocolType: 'HTTP',
    });
    const integration = new CfnIntegration(this, 'Integration', {
      apiId: api.ref,
      integrationType: 'AWS_PROXY',
      integrationUri: admit.function.attrArn,
      payloadFormatVersion: '2.0',
      timeoutInMillis: 1_000,
    });
    new CfnRoute(this, 'Route', {
      apiId: api.ref,
      routeKey: `POST /${path}`,
      target: `integrations/${integration.ref}`,
    });
    new CfnStage(this, 'Stage', {
      apiId: api.ref,
      stageName: '$default',
      autoDeploy: true,
      defaultRouteSettings: {
        throttlingRateLimit: CALLS_PER_SECOND,
        throttlingBurstLimit: CALLS_AT_ONCE,
      },
    });
    new CfnPermission(this, 'Permission', {
      action: 'lambda:InvokeFunction',
      functionName: admit.function.ref,
      principal: 'apigateway.amazonaws.com',
      sourceArn: `arn:${Aws.PARTITION}:execute-api:${Aws.REGION}:${Aws.ACCOUNT_ID}:${api.ref}/*`,
    });
    this.url = `${api.attrApiEndpoint}/${path}`;
  }
}

/**
 * A function URL: nothing to pay beside the function, and nothing that throttles. Calls to another
 * path are answered by `admit` itself, which sends no hint for them.
 *
 * Source: Lambda Developer Guide, function URLs: a public URL needs InvokeFunctionUrl and, since
 * October 2025, InvokeFunction.
 */
export class FunctionUrlDoor extends Construct {
  readonly url: string;

  constructor(scope: Construct, admit: JoineryFunction, path: string) {
    super(scope, 'FunctionUrl');
    const url = new CfnUrl(this, 'Url', {
      authType: 'NONE',
      targetFunctionArn: admit.function.attrArn,
    });
    new CfnPermission(this, 'MayCallUrl', {
      action: 'lambda:InvokeFunctionUrl',
      functionName: admit.function.ref,
      functionUrlAuthType: 'NONE',
      principal: '*',
    });
    new CfnPermission(this, 'MayInvoke', {
      action: 'lambda:InvokeFunction',
      functionName: admit.function.ref,
      invokedViaFunctionUrl: true,
      principal: '*',
    });
    this.url = Fn.join('', [url.attrFunctionUrl, path]);
  }
}
