import { describe, expect, it } from 'vitest';
import {
  describeTaint,
  firstUntolerated,
  isSameTaint,
  type Toleration,
  tolerates,
} from '#lib/constraints/taints.ts';
import { taint, tolerating } from '#test/build/constraints.ts';

const gpu = taint('dedicated=gpu:NoSchedule');
const equal = (value: string): Toleration => ({ key: 'dedicated', operator: 'Equal', value });

describe('tolerates', () => {
  it.each<[string, Toleration, boolean]>([
    ['the same value', equal('gpu'), true],
    ['another value', equal('cpu'), false],
    ['any value of the key', tolerating('dedicated'), true],
    ['any value of another key', tolerating('other'), false],
    ['everything', { operator: 'Exists' }, true],
    ['everything, its key empty', { key: '', operator: 'Exists' }, true],
    ['the same effect', { ...tolerating('dedicated'), effect: 'NoSchedule' }, true],
    ['another effect', { ...tolerating('dedicated'), effect: 'NoExecute' }, false],
    ['no value', { key: 'dedicated', operator: 'Equal' }, false],
  ])('is settled by a toleration of %s', (_title, toleration, expected) => {
    expect(tolerates(gpu, [toleration])).toBe(expected);
  });

  it('needs one toleration of several, and has none among none', () => {
    expect(tolerates(gpu, [equal('cpu'), equal('gpu')])).toBe(true);
    expect(tolerates(gpu, [])).toBe(false);
  });

  it('takes a toleration without a value for one of a taint without a value', () => {
    expect(tolerates(taint('x:NoExecute'), [{ key: 'x', operator: 'Equal' }])).toBe(true);
  });

  it.each([
    ['5', 'Lt', '6', true],
    ['6', 'Lt', '6', false],
    ['7', 'Gt', '6', true],
    ['6', 'Gt', '6', false],
    ['-7', 'Lt', '-6', true],
    ['10', 'Gt', '9', true],
    ['0', 'Lt', '1', true],
    ['05', 'Lt', '6', false],
    ['+5', 'Lt', '6', false],
    ['-0', 'Lt', '6', false],
    ['5', 'Lt', '06', false],
    ['5.0', 'Lt', '6', false],
    ['five', 'Lt', '6', false],
    ['9223372036854775807', 'Gt', '9223372036854775806', true],
    ['9223372036854775808', 'Gt', '1', false],
  ] as const)(
    'compares a taint of %s that must be %s %s: %s',
    (found, operator, value, expected) => {
      const numbered = taint(`tier=${found}:NoSchedule`);

      expect(tolerates(numbered, [{ key: 'tier', operator, value }])).toBe(expected);
    },
  );
});

describe('firstUntolerated', () => {
  it('minds every effect, PreferNoSchedule too', () => {
    const taints = [gpu, taint('a:PreferNoSchedule'), taint('b:NoExecute')];

    expect(firstUntolerated(taints, [equal('gpu')])).toEqual(taint('a:PreferNoSchedule'));
    expect(firstUntolerated(taints, [{ operator: 'Exists' }])).toBeUndefined();
  });
});

describe('isSameTaint', () => {
  it('is one taint with the same key and effect, whatever the value', () => {
    expect(isSameTaint(gpu, taint('dedicated=cpu:NoSchedule'))).toBe(true);
    expect(isSameTaint(gpu, taint('dedicated=gpu:NoExecute'))).toBe(false);
    expect(isSameTaint(gpu, taint('other=gpu:NoSchedule'))).toBe(false);
  });
});

describe('describeTaint', () => {
  it('writes taints as kubectl does', () => {
    expect([gpu, taint('x:NoExecute')].map(describeTaint)).toEqual([
      'dedicated=gpu:NoSchedule',
      'x:NoExecute',
    ]);
  });
});
