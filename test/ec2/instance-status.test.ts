import { describe, expect, it } from 'vitest';
import { announcedBy, type InstanceHealth } from '#lib/ec2/instance-status.ts';
import { HOUR, MINUTE, NOON, SECOND } from '#test/build/objects.ts';

const health = (difference: Partial<InstanceHealth>): readonly InstanceHealth[] => [
  { instanceId: 'i-1', failed: [], events: [], ...difference },
];
const kindsOf = (difference: Partial<InstanceHealth>) =>
  announcedBy(health(difference), NOON).map(({ kind }) => kind);

describe('what EC2 says of the health of instances', () => {
  it.each([
    [119 * SECOND, []],
    [120 * SECOND, ['SystemImpaired']],
  ])('counts once a check has failed for two minutes, not after %d ms', (ms, kinds) => {
    expect(kindsOf({ failed: [{ of: 'system', since: NOON - ms }] })).toEqual(kinds);
  });

  it('counts a failed check at once where EC2 does not say since when', () => {
    expect(kindsOf({ failed: [{ of: 'instance' }] })).toEqual(['InstanceImpaired']);
  });

  it('announces the work that begins first', () => {
    const events = [
      { description: 'later', startsAt: NOON + 2 * HOUR },
      { description: 'first', startsAt: NOON + HOUR },
      { description: '[Completed] over', startsAt: NOON + MINUTE },
    ];

    expect(announcedBy(health({ events }), NOON)).toEqual([
      { kind: 'ScheduledEvent', instanceId: 'i-1', announcedAt: NOON, startsAt: NOON + HOUR },
    ]);
  });

  it('says that work is over where all of it is done or called off', () => {
    for (const description of ['[Completed] Reboot', '[Canceled] Reboot']) {
      const events = [
        { description, startsAt: NOON },
        { description, startsAt: NOON + HOUR },
      ];
      expect(announcedBy(health({ events }), NOON)).toMatchObject([
        { kind: 'ScheduledChangeOver', startsAt: NOON + HOUR },
      ]);
    }
  });
});
