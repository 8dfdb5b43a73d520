import { describe, expect, it } from 'vitest';
import {
  describeRequirement,
  has,
  intersectRequirement,
  operatorOf,
  overlaps,
  requirementOf,
  specsOf,
} from '#lib/constraints/requirement.ts';
import { spec } from '#test/build/constraints.ts';

const LARGEST = '9223372036854775807';
const SMALLEST = '-9223372036854775808';

/** `In a b` as a requirement of the key k, with minValues where given. */
const k = (text: string, minValues?: number) => requirementOf(spec(`k ${text}`, minValues));
const meet = (a: string, b: string) => describeRequirement(intersectRequirement(k(a), k(b)));

describe('requirementOf', () => {
  it.each([
    ['In a b', 'k In [a b]', 'In'],
    ['In', 'k DoesNotExist', 'DoesNotExist'],
    ['DoesNotExist', 'k DoesNotExist', 'DoesNotExist'],
    ['NotIn a', 'k NotIn [a]', 'NotIn'],
    ['NotIn', 'k Exists', 'Exists'],
    ['Exists', 'k Exists', 'Exists'],
    ['Gt 8', 'k Gt 8', 'Exists'],
    ['Gte 8', 'k Gte 8', 'Exists'],
    ['Lt 8', 'k Lt 8', 'Exists'],
    ['Lte 8', 'k Lte 8', 'Exists'],
    ['Lt 0', 'k Lt 0', 'Exists'],
    ['Gt 08', 'k Gt 8', 'Exists'],
    ['Gt +8', 'k Gt 8', 'Exists'],
    ['Gt eight', 'k Gt 0', 'Exists'],
    ['Gte 1.5', 'k Gte 0', 'Exists'],
    [`Gt ${LARGEST}`, 'k DoesNotExist', 'DoesNotExist'],
    [`Lt ${SMALLEST}`, 'k DoesNotExist', 'DoesNotExist'],
    [`Gte ${LARGEST}`, `k Gte ${LARGEST}`, 'Exists'],
    ['Gt 9007199254740993', 'k Gt 9007199254740993', 'Exists'],
    ['Gt 99999999999999999999', 'k DoesNotExist', 'DoesNotExist'],
    ['Lt -99999999999999999999', 'k DoesNotExist', 'DoesNotExist'],
  ])('reads %s', (text, described, operator) => {
    expect(describeRequirement(k(text))).toBe(described);
    expect(operatorOf(k(text))).toBe(operator);
  });

  it.each([
    ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
    ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
    ['beta.kubernetes.io/arch', 'kubernetes.io/arch'],
    ['beta.kubernetes.io/os', 'kubernetes.io/os'],
    ['beta.kubernetes.io/instance-type', 'node.kubernetes.io/instance-type'],
    ['topology.ebs.csi.aws.com/zone', 'topology.kubernetes.io/zone'],
  ])('knows %s by its new name', (old, key) => {
    expect(requirementOf(spec(`${old} Exists`)).key).toBe(key);
  });

  it('drops minValues only where a bound leaves nothing', () => {
    expect(k('Gt 8', 2).minValues).toBe(2);
    expect(k(`Gt ${LARGEST}`, 2).minValues).toBeUndefined();
  });
});

describe('has', () => {
  it.each([
    ['Exists', 'anything', true],
    ['DoesNotExist', 'anything', false],
    ['In a b', 'b', true],
    ['In a b', 'c', false],
    ['NotIn 1 2', '9', true],
    ['NotIn 1 2', '1', false],
    ['Gt 1', '2', true],
    ['Gt 1', '1', false],
    ['Gt 1', 'A', false],
    ['Lt 1', '1', false],
    ['Lt 1', '0', true],
    ['Gte 8', '08', true],
    ['Gte 8', '+9', true],
    ['Gte 8', '9.0', false],
    ['Gte 8', '1e3', false],
    ['Gte 0', '', false],
    ['Gte 0', ' 1', false],
    ['Lte 5', '-5', true],
    ['Gte 0', '99999999999999999999', false],
    ['Gte 9007199254740993', '9007199254740992', false],
  ])('says whether %s allows %j', (text, value, expected) => {
    expect(has(k(text), value)).toBe(expected);
  });
});

