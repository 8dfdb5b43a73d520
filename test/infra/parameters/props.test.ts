import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { propsOf } from '#infra/parameters/props.ts';
import { ALL_PARAMETERS } from '#infra/parameters/table.ts';
import { joineryStack, resourcesOf, WEBHOOK_PATH } from '#test/build/joinery-stack.ts';

const NEEDED = { ClusterName: 'shop', WebhookPath: WEBHOOK_PATH };

describe('parameters by name, as the CDK app takes them', () => {
  it('make, where only the needed ones are given, what the construct makes by itself', () => {
    const { template } = joineryStack(propsOf(NEEDED));

    expect(template.toJSON()).toEqual(joineryStack().template.toJSON());
  });

  it('are those of the SAM template, every one', () => {
    const template = readFileSync('infra/template.yaml', 'utf8');

    for (const { name } of ALL_PARAMETERS) expect(template).toContain(`\n  ${name}:\n    Type:`);
  });

  it('reach what is deployed', () => {
    const { template } = joineryStack(
      propsOf({
        ...NEEDED,
        WebhookDoor: 'function-url',
        SubnetIds: 'subnet-0123456789abcdef0,subnet-0123456789abcdef1',
        SecurityGroupIds: 'sg-0123456789abcdef0',
        NodeRoleName: 'nodes',
        CreateAccessEntries: 'false',
        CreateSpotServiceLinkedRole: 'true',
        AlarmEmail: 'ops@example.com',
        ConsolidateSchedule: 'cron(0/5 2-5 ? * SAT *)',
        ConsolidateTimeZone: 'Europe/Berlin',
        DriftSchedule: 'rate(1 hour)',
        NodesAlarm: 7,
        ProvisionMemory: 3008,
        LogRetentionDays: '3',
        FeatureGates: 'NodeRepair=true',
      }),
    );

    template.resourceCountIs('AWS::Lambda::Url', 1);
    template.resourceCountIs('AWS::IAM::InstanceProfile', 0);
    template.resourceCountIs('AWS::EKS::AccessEntry', 0);
    template.resourceCountIs('AWS::IAM::ServiceLinkedRole', 1);
    template.hasResourceProperties('AWS::SNS::Subscription', { Endpoint: 'ops@example.com' });
    template.hasResourceProperties('AWS::CloudWatch::Alarm', { Threshold: 7 });
    template.hasResourceProperties('AWS::Logs::LogGroup', { RetentionInDays: 3 });
    template.hasResourceProperties('AWS::Lambda::Function', {
      MemorySize: 3008,
      Environment: { Variables: { JOINERY_FEATURE_GATES: 'NodeRepair=true' } },
      VpcConfig: { SubnetIds: ['subnet-0123456789abcdef0', 'subnet-0123456789abcdef1'] },
    });
    const schedules = resourcesOf(template, 'AWS::Scheduler::Schedule').map(([, each]) => [
      each.ScheduleExpression,
      each.ScheduleExpressionTimezone,
    ]);
    expect(schedules).toEqual([
      ['rate(1 minute)', 'UTC'],
      ['cron(0/5 2-5 ? * SAT *)', 'Europe/Berlin'],
      ['rate(1 hour)', 'UTC'],
    ]);
  });

  it.each([
    [{ ClusterName: '' }, 'ClusterName is missing: give the name of an EKS cluster'],
    [{ WebhookPath: '' }, 'WebhookPath is missing: .*, or choose WebhookDoor=none'],
    [{ WebhookPath: 'short' }, 'WebhookPath is "short", which is not 24 letters'],
    [{ WebhookDoor: 'window' }, 'WebhookDoor is "window", which is not one of http-api'],
    [{ SubnetIds: 'subnet-01234567, subnet-1' }, 'SubnetIds is ".*", which is not ids of subnets'],
    [{ SubnetIds: 'subnet-01234567' }, 'SubnetIds and SecurityGroupIds go together'],
    [{ ConsolidateSchedule: 'every minute' }, 'ConsolidateSchedule is "every minute"'],
    [{ DriftTimeZone: 'Mars/Olympus' }, 'DriftTimeZone is "Mars/Olympus": there is no such'],
    [{ ProvisionMemory: 64 }, 'ProvisionMemory is "64", which is not a number, 128 to 10240'],
    [{ NodesAlarm: 'many' }, 'NodesAlarm is "many", which is not a number, 0 or more'],
    [{ FeatureGates: 'NodeRepair=maybe' }, 'FeatureGates is "NodeRepair=maybe": '],
    [{ clustername: 'shop' }, 'there is no parameter clustername: ClusterName is meant'],
    [{ SubnetIDs: 'x' }, 'there is no parameter SubnetIDs: SubnetIds is meant'],
    [{ Colour: 'red' }, 'there is no parameter Colour'],
  ])('are refused with a sentence: %j', (given, because) => {
    expect(() => propsOf({ ...NEEDED, ...given })).toThrow(new RegExp(because));
  });

  it('are refused together, with where they are explained', () => {
    expect(() => propsOf({ WebhookDoor: 'none', NodesAlarm: '-1' })).toThrow(
      /ClusterName is missing.*\nNodesAlarm is "-1".*\ninfra\/PARAMETERS.md/,
    );
  });

  it("leave CDK's own context alone", () => {
    const own = { 'aws:cdk:enable-path-metadata': true, '@aws-cdk/core:x': true };

    expect(propsOf({ ...own, ...NEEDED, WebhookDoor: 'none', WebhookPath: '' })).toMatchObject({
      clusterName: 'shop',
      door: 'none',
    });
  });
});
