import { describe, expect, it } from 'vitest';
import { type LabelExpression, selects } from '#lib/constraints/label-selector.ts';

const LABELS = { app: 'web', tier: 'front' };
const NOTHING = { matchLabels: {}, matchExpressions: [] };

describe('selects', () => {
  it('selects everything where it is empty and nothing where it is absent', () => {
    expect(selects(NOTHING, LABELS)).toBe(true);
    expect(selects(undefined, LABELS)).toBe(false);
  });

  it('asks for every label that it names', () => {
    expect(selects({ ...NOTHING, matchLabels: { app: 'web', tier: 'front' } }, LABELS)).toBe(true);
    expect(selects({ ...NOTHING, matchLabels: { app: 'web', tier: 'back' } }, LABELS)).toBe(false);
    expect(selects({ ...NOTHING, matchLabels: { zone: '' } }, LABELS)).toBe(false);
  });

  it.each<[LabelExpression['operator'], string, string[], boolean]>([
    ['In', 'app', ['web', 'db'], true],
    ['In', 'app', ['db'], false],
    ['In', 'zone', ['a'], false],
    ['NotIn', 'app', ['web'], false],
    ['NotIn', 'app', ['db'], true],
    ['NotIn', 'zone', ['a'], true],
    ['Exists', 'app', [], true],
    ['Exists', 'zone', [], false],
    ['Exists', 'toString', [], false],
    ['DoesNotExist', 'app', [], false],
    ['DoesNotExist', 'zone', [], true],
  ])('%s %s %j: %s', (operator, key, values, expected) => {
    const selector = { ...NOTHING, matchExpressions: [{ key, operator, values }] };

    expect(selects(selector, LABELS)).toBe(expected);
  });

  it('asks for labels and expressions alike', () => {
    const expression = { key: 'tier', operator: 'Exists', values: [] } as const;

    expect(selects({ matchLabels: { app: 'db' }, matchExpressions: [expression] }, LABELS)).toBe(
      false,
    );
  });
});
