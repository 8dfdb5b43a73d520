import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { PARITY, SUBJECTS, type Verdict } from './parity.ts';

const ROOT = 'test/conformance';
const FILES = [
  ...readdirSync(`${ROOT}/scheduling`).map((name) => `${ROOT}/scheduling/${name}`),
  `${ROOT}/overlays-static-buffers.test.ts`,
];

/** The titles that open with numbers of cases: `12, 13: what happens`. */
const titles = FILES.flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/(['`])(\d+(?:, \d+)*): (.*?)\1,/gs)].map(
    ([, , numbers = '', words = '']) => ({ numbers: numbers.split(', ').map(Number), words }),
  ),
);
const claimed = new Map<number, readonly string[]>();
for (const { numbers, words } of titles) {
  for (const number of numbers) claimed.set(number, [...(claimed.get(number) ?? []), words]);
}

const all = [...PARITY];
const of = (kind: Verdict['kind']): readonly number[] =>
  all.filter(([, verdict]) => verdict.kind === kind).map(([number]) => number);

describe('the parity cases', () => {
  it('are numbered once', () => {
    const numbers = Object.values(SUBJECTS).flat();

    expect(numbers).toHaveLength(PARITY.size);
  });

  it('that tests claim to restate are there', () => {
    expect([...claimed.keys()].filter((number) => !PARITY.has(number))).toEqual([]);
  });

  it('that apply are each restated by a test', () => {
    const applying = [...of('same'), ...of('different')];

    expect(applying.filter((number) => !claimed.has(number))).toEqual([]);
  });

  it('that do not apply, or are held elsewhere, are restated by none', () => {
    const others = [...of('notApplicable'), ...of('elsewhere')];

    expect(others.filter((number) => claimed.has(number))).toEqual([]);
  });

  it('in which we differ on purpose say so in their titles, and no others do', () => {
    const telling = [...claimed]
      .filter(([, words]) => words.some((each) => each.includes('upstream')))
      .map(([number]) => number);

    expect(telling.sort((a, b) => a - b)).toEqual([...of('different')]);
  });

  it('that are held elsewhere name a file that is there', () => {
    for (const [, verdict] of all) {
      if (verdict.kind === 'elsewhere') expect(readFileSync(verdict.file, 'utf8')).not.toBe('');
    }
  });
});

afterAll(() => {
  const count = (kind: Verdict['kind']): string => `${of(kind).length} (${of(kind).join(', ')})`;
  process.stdout.write(
    [
      `Of ${PARITY.size} cases of upstream's suites:`,
      `  same outcome: ${of('same').length}`,
      `  different on purpose: ${count('different')}`,
      `  held by other tests: ${count('elsewhere')}`,
      `  not applicable: ${count('notApplicable')}`,
      '',
    ].join('\n'),
  );
});
