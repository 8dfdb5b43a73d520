import type { Filter, InstanceStatus, InstanceStatusSummary } from '@aws-sdk/client-ec2';
import type { AwsCall } from '#lib/aws/calls/call.ts';
import type { InstanceHealth } from '#lib/ec2/instance-status.ts';
import { everyPage } from './pages.ts';

/**
 * What is asked for, one question each: the filters of one question must all hold, and EC2 knows
 * none by tags.
 *
 * Source: EC2 API, DescribeInstanceStatus, Filters, EventCode.
 */
const QUESTIONS: readonly Filter[] = [
  { Name: 'instance-status.status', Values: ['impaired'] },
  { Name: 'system-status.status', Values: ['impaired'] },
  {
    Name: 'event.code',
    Values: [
      'instance-reboot',
      'system-reboot',
      'system-maintenance',
      'instance-retirement',
      'instance-stop',
    ],
  },
];

/**
 * The running instances of the whole account that EC2 finds impaired or has work in mind for, each
 * once, in the order of its answers: three questions, hardly ever more than one page each.
 *
 * Source: karpenter AWS provider v1.14, providers/instancestatus, List.
 */
export async function listAilingInstances(call: AwsCall): Promise<readonly InstanceHealth[]> {
  const answers = await Promise.all(
    QUESTIONS.map((question) =>
      everyPage(
        (page) => call('DescribeInstanceStatus', { Filters: [question], ...page }),
        ({ InstanceStatuses }) => InstanceStatuses ?? [],
      ),
    ),
  );
  const health = answers.flat().flatMap(healthOf);
  return [...new Map(health.map((each) => [each.instanceId, each])).values()];
}

function healthOf(status: InstanceStatus): readonly InstanceHealth[] {
  const { InstanceId, InstanceStatus: instance, SystemStatus: system, Events = [] } = status;
  if (InstanceId === undefined) return [];
  const events = Events.map(({ Description = '', NotBefore }) => ({
    description: Description,
    ...(NotBefore && { startsAt: NotBefore.getTime() }),
  }));
  const failed = [...failedIn(system, 'system'), ...failedIn(instance, 'instance')];
  // A stand-in for EC2 may know none of these filters, and list those that are well.
  return failed.length + events.length === 0 ? [] : [{ instanceId: InstanceId, failed, events }];
}

const failedIn = (
  summary: InstanceStatusSummary | undefined,
  of: InstanceHealth['failed'][number]['of'],
): InstanceHealth['failed'] =>
  (summary?.Details ?? [])
    .filter(({ Status }) => Status === 'failed')
    .map(({ ImpairedSince }) => ({ of, ...(ImpairedSince && { since: ImpairedSince.getTime() }) }));
