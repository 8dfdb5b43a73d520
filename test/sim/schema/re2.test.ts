import { describe, expect, test } from 'vitest';
import { re2 } from '#lib/sim/schema/re2.ts';

describe('an RE2 pattern in JavaScript', () => {
  test.each([
    ['a.b', 'a\u2028b', true],
    ['a.b', 'a\nb', false],
    ['^.$', '😀', true],
    ['^\\s$', '\u00a0', false],
    ['^[\\s]$', '\u00a0', false],
    ['^\\s$', '\t', true],
    ['^[[:alpha:]_]+$', 'ab_', true],
    ['^[[:alpha:]_]+$', 'a1', false],
    ['^[]a]+$', ']a', true],
    ['^[^]a]+$', 'b]', false],
    ['^[[]$', '[', true],
    ['^a\\-b\\/c$', 'a-b/c', true],
    ['^[a\\-c]+$', 'b', false],
    ['\\Aab\\z', 'ab', true],
    ['ab$', 'ab\n', false],
    ['^(?P<name>a+)$', 'aa', true],
    ['^(?:a|b)$', 'b', true],
    ['^([^/]+)', 'karpenter.sh/x', true],
  ])('%s of %j: %s', (pattern, text, expected) => {
    expect(re2(pattern).test(text)).toBe(expected);
  });

  test.each([
    '(?=a)',
    '(?!a)',
    '(?<=a)b',
    '(?i)a',
    '(a)\\1',
    '\\pL',
    '\\Qa\\E',
    '[[:nope:]]',
    '[a',
  ])('%s is refused, as one of the two does not have it', (pattern) => {
    expect(() => re2(pattern)).toThrow(/^pattern /);
  });
});
