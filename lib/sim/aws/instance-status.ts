import type { Instant } from '../clock.ts';
import type { Account, Ailment, Instance, Operations } from './account.ts';
import { describePage } from './describe.ts';
import type { Fields } from './request.ts';

/**
 * DescribeInstanceStatus: running instances with what ails them. Checks of what nobody made ill
 * pass from the first moment; the real ones take minutes to begin. Attached volumes are not checked.
 *
 * Source: EC2 API, DescribeInstanceStatus: instances that do not run are left out.
 */
export const instanceStatusOperations = (account: Account): Operations => ({
  DescribeInstanceStatus: (input) => describeInstanceStatus(account, input),
});

function describeInstanceStatus(account: Account, input: Fields): unknown {
  const { items, ...rest } = describePage(account.instances, input, (instance) =>
    instance.state === 'running' ? describableOf(account, instance) : undefined,
  );
  return { ...rest, InstanceStatuses: items.map((instance) => described(account, instance)) };
}

const ailmentOf = (account: Account, { id }: Instance): Ailment => account.ailments.get(id) ?? {};

function describableOf(account: Account, instance: Instance) {
  const { systemSince, instanceSince, events = [] } = ailmentOf(account, instance);
  return {
    values: {
      'availability-zone': [instance.zone],
      'event.code': events.map(({ code }) => code),
      'instance-state-name': [instance.state],
      'instance-status.status': [statusSince(instanceSince)],
      'system-status.status': [statusSince(systemSince)],
    },
    tags: {},
  };
}

const statusSince = (since: Instant | undefined): string =>
  since === undefined ? 'ok' : 'impaired';

function described(account: Account, instance: Instance): unknown {
  const { systemSince, instanceSince, events = [] } = ailmentOf(account, instance);
  return {
    AvailabilityZone: instance.zone,
    InstanceId: instance.id,
    InstanceState: { Code: 16, Name: 'running' },
    InstanceStatus: summary(instanceSince),
    SystemStatus: summary(systemSince),
    Events: events.map(({ code, description, startsAt }) => ({
      Code: code,
      Description: description,
      NotBefore: new Date(startsAt),
    })),
  };
}

const summary = (since: Instant | undefined): unknown => ({
  Status: statusSince(since),
  Details: [
    since === undefined
      ? { Name: 'reachability', Status: 'passed' }
      : { Name: 'reachability', Status: 'failed', ImpairedSince: new Date(since) },
  ],
});
