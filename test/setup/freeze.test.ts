import { describe, expect, it } from 'vitest';
import { requirementsOf } from '#lib/constraints/requirements.ts';
import { aSnapshot } from '#test/build/snapshots.ts';
import { deepFreeze } from './freeze.ts';

describe('deepFreeze', () => {
  it('freezes what is inside as well, and gives back the same value', () => {
    const value = { list: [{ name: 'a' }] };

    expect(deepFreeze(value)).toBe(value);
    expect(() => Object.assign(value.list[0] ?? {}, { name: 'b' })).toThrow(TypeError);
    expect(() => value.list.push({ name: 'b' })).toThrow(TypeError);
  });

  it('freezes Maps and Sets, and what they hold', () => {
    const map = new Map([['a', { values: new Set(['x']) }]]);
    deepFreeze(map);

    expect(() => map.set('b', { values: new Set() })).toThrow(/frozen Snapshot/);
    expect(() => map.delete('a')).toThrow(/frozen Snapshot/);
    expect(() => map.get('a')?.values.add('y')).toThrow(/frozen Snapshot/);
    expect(map).toEqual(new Map([['a', { values: new Set(['x']) }]]));
  });

  it('leaves requirements comparable with others', () => {
    const specs = [{ key: 'a', operator: 'In', values: ['x'] }] as const;

    expect(deepFreeze(requirementsOf(specs))).toEqual(requirementsOf(specs));
  });

  it('is what every built Snapshot has gone through', () => {
    const { catalog, nodePools } = aSnapshot();

    expect(Object.isFrozen(nodePools[0]?.template)).toBe(true);
    expect(() => Object.assign(catalog.byNodeClass, { extra: 1 })).toThrow(TypeError);
  });
});
