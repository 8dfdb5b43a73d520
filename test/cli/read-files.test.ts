import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readFiles } from '#lib/cli/read-files.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'joinery-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const pod = (name: string) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name } });
const podYaml = (name: string) => `apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\n`;

async function namesIn(...paths: readonly string[]) {
  const { documents, problems } = await readFiles(paths);
  expect(problems).toEqual([]);
  return documents.map(({ document, object }) => `${document} ${JSON.stringify(object)}`);
}

async function problemsIn(path: string) {
  const { problems } = await readFiles([path]);
  return problems.map(({ document, problem }) => `${document ?? '-'} ${problem}`);
}

describe('readFiles', () => {
  it.each([
    ['a.yaml', podYaml('a')],
    ['a.yml', `# a pod\n%YAML 1.2\n---\n${podYaml('a')}---\n`],
    ['a.json', JSON.stringify(pod('a'))],
    ['a.yaml', JSON.stringify(pod('a'))],
    ['a.json.gz', gzipSync(JSON.stringify(pod('a')))],
    ['a.yaml.gz', gzipSync(podYaml('a'))],
  ])('reads %s', async (name, content) => {
    expect(await namesIn(write(name, content))).toEqual([`1 ${JSON.stringify(pod('a'))}`]);
  });

  it('counts the documents of a file, empty ones too', async () => {
    const path = write('a.yaml', `${podYaml('a')}---\n# nothing\n--- # next\n${podYaml('c')}`);

    expect(await namesIn(path)).toEqual([
      `1 ${JSON.stringify(pod('a'))}`,
      `3 ${JSON.stringify(pod('c'))}`,
    ]);
  });

  it('does not take dashes within a text for the end of a document', async () => {
    const script = 'data:\n  run: |\n    ---\n    echo\n';
    const path = write('a.yaml', `apiVersion: v1\nkind: ConfigMap\n${script}`);

    expect((await readFiles([path])).documents).toMatchObject([
      { object: { data: { run: '---\necho\n' } } },
    ]);
  });

  it('unfolds Lists, and tells items what they are where they leave it to the List', async () => {
    const list = {
      apiVersion: 'v1',
      kind: 'List',
      items: [
        pod('a'),
        { kind: 'PodList', apiVersion: 'v1', items: [{ metadata: { name: 'b' } }] },
      ],
    };

    expect(await namesIn(write('a.json', JSON.stringify(list)))).toEqual(
      ['a', 'b'].map((name) => `1 ${JSON.stringify(pod(name))}`),
    );
  });

  it('reads the manifests of a folder by name, and not those of folders in it', async () => {
    write('b.yaml', podYaml('b'));
    write('a.json', JSON.stringify(pod('a')));
    write('notes.txt', 'not a manifest');
    mkdirSync(join(folder, 'c'));
    write('c/c.yaml', podYaml('c'));

    expect(await namesIn(folder)).toEqual(
      ['a', 'b'].map((name) => `1 ${JSON.stringify(pod(name))}`),
    );
  });

  it.each([
    ['0 bytes', '', '- the file is empty'],
    ['only comments', '# later\n', '- the file holds no object'],
    [
      'a sentence',
      'hello world',
      '1 found the string "hello world", expected an object of Kubernetes',
    ],
    ['an object without kind', 'a: 1', '1 the object says no kind'],
    ['an object without apiVersion', 'kind: Pod', '1 the Pod says no apiVersion'],
    [
      'what is not YAML',
      'a: 1\nb: [1\nc: 2\n',
      '1 it is not YAML: Flow sequence in block collection must be sufficiently indented and end with a ] (line 3, column 1)',
    ],
    [
      'a bad second document',
      `${podYaml('a')}---\na: {\n`,
      '2 it is not YAML: Flow map in block collection must be sufficiently indented and end with a } (line 7, column 1)',
    ],
    [
      'one name for several things',
      'a: 1\na: 2\n',
      '1 it is not YAML: Map keys must be unique (line 2, column 1)',
    ],
  ])('has a sentence for %s', async (_what, content, problem) => {
    expect(await problemsIn(write('a.yaml', content))).toEqual([problem]);
  });

  it('has a sentence for a JSON file that is cut off', async () => {
    expect(await problemsIn(write('a.json', '{"kind": "Pod"'))).toEqual([
      expect.stringMatching(/^- it is not JSON: /),
    ]);
  });

  it('has a sentence for a path that leads nowhere, and for an empty folder', async () => {
    expect(await problemsIn(join(folder, 'none'))).toEqual(['- there is no such file or folder']);
    expect(await problemsIn(folder)).toEqual([
      '- the folder holds no .yaml, .yml or .json file (or .gz of one)',
    ]);
  });

  it('reads what can be read beside what cannot', async () => {
    const { documents, problems } = await readFiles([
      write('a.yaml', `a: [\n---\n${podYaml('b')}`),
    ]);

    expect(documents).toMatchObject([{ document: 2, object: pod('b') }]);
    expect(problems).toMatchObject([{ document: 1 }]);
  });

  it('refuses one YAML document of 20 MB at once, rather than running out of memory', async () => {
    const path = write(
      'a.yaml',
      `${podYaml('a')}  annotations:\n    x: ${'y'.repeat(20_000_000)}\n`,
    );

    expect(await problemsIn(path)).toEqual([
      '1 the document is 21 MB of YAML, which is more than the 5 MB that are read; write it as JSON, or divide it',
    ]);
  });

  it('is not blown up by aliases of aliases', async () => {
    const nest = Array.from(
      { length: 9 },
      (_, at) => `a${at + 1}: &a${at + 1} [${Array(9).fill(`*a${at}`).join(', ')}]`,
    );
    const path = write('a.yaml', `a0: &a0 x\n${nest.join('\n')}\n`);

    expect(await problemsIn(path)).toEqual([
      '1 it is not YAML: Excessive alias count indicates a resource exhaustion attack',
    ]);
  });
});
