import { describe, expect, it } from 'vitest';
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

    expect(found).toEqual({ ours: [], later: [] });
    expect(questions()).toEqual([['i-7', 'i-8', 'i-9']]);
  });

  it('asks EC2 nothing about instances that ended: there is nothing left to do for them', async () => {
    const { shell, questions } = announcementBench({ joining: ['i-5'] });
    const ended = ['stopping', 'shutting-down', 'terminated'].map((state) =>
      message(aChangeTo(state, 'i-5')),
    );

    expect(await ownAnnouncements(shell, ended)).toEqual({ ours: [], later: [] });
    expect(questions()).toEqual([]);
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

  it('looks at nothing for a batch that says nothing', async () => {
    const { shell, questions } = announcementBench({});
    const deaf = { ...shell, kube: () => Promise.reject(new Error('asked all the same')) };

    expect(await ownAnnouncements(deaf, [message('hello')])).toEqual({ ours: [], later: [] });
    expect(questions()).toEqual([]);
  });
});
