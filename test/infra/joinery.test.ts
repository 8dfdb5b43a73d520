import type { Template } from 'aws-cdk-lib/assertions';
import { Fn } from 'aws-cdk-lib/core';
import { describe, expect, it } from 'vitest';
import { SCHEDULES, STACK_LIMITS, STACK_RULES } from '#lib/sim/stack.ts';
import { joineryStack, resourcesOf, WEBHOOK_PATH } from '#test/build/joinery-stack.ts';

const usual = joineryStack().template;
const FUNCTION = 'AWS::Lambda::Function';

describe('Joinery, the construct', () => {
  it('lets each function work for as long as the embedded world does, with a queue that waits as long', () => {
    for (const [name, milliseconds] of Object.entries(STACK_LIMITS.timeoutMs)) {
      const [, found] =
        resourcesOf(usual, FUNCTION).find(([id]) => id.toLowerCase().includes(name)) ?? [];
      expect([name, found?.Timeout]).toEqual([name, milliseconds / 1_000]);
    }
    const { provision, interrupt } = STACK_LIMITS.timeoutMs;
    for (const milliseconds of [provision, interrupt]) {
      usual.hasResourceProperties('AWS::SQS::Queue', {
        VisibilityTimeout: milliseconds / 1_000,
        RedrivePolicy: { maxReceiveCount: STACK_LIMITS.maxReceives },
      });
    }
  });

  it('keeps messages for as long as the embedded world does', () => {
    const kept = resourcesOf(usual, 'AWS::SQS::Queue').map(([, queue]) => [
      queue.RedrivePolicy === undefined,
      Number(queue.MessageRetentionPeriod) * 1_000,
    ]);

    expect(kept).toEqual([
      [true, STACK_LIMITS.deadRetentionMs],
      [false, STACK_LIMITS.hintRetentionMs],
      [true, STACK_LIMITS.deadRetentionMs],
      [false, STACK_LIMITS.interruptionRetentionMs],
    ]);
  });

  it('feeds both functions by batches, two at a time, and takes back what failed', () => {
    const mappings = resourcesOf(usual, 'AWS::Lambda::EventSourceMapping').map(([, each]) => each);
    const { batchSize, interruptionBatch, maximumConcurrency } = STACK_LIMITS;
    const both = {
      ScalingConfig: { MaximumConcurrency: maximumConcurrency },
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    };

    expect(mappings).toMatchObject([
      { ...both, BatchSize: batchSize },
      {
        ...both,
        BatchSize: interruptionBatch.batchSize,
        MaximumBatchingWindowInSeconds: interruptionBatch.windowMs / 1_000,
      },
    ]);
  });

  it('listens to what the embedded world announces, and to the same of it', () => {
    const patterns = resourcesOf(usual, 'AWS::Events::Rule').map(([, rule]) => rule.EventPattern);

    expect(patterns.map((each) => JSON.stringify(each)).toSorted()).toEqual(
      STACK_RULES.map(([, source, type, detail]) =>
        JSON.stringify({
          source: [source],
          'detail-type': [type],
          ...(Object.keys(detail).length > 0 && { detail }),
        }),
      ).toSorted(),
    );
  });

  it('wakes the functions as often as the embedded world does', () => {
    const expressions = resourcesOf(usual, 'AWS::Scheduler::Schedule').map(
      ([, schedule]) => schedule.ScheduleExpression,
    );

    expect(expressions).toEqual(Object.values(SCHEDULES));
  });

  it('consolidates within windows, each in its time zone', () => {
    const { template } = joineryStack({
      consolidateSchedules: [
        { expression: 'cron(0/5 2-5 ? * SAT *)', timeZone: 'Europe/Berlin' },
        { expression: 'cron(0/5 22-23 ? * MON-FRI *)', timeZone: 'Asia/Tokyo' },
      ],
    });

    for (const [expression, zone] of [
      ['cron(0/5 2-5 ? * SAT *)', 'Europe/Berlin'],
      ['cron(0/5 22-23 ? * MON-FRI *)', 'Asia/Tokyo'],
    ]) {
      template.hasResourceProperties('AWS::Scheduler::Schedule', {
        ScheduleExpression: expression,
        ScheduleExpressionTimezone: zone,
      });
    }
    template.resourceCountIs('AWS::Scheduler::Schedule', 4);
  });

  it('throttles the door that an HTTP API is', () => {
    usual.hasResourceProperties('AWS::ApiGatewayV2::Route', { RouteKey: `POST /${WEBHOOK_PATH}` });
    usual.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      DefaultRouteSettings: { ThrottlingRateLimit: 50, ThrottlingBurstLimit: 100 },
    });
    usual.resourceCountIs('AWS::Lambda::Url', 0);
  });

  it('opens a function URL to everybody, by both permissions, and no API', () => {
    const { template } = joineryStack({ door: 'function-url' });

    template.resourceCountIs('AWS::ApiGatewayV2::Api', 0);
    template.hasResourceProperties('AWS::Lambda::Url', { AuthType: 'NONE' });
    for (const Action of ['lambda:InvokeFunctionUrl', 'lambda:InvokeFunction']) {
      template.hasResourceProperties('AWS::Lambda::Permission', { Action, Principal: '*' });
    }
  });

  it('needs no path where it has no door, and then lets nobody in', () => {
    const { joinery, template } = joineryStack({ door: 'none', webhookPath: '' });

    expect(joinery.webhookUrl).toBeUndefined();
    template.resourceCountIs('AWS::Lambda::Permission', 0);
  });

  it('runs in the VPC it is given, except who answers the webhook', () => {
    const { template } = joineryStack({
      vpc: { subnetIds: ['subnet-0123456789abcdef0'], securityGroupIds: ['sg-0123456789abcdef0'] },
    });
    const inVpc = resourcesOf(template, FUNCTION).filter(([, { VpcConfig }]) => VpcConfig);

    expect(inVpc.map(([, { VpcConfig }]) => VpcConfig)).toEqual(
      Array.from({ length: 4 }, () => ({
        SubnetIds: ['subnet-0123456789abcdef0'],
        SecurityGroupIds: ['sg-0123456789abcdef0'],
      })),
    );
    expect(inVpc.filter(([id]) => /admit/i.test(id))).toEqual([]);
  });

  it('takes the role that nodes have, and may pass no other', () => {
    const { template } = joineryStack({ nodeRoleName: 'nodes' });
    const passing = JSON.stringify(template.findResources('AWS::IAM::ManagedPolicy'));

    template.resourceCountIs('AWS::IAM::InstanceProfile', 0);
    template.resourceCountIs('AWS::EKS::AccessEntry', 4);
    expect(passing).toMatch(/"PassTheNodeRole"/);
    expect(passing).toContain(':role/nodes"');
  });

  it('lets nodes and functions into the cluster, unless told that others do', () => {
    usual.resourceCountIs('AWS::EKS::AccessEntry', 5);
    usual.hasResourceProperties('AWS::EKS::AccessEntry', { Type: 'EC2_LINUX' });
    usual.hasResourceProperties('AWS::EKS::AccessEntry', {
      Type: 'STANDARD',
      KubernetesGroups: ['joinery'],
    });

    joineryStack({ createAccessEntries: false }).template.resourceCountIs(
      'AWS::EKS::AccessEntry',
      0,
    );
  });

  it('leaves behind, when the stack goes, what nodes that run on live by', () => {
    const kept = Object.values(usual.toJSON().Resources)
      .filter((each) => Object(each).DeletionPolicy)
      .map((each) => [Object(each).Type, Object(each).DeletionPolicy]);

    expect(kept).toEqual([
      ['AWS::IAM::Role', 'RetainExceptOnCreate'],
      ['AWS::IAM::InstanceProfile', 'RetainExceptOnCreate'],
      ['AWS::EKS::AccessEntry', 'RetainExceptOnCreate'],
    ]);
  });

  it('makes the role of spot, tells an address of alarms and passes settings on when asked', () => {
    usual.resourceCountIs('AWS::IAM::ServiceLinkedRole', 0);
    usual.resourceCountIs('AWS::SNS::Subscription', 0);
    const { template } = joineryStack({
      createSpotServiceLinkedRole: true,
      alarmEmail: 'ops@example.com',
      settings: { JOINERY_PREFERENCE_POLICY: 'Ignore' },
      memoryMegabytes: { provision: 3_008 },
    });

    template.resourceCountIs('AWS::IAM::ServiceLinkedRole', 1);
    template.hasResourceProperties('AWS::SNS::Subscription', { Endpoint: 'ops@example.com' });
    template.hasResourceProperties(FUNCTION, {
      MemorySize: 3_008,
      Environment: { Variables: { JOINERY_PREFERENCE_POLICY: 'Ignore' } },
    });
  });

  it.each([
    [{ webhookPath: 'short' }, /webhookPath is "short", which is not 24 letters and digits/],
    [{ webhookPath: '' }, /webhookPath is missing: .*, or choose door: 'none'/],
    [{ clusterName: '' }, /clusterName is missing/],
    [{ clusterName: 'a'.repeat(49) }, /clusterName is longer than 48 characters/],
    [{ vpc: { subnetIds: [], securityGroupIds: ['sg-0123456789abcdef0'] } }, /vpc needs subnetIds/],
    [{ consolidateSchedules: [] }, /consolidateSchedules are none/],
    [{ driftSchedule: { expression: 'hourly' } }, /driftSchedule.expression is "hourly"/],
    [{ alarmEmail: 'nobody' }, /alarmEmail is "nobody"/],
    [{ memoryMegabytes: { drift: 64 } }, /memoryMegabytes.drift is "64", .* number, 128 to 10240/],
    [{ settings: { JOINERY_PLACEMENT: 'guess' } }, /settings.JOINERY_PLACEMENT is "guess"/],
    [{ settings: { JOINERY_COLOUR: 'red' } }, /settings.JOINERY_COLOUR is none of the settings/],
    [{ bundles: '/nowhere' }, /are not built, there is no \/nowhere\/provision: npm run build/],
  ])('refuses %j', (props, because) => {
    expect(() => joineryStack(props)).toThrow(because);
  });

  it('believes what only the deployment knows', () => {
    const webhookPath = Fn.importValue('path');

    joineryStack({ webhookPath }).template.resourceCountIs('AWS::ApiGatewayV2::Route', 1);
  });

  it('tells the next step', () => {
    expect(outputsOf(usual).join()).toMatch(/joinery -- install --webhook-url .*WebhookUrl/);
    expect(outputsOf(joineryStack({ door: 'none' }).template).join()).toMatch(
      /joinery -- install {2}# no webhook/,
    );
  });
});

const outputsOf = (template: Template): readonly string[] =>
  Object.entries(template.findOutputs('*')).map(
    ([name, { Value }]) => `${name}: ${JSON.stringify(Value)}`,
  );