describe('intersectRequirement', () => {
  it.each([
    ['NotIn A', 'NotIn 1 2', 'k NotIn [1 2 A]'],
    ['NotIn 1 2', 'Gt 1', 'k NotIn [2] Gt 1'],
    ['NotIn 1 2', 'Gt 9', 'k Gt 9'],
    ['NotIn 1 2', 'Lt 1', 'k Lt 1'],
    ['NotIn A', 'Gt 1', 'k Gt 1'],
    ['Gt 1', 'Lt 9', 'k Gt 1 Lt 9'],
    ['Gt 9', 'Lt 9', 'k DoesNotExist'],
    ['Gt 1', 'Lt 1', 'k DoesNotExist'],
    ['Gt 1', 'Lt 3', 'k Gt 1 Lt 3'],
    ['Gt 1', 'Gte 5', 'k Gte 5'],
    ['Lt 1', 'Lte 5', 'k Lt 1'],
    ['Gt 4', 'Gte 5', 'k Gt 4'],
    ['Lt 5', 'Lte 4', 'k Lt 5'],
    ['In 1 9', 'Lt 9', 'k In [1]'],
    ['In 1 9', 'Gte 9', 'k In [9]'],
    ['In A', 'Gt 1', 'k DoesNotExist'],
    ['In A B', 'In B C', 'k In [B]'],
    ['In A', 'In B', 'k DoesNotExist'],
    ['In A B', 'NotIn A', 'k In [B]'],
    ['In A B', 'Exists', 'k In [A B]'],
    ['In A B', 'DoesNotExist', 'k DoesNotExist'],
    ['NotIn A', 'DoesNotExist', 'k DoesNotExist'],
    ['Exists', 'DoesNotExist', 'k DoesNotExist'],
    ['Exists', 'NotIn A', 'k NotIn [A]'],
    ['Exists', 'Gt 3', 'k Gt 3'],
    ['Exists', 'Exists', 'k Exists'],
  ])('%s and %s', (a, b, expected) => {
    expect(meet(a, b)).toBe(expected);
    expect(meet(b, a)).toBe(expected);
  });

  it.each([
    ['In A B', 2, 'In A', undefined, 'k In [A] minValues 2'],
    ['Exists', 1, 'DoesNotExist', undefined, 'k DoesNotExist minValues 1'],
    ['In A B', 1, 'In A B', 2, 'k In [A B] minValues 2'],
    ['Gt 9', 3, 'Lt 9', 2, 'k DoesNotExist minValues 3'],
    ['Exists', 2, 'In A', undefined, 'k In [A] minValues 2'],
    ['Exists', undefined, 'Exists', 2, 'k Exists minValues 2'],
  ])('%s (minValues %s) and %s (minValues %s)', (a, minA, b, minB, expected) => {
    const [left, right] = [k(a, minA), k(b, minB)];

    expect(describeRequirement(intersectRequirement(left, right))).toBe(expected);
    expect(describeRequirement(intersectRequirement(right, left))).toBe(expected);
  });

  it('gives back what it was given where the other adds nothing', () => {
    const narrow = k('In A');

    for (const wide of [k('In A B'), k('NotIn B'), k('Exists'), narrow]) {
      expect(intersectRequirement(narrow, wide)).toBe(narrow);
      expect(intersectRequirement(wide, narrow)).toBe(narrow);
    }
  });
});

describe('overlaps', () => {
  // Every kind of requirement against every other: 1 where some value is left, and the same
  // whichever stands first.
  const kinds = [
    'In 1',
    'In A',
    'DoesNotExist',
    'NotIn 1',
    'Exists',
    'Gt 1',
    'Gte 1',
    'Lt 1',
    'Lte 1',
  ];
  it.each([
    ['In 1', '1 0 0 0 1 0 1 0 1'],
    ['In A', '0 1 0 1 1 0 0 0 0'],
    ['DoesNotExist', '0 0 0 0 0 0 0 0 0'],
    ['NotIn 1', '0 1 0 1 1 1 1 1 1'],
    ['Exists', '1 1 0 1 1 1 1 1 1'],
    ['Gt 1', '0 0 0 1 1 1 1 0 0'],
    ['Gte 1', '1 0 0 1 1 1 1 0 1'],
    ['Lt 1', '0 0 0 1 1 0 0 1 1'],
    ['Lte 1', '1 0 0 1 1 0 1 1 1'],
  ])('%s against In 1, In A, DoesNotExist, NotIn 1, Exists, Gt 1, Gte 1, Lt 1, Lte 1', (a, row) => {
    expect(kinds.map((b) => (overlaps(k(a), k(b)) ? 1 : 0)).join(' ')).toBe(row);
    expect(kinds.map((b) => (overlaps(k(b), k(a)) ? 1 : 0)).join(' ')).toBe(row);
  });

  it('does not ask whether exclusions use up what the bounds leave', () => {
    const onlyTwo = intersectRequirement(k('Gt 1'), k('Lt 3'));

    expect(overlaps(onlyTwo, k('NotIn 2'))).toBe(true);
  });
});

describe('specsOf', () => {
  it('writes Gt 8 as Gte 9', () => {
    expect(specsOf(k('Gt 8'))).toEqual([{ key: 'k', operator: 'Gte', values: ['9'] }]);
  });

  it('writes two bounds as two lines, each with minValues', () => {
    expect(specsOf(intersectRequirement(k('Gt 8', 2), k('Lt 20')))).toEqual([
      { key: 'k', operator: 'Gte', values: ['9'], minValues: 2 },
      { key: 'k', operator: 'Lte', values: ['19'], minValues: 2 },
    ]);
  });

  it('keeps the exclusions that stand beside a bound', () => {
    expect(specsOf(intersectRequirement(k('Gt 1'), k('NotIn 5 3')))).toEqual([
      { key: 'k', operator: 'Gte', values: ['2'] },
      { key: 'k', operator: 'NotIn', values: ['3', '5'] },
    ]);
  });

  it.each([
    ['In b a', { key: 'k', operator: 'In', values: ['a', 'b'] }],
    ['NotIn b a', { key: 'k', operator: 'NotIn', values: ['a', 'b'] }],
    ['Exists', { key: 'k', operator: 'Exists' }],
    ['DoesNotExist', { key: 'k', operator: 'DoesNotExist' }],
  ])('writes %s in one line', (text, line) => {
    expect(specsOf(k(text))).toEqual([line]);
  });
});

describe('describeRequirement', () => {
  it('lists five values and counts the others', () => {
    expect(describeRequirement(k('In g f e d c b a'))).toBe('k In [a b c d e and 2 others]');
    expect(describeRequirement(k('In e d c b a'))).toBe('k In [a b c d e]');
  });
});
