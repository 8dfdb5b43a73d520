import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { CASES, type Verdict } from './cases.ts';

const ROOT = 'test/conformance/disruption';
const FILES = ['balanced', 'budgets', 'candidates', 'consolidation', 'passes', 'prices'];

/** By number, the titles that open with it. */
const claimed = new Map<number, string[]>();
for (const name of FILES) {
  const text = readFileSync(`${ROOT}/${name}.test.ts`, 'utf8');
  const titled = [
    ...text.matchAll(/\bit\('(\d+): ([^\n]*)'/g),
    ...text.matchAll(/^ {2}\]\)\('(\d+): ([^\n]*)'/gm),
  ];
  for (const [, number = '', words = ''] of titled) {
    claimed.set(Number(number), [...(claimed.get(Number(number)) ?? []), words]);
  }
}

const of = (kind: Verdict['kind']): readonly number[] =>
  [...CASES].filter(([, verdict]) => verdict.kind === kind).map(([number]) => number);

describe('the cases of disruption', () => {
  it('that apply are each restated by a test, and no others', () => {
    const applying = [...of('same'), ...of('different')];

    expect([...claimed.keys()].sort((a, b) => a - b)).toEqual(applying.sort((a, b) => a - b));
  });

  it('in which we differ on purpose say so in their titles, and no others do', () => {
    const telling = [...claimed].filter(([, words]) => words.some((each) => /upstream/.test(each)));

    expect(telling.map(([number]) => number).sort((a, b) => a - b)).toEqual(
      [...of('different')].sort((a, b) => a - b),
    );
  });

  afterAll(() => {
    const counts = (['same', 'different', 'notApplicable'] as const).map(
      (kind) => `${of(kind).length} ${kind}`,
    );
    process.stdout.write(`candidates, budgets and consolidation: ${counts.join(', ')}\n`);
  });
});
