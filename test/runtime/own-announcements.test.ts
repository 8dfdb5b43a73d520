import { describe, expect, it } from 'vitest';
import { typedCall } from '#lib/aws/calls/call.ts';
import { ownAnnouncements } from '#lib/runtime/own-announcements.ts';
import { aChangeTo, announcementBench, aWarningOf } from '#test/build/announcements.ts';

const message = (body: string, receives = 1, id = body) => ({ id, body, receives });
const idsOf = ({ ours }: Awaited<ReturnType<typeof ownAnnouncements>>) =>
  ours.map(({ instanceId }) => instanceId);

describe('ownAnnouncements', () => {
  it('takes what is said of instances that NodeClaims hold, and asks EC2 nothing for it', async () => {
    const { shell, questions } = announcementBench({ held: ['i-1', 'i-2'] });
    const found = await ownAnnouncements(shell, [message(aWarningOf('i-2'))]);

    expect(idsOf(found)).toEqual(['i-2']);
    expect(found.later).toEqual([]);
    expect(questions()).toEqual([]);
  });

  it('drops what is said of other clusters, by one question for all of a batch', async () => {
    const { shell, questions } = announcementBench({ foreign: ['i-7', 'i-8'] });
    const found = await ownAnnouncements(
      shell,
      ['i-8', 'i-7', 'i-9'].map((id) => message(aWarningOf(id))),
    );

    expect(found).toMatchObject({ ours: [], later: [] });
    expect(questions()).toEqual([['i-7', 'i-8', 'i-9']]);
  });

  it('asks EC2 nothing about instances that ended: there is nothing left to do for them', async () => {
    const { shell, questions } = announcementBench({ joining: ['i-5'] });
    const ended = ['stopping', 'shutting-down', 'terminated'].map((state) =>
      message(aChangeTo(state, 'i-5')),
    );

    expect(await ownAnnouncements(shell, ended)).toMatchObject({ ours: [], later: [] });
    expect(questions()).toEqual([]);
  });

  it('does not look again when the instance of a NodeClaim that goes has ended, as it was to', async () => {
    const { shell } = announcementBench({ going: ['i-1'], held: ['i-2'] });
    const batch = ['i-1', 'i-2'].map((id) => message(aChangeTo('terminated', id)));

    expect(idsOf(await ownAnnouncements(shell, batch))).toEqual(['i-2']);
    expect(idsOf(await ownAnnouncements(shell, [message(aWarningOf('i-1'))]))).toEqual(['i-1']);
  });

  it('knows by which messages an instance was announced', async () => {
    const { shell } = announcementBench({ held: ['i-1', 'i-2'] });
    const { toldBy } = await ownAnnouncements(shell, [
      message(aWarningOf('i-1'), 1, 'a'),
      message(aWarningOf('i-2'), 1, 'b'),
      message(aChangeTo('stopping', 'i-1'), 1, 'c'),
    ]);

    expect(toldBy('i-1')).toEqual(['a', 'c']);
  });

  it('has a message come back about an instance that no NodeClaim holds yet, three times at most', async () => {
    const { shell, warnings } = announcementBench({ joining: ['i-5'] });
    const laterAt = async (receives: number) =>
      (await ownAnnouncements(shell, [message(aWarningOf('i-5'), receives, 'm-1')])).later;

    expect(await laterAt(1)).toEqual(['m-1']);
    expect(await laterAt(2)).toEqual(['m-1']);
    expect(warnings).toEqual([]);
    expect(await laterAt(3)).toEqual([]);
    expect(warnings).toEqual([
      'announcements of instances that no NodeClaim came to hold were dropped',
    ]);
  });

  it('holds no message up for one that cannot be read, or has to come back', async () => {
    const { shell } = announcementBench({ held: ['i-1'], joining: ['i-5'] });
    const found = await ownAnnouncements(shell, [
      message('<xml/>'),
      message('{"version":"0"}'),
      message(aWarningOf('i-5'), 1, 'later'),
      message(aWarningOf('i-1')),
    ]);

    expect([idsOf(found), found.later]).toEqual([['i-1'], ['later']]);
  });

  it('holds nothing up where EC2 does not say whose another instance is: that comes back', async () => {
    const { shell } = announcementBench({ held: ['i-1'] });
    const errors: unknown[] = [];
    const throttled = {
      ...shell,
      aws: typedCall(async () => {
        throw Object.assign(new Error('slow down'), { name: 'RequestLimitExceeded' });
      }),
      log: { ...shell.log, error: (_text: string, told: unknown) => void errors.push(told) },
    };
    const found = await ownAnnouncements(throttled, [
      message(aWarningOf('i-8'), 9, 'unknown'),
      message(aWarningOf('i-1')),
    ]);

    expect([idsOf(found), found.later]).toEqual([['i-1'], ['unknown']]);
    expect(errors).toEqual([{ instances: ['i-8'], because: 'RequestLimitExceeded: slow down' }]);
  });

  it('looks at nothing for a batch that says nothing', async () => {
    const { shell, questions } = announcementBench({});
    const deaf = { ...shell, kube: () => Promise.reject(new Error('asked all the same')) };

    expect(await ownAnnouncements(deaf, [message('hello')])).toMatchObject({
      ours: [],
      later: [],
    });
    expect(questions()).toEqual([]);
  });
});
