import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readInterruptions } from '#lib/triggers/interruption-message.ts';

const NOW = 1_795_176_000_000;
const event = (source: string, type: string, detail: unknown, version = '0') =>
  JSON.stringify({
    version,
    source,
    'detail-type': type,
    time: '2026-11-20T12:00:00Z',
    detail,
  });
const state = (value: string) =>
  event('aws.ec2', 'EC2 Instance State-change Notification', {
    'instance-id': 'i-1',
    state: value,
  });

const work = (difference: Readonly<Record<string, unknown>> = {}) =>
  event('aws.health', 'AWS Health Event', {
    service: 'EC2',
    eventTypeCategory: 'scheduledChange',
    statusCode: 'upcoming',
    startTime: 'Tue, 1 Dec 2026 03:00:00 GMT',
    affectedEntities: [{ entityValue: 'i-1' }],
    ...difference,
  });

describe('readInterruptions', () => {
  it.each([
    [
      'SpotInterruption',
      event('aws.ec2', 'EC2 Spot Instance Interruption Warning', { 'instance-id': 'i-1' }),
    ],
    [
      'RebalanceRecommendation',
      event('aws.ec2', 'EC2 Instance Rebalance Recommendation', { 'instance-id': 'i-1' }),
    ],
    ['InstanceStopping', state('stopping')],
    ['InstanceTerminated', state('shutting-down')],
    [
      'ScheduledChange',
      event('aws.health', 'AWS Health Event', {
        service: 'EC2',
        eventTypeCategory: 'scheduledChange',
        affectedEntities: [{ entityValue: 'i-1' }],
      }),
    ],
  ])('reads a %s', (kind, body) => {
    expect(readInterruptions(body, NOW)).toEqual([
      { kind, instanceId: 'i-1', announcedAt: Date.parse('2026-11-20T12:00:00Z') },
    ]);
  });

  it.each([
    ['an instance that starts', state('running')],
    ['another version', event('aws.ec2', 'EC2 Spot Instance Interruption Warning', {}, '1')],
    ['another source', event('aws.s3', 'Object Created', { 'instance-id': 'i-1' })],
    [
      'a warning that names no instance',
      event('aws.ec2', 'EC2 Spot Instance Interruption Warning', {}),
    ],
    [
      'a health event of another service',
      event('aws.health', 'AWS Health Event', { service: 'RDS' }),
    ],
    ['what is not JSON', '<xml/>'],
  ])('finds nothing in %s', (_what, body) => {
    expect(readInterruptions(body, NOW)).toEqual([]);
  });

  it('reads that EC2 takes an interruptible reservation back', () => {
    const body = event('aws.ec2', 'EC2 Capacity Reservation Instance Interruption Warning', {
      'instance-id': 'i-1',
    });

    expect(readInterruptions(body, NOW)).toMatchObject([
      { kind: 'CapacityReservationInterruption', instanceId: 'i-1' },
    ]);
  });

  it('reads when scheduled work begins, for every machine that it names', () => {
    const body = work({ affectedEntities: [{ entityValue: 'i-1' }, null, { entityValue: 'i-2' }] });

    expect(readInterruptions(body, NOW)).toMatchObject([
      { kind: 'ScheduledChange', instanceId: 'i-1', startsAt: Date.UTC(2026, 11, 1, 3) },
      { kind: 'ScheduledChange', instanceId: 'i-2', startsAt: Date.UTC(2026, 11, 1, 3) },
    ]);
  });

  it('takes work of which no time is told for work that may begin now', () => {
    expect(readInterruptions(work({ startTime: 'soon' }), NOW)[0]).not.toHaveProperty('startsAt');
  });

  it.each([
    ['the whole event is closed', { statusCode: 'closed' }],
    ['one machine is done', { affectedEntities: [{ entityValue: 'i-1', status: 'RESOLVED' }] }],
  ])('hears that work is over: %s', (_what, difference) => {
    expect(readInterruptions(work(difference), NOW)).toEqual([
      expect.objectContaining({ kind: 'ScheduledChangeOver', instanceId: 'i-1' }),
    ]);
  });

  it('takes the present for the time of an event that tells none', () => {
    const body = event('aws.ec2', 'EC2 Spot Instance Interruption Warning', {
      'instance-id': 'i-1',
    }).replace('2026-11-20T12:00:00Z', 'someday');

    expect(readInterruptions(body, NOW)[0]?.announcedAt).toBe(NOW);
  });

  it('reads the sample that comes with the project', () => {
    const sample = readFileSync(new URL('../../events/spot-warning.json', import.meta.url), 'utf8');

    expect(readInterruptions(sample, NOW)).toMatchObject([
      { kind: 'SpotInterruption', instanceId: 'i-0123456789abcdef0' },
    ]);
  });
});
