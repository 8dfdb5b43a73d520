import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { validateCommand } from '#lib/cli/validate.ts';

const folder = mkdtempSync(join(tmpdir(), 'joinery-validate-'));
afterAll(() => rmSync(folder, { recursive: true }));

let written = 0;
/** A file with this text, or with these objects as YAML documents. */
function aFile(content: string | readonly object[]): string {
  written += 1;
  const file = join(folder, `${written}.yaml`);
  const text =
    typeof content === 'string' ? content : content.map((o) => stringify(o)).join('---\n');
  writeFileSync(file, text);
  return file;
}

async function validated(files: readonly string[], output: 'json' | 'text' = 'text') {
  const out: string[] = [];
  const err: string[] = [];
  const status = await validateCommand(
    { files, output },
    { out: (line) => out.push(line), err: (line) => err.push(line) },
  );
  return { status, out, err };
}

const NODE_CLASS_REF = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
const aPool = (name: string, spec: object = {}, more: object = {}) => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name },
  spec: {
    template: { spec: { nodeClassRef: NODE_CLASS_REF, requirements: [], ...spec } },
    ...more,
  },
});

describe('joinery validate', () => {
  test('accepts what an API server accepts', async () => {
    const file = aFile([aPool('good')]);
    expect(await validated([file])).toEqual({
      status: 0,
      out: [`${file}, document 1: NodePool good: accepted`, '1 accepted, 0 refused'],
      err: [],
    });
  });

  test('says what is wrong, where, and in which document', async () => {
    const taints = [{ key: 'a', effect: 'Never' }];
    const file = aFile([aPool('good'), aPool('bad', { taints })]);
    expect(await validated([file])).toEqual({
      status: 1,
      out: [
        `${file}, document 1: NodePool good: accepted`,
        `${file}, document 2: NodePool bad: refused`,
        '  spec.template.spec.taints[0].effect: Unsupported value: "Never": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
        '1 accepted, 1 refused',
      ],
      err: [],
    });
  });

  test('says the same to machines', async () => {
    const requirements = [{ key: 'team', operator: 'In', values: [] }];
    const file = aFile([aPool('bad', { requirements })]);
    const { out, status } = await validated([file], 'json');
    expect(status).toBe(1);
    expect(JSON.parse(out.join('\n'))).toEqual([
      {
        kind: 'NodePool',
        name: 'bad',
        file,
        document: 1,
        ok: false,
        errors: [
          {
            path: 'spec.template.spec.requirements',
            message: "Invalid value: requirements with operator 'In' must have a value defined",
          },
        ],
      },
    ]);
  });

  test('unfolds a List', async () => {
    const list = { apiVersion: 'v1', kind: 'List', items: [aPool('one'), aPool('two')] };
    expect((await validated([aFile([list])])).out.at(-1)).toBe('2 accepted, 0 refused');
  });

  test('refuses a NodePool that the API server takes and the controller does not', async () => {
    const taint = { key: 'a', effect: 'NoSchedule' };
    const file = aFile([aPool('twice', { taints: [taint], startupTaints: [taint] })]);
    const { out, status } = await validated([file], 'json');
    expect(status).toBe(1);
    expect(JSON.parse(out.join('\n'))[0].errors).toEqual([
      { path: '', message: expect.stringContaining('duplicate taint') },
    ]);
  });

  test('refuses a version that is not there', async () => {
    const old = { ...aPool('old'), apiVersion: 'karpenter.sh/v1beta1' };
    const { out } = await validated([aFile([old])]);
    expect(out[1]).toBe(
      '  apiVersion: no matches for kind "NodePool" in version "karpenter.sh/v1beta1"',
    );
  });

  test('refuses an object without a name', async () => {
    const { out, status } = await validated([aFile([{ ...aPool(''), metadata: {} }])]);
    expect(status).toBe(1);
    expect(out[1]).toBe('  metadata.name: Required value: name or generateName is required');
  });

  test('warns of what is dropped, of names to be completed and of what is left out', async () => {
    const file = aFile([aPool('Prefix', { colour: 'red' }, { limits: { cpu: '-1' } })]);
    const { err, status } = await validated([file]);
    expect(status).toBe(0);
    const start = `warning: ${file}, document 1: NodePool Prefix: `;
    expect(err).toEqual([
      `${start}spec.template.spec.colour is not a known field and would be dropped`,
      expect.stringContaining(`${start}metadata.name: Invalid value: "Prefix": a lowercase RFC`),
      expect.stringContaining(`${start}Joinery leaves it out: spec.limits[cpu]: found "-1"`),
    ]);
  });

  test('warns of budgets, windows and times that mean nothing, which an API server takes', async () => {
    const pool = aPool(
      'odd',
      {},
      {
        disruption: { budgets: [{ nodes: '1', schedule: '0 0 31 2 *', duration: '1h' }] },
      },
    );
    const annotations = {
      'joinery.dev/disruption-windows': '- schedule: * 2 * * *',
      'joinery.dev/replace-before-expiry': 'soon',
    };
    const file = aFile([{ ...pool, metadata: { name: 'odd', annotations } }]);
    const { err, status } = await validated([file]);

    expect(status).toBe(0);
    expect(err).toEqual([
      expect.stringContaining('budget 1 cannot be followed: schedule "0 0 31 2 *": it never fires'),
      expect.stringContaining('replace-before-expiry: expected a time such as 24h, found "soon"'),
      expect.stringContaining('Disruption windows of NodePool "odd" cannot be read'),
    ]);
  });

  test('counts the kinds that it does not look at', async () => {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } };
    const { err, status } = await validated([aFile([pod, pod, aPool('good')])]);
    expect(status).toBe(0);
    expect(err).toEqual(['warning: objects of kind Pod (v1) are not looked at: 2']);
  });

  test('is not content with nothing', async () => {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } };
    const { err, status } = await validated([aFile([pod])]);
    expect(status).toBe(1);
    expect(err.at(-1)).toBe(
      'There is nothing to validate: no manifest is of a kind that Joinery installs.',
    );
    expect((await validated([])).status).toBe(2);
  });

  test.each([
    ['a file of 0 bytes', () => aFile('')],
    ['a file that is not YAML', () => aFile('{"a": [}')],
    ['a file that is not there', () => join(folder, 'nowhere.yaml')],
    [
      'an empty folder',
      () => {
        const path = join(folder, 'empty');
        mkdirSync(path, { recursive: true });
        return path;
      },
    ],
  ])('%s gets a sentence, and the others are still looked at', async (_title, bad) => {
    const path = bad();
    const { out, err, status } = await validated([path, aFile([aPool('good')])]);
    expect(status).toBe(1);
    expect(err).toEqual([expect.stringContaining(path)]);
    expect(out.at(-1)).toBe('1 accepted, 0 refused');
  });
});
