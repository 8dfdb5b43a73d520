import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  cruise,
  type ICruiseOptions,
  type ICruiseResult,
  type IForbiddenRuleType,
} from 'dependency-cruiser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

interface Config {
  readonly forbidden: IForbiddenRuleType[];
  readonly options: ICruiseOptions;
}
const ROOT = join(import.meta.dirname, '..');
const { default: config }: { default: Config } = await import(
  join(ROOT, '.dependency-cruiser.mjs')
);

/** One breach of each rule: who imports whom, and the rule that must catch it. */
const BREACHES: readonly (readonly [from: string, to: string, rule: string])[] = [
  ['lib/constraints', 'lib/model', 'lib/constraints imports downward only'],
  ['lib/model', 'lib/consent', 'lib/model imports downward only'],
  ['lib/consent', 'lib/solver', 'lib/consent imports downward only'],
  ['lib/ec2', 'lib/solver', 'lib/ec2 imports downward only'],
  ['lib/solver', 'lib/ec2', 'lib/solver imports downward only'],
  ['lib/disruption', 'lib/lifecycle', 'lib/disruption imports downward only'],
  ['lib/lifecycle', 'lib/solver', 'lib/lifecycle imports downward only'],
  ['lib/decide', 'lib/kube', 'lib/decide imports downward only'],
  ['lib/triggers', 'lib/aws', 'lib/triggers imports downward only'],
  ['lib/kube', 'lib/aws', 'lib/kube imports downward only'],
  ['lib/aws', 'lib/kube', 'lib/aws imports downward only'],
  ['lib/observe', 'lib/decide', 'lib/observe imports downward only'],
  ['lib/act', 'lib/observe', 'lib/act imports downward only'],
  ['lib/runtime', 'lib/decide', 'lib/runtime imports downward only'],
  ['lib/sim', 'lib/kube', 'lib/sim imports downward only'],
  ['lib/cli', 'test', 'lib/cli imports downward only'],
  ['functions/drift', 'lib/solver', 'functions imports downward only'],
  ['functions/drift', 'functions/interrupt', 'functions do not know each other'],
  ['infra', 'lib/solver', 'infra imports downward only'],
  ['lib/cli', 'test/build', 'nothing imports a test'],
];

/** One breach of each rule about what is not ours. */
const FOREIGN: readonly (readonly [from: string, module: string, rule: string])[] = [
  ['lib/solver', 'node:fs', 'the core is pure'],
  ['lib/ec2', 'left-pad', 'the core is pure'],
  ['lib/kube', '@aws-sdk/client-ec2', 'only lib/aws speaks to AWS'],
  ['functions/drift', '@kubernetes/client-node', 'only lib/kube speaks to Kubernetes'],
  ['lib/runtime', './not-there.ts', 'nothing unresolvable'],
];

const planted = mkdtempSync(join(tmpdir(), 'joinery-architecture-'));
const write = (path: string, text: string) => {
  mkdirSync(dirname(join(planted, path)), { recursive: true });
  writeFileSync(join(planted, path), text);
};
const depth = (room: string) => '../'.repeat(room.split('/').length);

async function violations(baseDir: string, folders: readonly string[]): Promise<ICruiseResult> {
  const { output } = await cruise([...folders], {
    ...config.options,
    ruleSet: { forbidden: config.forbidden },
    validate: true,
    baseDir,
  });
  if (typeof output === 'string') throw new Error(`expected a result, found ${output}`);
  return output;
}

describe('the import rules', () => {
  let found: ICruiseResult;

  beforeAll(async () => {
    write('tsconfig.json', '{"compilerOptions":{"module":"nodenext"}}');
    write('package.json', '{"type":"module","dependencies":{"left-pad":"1.0.0"}}');
    for (const name of ['left-pad', '@aws-sdk/client-ec2', '@kubernetes/client-node']) {
      write(`node_modules/${name}/package.json`, `{"name":"${name}","main":"index.js"}`);
      write(`node_modules/${name}/index.js`, 'module.exports = 1;');
    }
    for (const [index, [from, to]] of BREACHES.entries()) {
      write(`${to}/wall-${index}.ts`, 'export const wall = 1;');
      write(
        `${from}/breach-${index}.ts`,
        `import { wall } from '${depth(from)}${to}/wall-${index}.ts';\nexport const x = wall;`,
      );
    }
    for (const [index, [from, module]] of FOREIGN.entries()) {
      write(`${from}/foreign-${index}.ts`, `import * as x from '${module}';\nexport const y = x;`);
    }
    write('lib/solver/one.ts', "import { two } from './two.ts';\nexport const one = () => two;");
    write('lib/solver/two.ts', "import { one } from './one.ts';\nexport const two = () => one;");
    found = await violations(planted, ['lib', 'functions', 'infra', 'test']);
  });

  afterAll(() => rmSync(planted, { recursive: true }));

  const rulesBrokenBy = (file: string) =>
    found.summary.violations.filter(({ from }) => from === file).map(({ rule }) => rule.name);

  it.each(BREACHES.map((breach, index) => [...breach, index] as const))(
    'catch %s importing %s',
    (from, _to, rule, index) => {
      expect(rulesBrokenBy(`${from}/breach-${index}.ts`)).toContain(rule);
    },
  );

  it.each(FOREIGN.map((breach, index) => [...breach, index] as const))(
    'catch %s importing %s',
    (from, _module, rule, index) => {
      expect(rulesBrokenBy(`${from}/foreign-${index}.ts`)).toContain(rule);
    },
  );

  it('catch a cycle', () => {
    expect(rulesBrokenBy('lib/solver/one.ts')).toContain('no cycles');
  });

  it('have a planted breach for each of them', () => {
    const tried = new Set([...BREACHES, ...FOREIGN].map(([, , rule]) => rule)).add('no cycles');

    expect(
      config.forbidden.map(({ name }) => name ?? 'unnamed').filter((name) => !tried.has(name)),
    ).toEqual([]);
  });
});

describe('this project', () => {
  it('breaks none of them, and every TypeScript file was looked at', async () => {
    const folders = ['lib', 'functions', 'infra', 'test'];
    const written = folders.flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.ts'))
        .map((path) => `${folder}/${path}`),
    );

    const { modules, summary } = await violations(ROOT, folders);
    const looked = new Set(modules.map(({ source }) => source));

    expect(summary.violations).toEqual([]);
    expect(written.filter((path) => !looked.has(path))).toEqual([]);
  });
});
