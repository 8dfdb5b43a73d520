import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type StoriesArguments, storiesCommand } from '#lib/cli/stories/command.ts';

const folder = mkdtempSync(join(tmpdir(), 'joinery-stories-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function run(difference: Partial<StoriesArguments>) {
  const out: string[] = [];
  const err: string[] = [];
  const status = await storiesCommand(
    { words: [], seed: '1', files: [], output: 'text', ...difference },
    { out: (line) => out.push(line), err: (line) => err.push(line), isTerminal: false },
  );
  return { status, out, err };
}

describe('joinery stories', () => {
  it('lists the stories that play', async () => {
    const { status, out } = await run({ list: true });
    expect(status).toBe(0);
    expect(out[0]).toMatch(/^ 1 {2}inflate +Five pods come/);
    expect(out.join('\n')).toMatch(/\n13 {2}burst/);
  });

  it('prints the result of a story for a machine, and nothing else', async () => {
    const { status, out, err } = await run({ words: ['2'], output: 'json', seed: '7' });
    expect({ status, err }).toEqual({ status: 0, err: [] });
    expect(JSON.parse(out.join('\n'))).toMatchObject({
      story: 2,
      ok: true,
      nodes: [{ instanceType: 'r6gd.xlarge', zone: 'us-west-2a', pods: 3 }],
      pods: 3,
      virtualSeconds: expect.any(Number),
      calls: { CreateFleet: 1 },
    });
  });

  it('tells a story in fewer lines than a reader loses patience with', async () => {
    const { status, out } = await run({ words: ['inflate'] });
    expect(status).toBe(0);
    expect(out[0]).toBe('Story 1: inflate (us-east-1, seed 1)');
    expect(out.length).toBeLessThan(80);
    expect(out.join('\n')).toMatch(/5 of 5 pods run[\s\S]*Node .* is gone[\s\S]*At its peak/);
  });

  it('shows how far it is where a person waits for the answer of a machine', async () => {
    const shown: string[] = [];
    const out: string[] = [];
    const io = {
      out: (line: string) => out.push(line),
      err: () => undefined,
      isTerminal: true,
      progress: (line: string) => shown.push(line),
    };
    await storiesCommand({ words: ['4'], seed: '1', files: [], output: 'json' }, io);
    expect(shown[0]).toMatch(/^\+\d\d:\d\d\.\d played; /);
    expect(shown.at(-1)).toBe('');
    expect(JSON.parse(out.join('\n'))).toMatchObject({ ok: true });
  });

  it('takes the line of progress away before it tells more', async () => {
    const seen: string[] = [];
    const io = {
      out: (line: string) => seen.push(`out ${line}`),
      err: () => undefined,
      isTerminal: true,
      progress: (line: string) => seen.push(`progress ${line}`),
    };
    await storiesCommand({ words: ['4'], seed: '1', files: [], output: 'text' }, io);
    const shown = seen.findIndex((line) => line.startsWith('progress +'));
    expect(shown).toBeGreaterThan(0);
    const overwritten = seen.filter(
      (line, at) => line.startsWith('out ') && seen[at - 1]?.startsWith('progress +'),
    );
    expect(overwritten).toEqual([]);
  });

  it.each([
    ['a story that there is not', { words: ['99'] }, /There is no story "99": --list/],
    ['a seed that is no number', { seed: 'x' }, /--seed is "x": expected a whole number/],
    ['an empty seed', { seed: '' }, /--seed is ""/],
    ['a story and files', { words: ['3'], files: ['.'] }, /not both/],
  ])('gives 2 for %s', async (_what, args, sentence) => {
    const { status, out, err } = await run(args);
    expect({ status, out }).toEqual({ status: 2, out: [] });
    expect(err).toEqual([expect.stringMatching(sentence)]);
  });

  it.each([
    ['an empty file', '', /: the file is empty$/],
    ['a file that is not YAML', 'kind: [\n a: : b', /, document 1: it is not YAML: .*line 2/],
    ['a file without a NodePool', '{apiVersion: v1, kind: Pod}', /hold no NodePool/],
  ])('gives 1 for %s, and plays nothing', async (_what, text, sentence) => {
    const file = join(folder, `${text.length}.yaml`);
    writeFileSync(file, text);
    const { status, out, err } = await run({ files: [file] });
    expect({ status, out }).toEqual({ status: 1, out: [] });
    expect(err).toEqual([expect.stringMatching(sentence)]);
  });

  it('gives 1 when a check fails', async () => {
    const file = join(folder, 'unready.json');
    const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'absent' };
    const spec = { template: { spec: { nodeClassRef, requirements: [] } } };
    const items = [
      { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', metadata: { name: 'mine' }, spec },
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'web' },
        spec: { containers: [{ name: 'c', image: 'c' }] },
      },
    ];
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    const { status, out } = await run({ files: [file] });
    expect(status).toBe(1);
    expect(out.filter((line) => line.startsWith('FAILED'))).toEqual([
      expect.stringContaining('NodeClassNotFound'),
    ]);
  });
});
