import { describe, expect, it } from 'vitest';
import { createNarrator } from '#lib/cli/stories/narrate.ts';
import type { Entry } from '#lib/sim/journal.ts';

const entry = (
  second: number,
  source: Entry['source'],
  text: string,
  said?: readonly string[],
): Entry => ({ at: second * 1_000, source, text, ...(said ? { fields: { said } } : {}) });

function narrated(entries: readonly Entry[], isTerminal = false): readonly string[] {
  const lines: string[] = [];
  const narrator = createNarrator({ out: (line) => lines.push(line), isTerminal }, 0);
  for (const each of entries) narrator.tell(each);
  narrator.finish();
  return lines;
}

const waits = (second: number, pod: string) =>
  entry(second, 'scheduler', `default/${pod} fits nowhere: no nodes available`);
const asks = (second: number, pod: string) =>
  entry(second, 'lambda', `admit starts (webhook: Event default/${pod}.18e9bf14f5351080 added)`);
const WOKEN = 'woken by 1 hint; saw 2 pods without a node';

describe('the timeline of a story', () => {
  it('says when, who and what', () => {
    expect(narrated([entry(83.4, 'user', 'scales Deployment web to 5')])).toEqual([
      '+01:23.4  user        scales Deployment web to 5',
    ]);
  });

  it('tells two of a kind in a scene and counts the others, though kinds alternate', () => {
    const pods = ['web-1', 'web-2', 'web-3', 'web-4'];
    expect(narrated(pods.flatMap((pod) => [waits(1, pod), asks(1, pod)]))).toEqual([
      '+00:01.0  scheduler   default/web-1 fits nowhere: no nodes available',
      '+00:01.0  webhook     Event of default/web-1 added: asks for a look',
      '+00:01.0  scheduler   default/web-2 fits nowhere: no nodes available',
      '+00:01.0  webhook     Event of default/web-2 added: asks for a look',
      '                       … and 2 more from scheduler, 2 more from webhook',
    ]);
  });

  it('begins a new scene with what a user does, and with what a function decides', () => {
    const pods = ['web-1', 'web-2', 'web-3'].map((pod) => waits(1, pod));
    const turn = entry(2, 'joinery', 'provision: acted', [WOKEN, 'refused default/a: too large']);
    expect(narrated([...pods, turn, waits(3, 'web-4'), entry(4, 'user', 'goes')])).toEqual([
      '+00:01.0  scheduler   default/web-1 fits nowhere: no nodes available',
      '+00:01.0  scheduler   default/web-2 fits nowhere: no nodes available',
      '                       … and 1 more from scheduler',
      '+00:02.0  joinery     provision: acted',
      `                       ${WOKEN}`,
      '                       refused default/a: too large',
      '+00:03.0  scheduler   default/web-4 fits nowhere: no nodes available',
      '+00:04.0  user        goes',
    ]);
  });

  it('ends a scene that lasts, so that a reader sees that time goes by', () => {
    const seconds = [1, 2, 3, 40, 41, 42];
    const lines = narrated(seconds.map((second) => waits(second, `web-${second}`)));
    expect(lines).toHaveLength(6);
    expect(lines[2]).toContain('1 more from scheduler');
  });

  it('counts looks that found nothing, and those that only brought statuses up to date', () => {
    expect(
      narrated([
        entry(1, 'joinery', 'provision: nothing to do', [WOKEN, 'looks again in 5 s']),
        entry(2, 'joinery', 'provision: acted', [WOKEN, 'did update × 2, updateStatus × 3']),
        entry(3, 'joinery', 'consolidate: held by another'),
        entry(4, 'user', 'goes'),
      ]),
    ).toEqual(['                       … and 2 looks with no news', '+00:04.0  user        goes']);
  });

  it('tells in one line what a look did that decided nothing', () => {
    expect(
      narrated([entry(1, 'joinery', 'provision: acted', [WOKEN, 'did evict, update'])]),
    ).toEqual(['+00:01.0  joinery     provision: did evict, update']);
  });

  it('does not say again what the function said in its turn before', () => {
    const refused = 'refused default/a: too large';
    const did = 'did recordEvent';
    const lines = narrated([
      entry(1, 'joinery', 'provision: acted', [WOKEN, refused, did]),
      entry(61, 'joinery', 'provision: acted', [WOKEN, refused, did]),
      entry(121, 'joinery', 'provision: acted', [
        WOKEN,
        refused,
        'refused default/b: too old',
        did,
      ]),
    ]);
    expect(lines.filter((line) => line.includes(refused))).toHaveLength(1);
    expect(lines).toContain('                       … and 1 look with no news');
    expect(lines.filter((line) => line.includes('too old'))).toHaveLength(1);
  });

  it('leaves out what Lambda does when all goes well, and tells what goes wrong', () => {
    expect(
      narrated([
        entry(1, 'lambda', 'provision starts (schedule)'),
        entry(1, 'lambda', 'admit starts (webhook: Node a modified)'),
        entry(2, 'lambda', 'provision returned'),
        entry(3, 'lambda', 'provision timed out after 60 s'),
      ]),
    ).toEqual(['+00:03.0  lambda      provision timed out after 60 s']);
  });

  it('uses colours on a terminal only', () => {
    const turn = entry(1, 'joinery', 'provision: acted', [WOKEN, 'removes a: Empty']);
    expect(narrated([turn]).join('')).not.toContain('\u001b');
    expect(narrated([turn], true).join('')).toContain('\u001b');
  });
});
