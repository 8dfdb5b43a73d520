import { describe, expect, it } from 'vitest';
import { whoseInstances } from '#lib/observe/whose-instances.ts';
import { announcementBench } from '#test/build/announcements.ts';

describe('whoseInstances', () => {
  it('tells those that NodeClaims hold, those that join, and nobody’s', async () => {
    const { shell } = announcementBench({ held: ['i-1'], joining: ['i-5'], foreign: ['i-8'] });
    const ids = new Set(['i-1', 'i-5', 'i-8', 'i-9']);
    const { ours, joining } = await whoseInstances(shell, ids, ids);

    expect([[...ours], [...joining]]).toEqual([['i-1'], ['i-5']]);
  });

  it('asks EC2 only about the doubtful ones that no NodeClaim holds', async () => {
    const { shell, questions } = announcementBench({ held: ['i-1'] });
    await whoseInstances(shell, new Set(['i-1', 'i-2', 'i-3']), new Set(['i-1', 'i-3']));

    expect(questions()).toEqual([['i-3']]);
  });

  it('asks about a storm of strangers in few questions', async () => {
    const { shell, questions } = announcementBench({});
    const ids = new Set(Array.from({ length: 500 }, (_, at) => `i-${at}`));
    await whoseInstances(shell, ids, ids);

    expect(questions().map(({ length }) => length)).toEqual([200, 200, 100]);
  });

  it('fails where NodeClaims cannot be listed, so that no announcement is taken for a stranger’s', async () => {
    const { shell } = announcementBench({});
    const kube = async () => ({ status: 503, body: {} });

    await expect(whoseInstances({ ...shell, kube }, new Set(['i-1']), new Set())).rejects.toThrow();
  });
});
