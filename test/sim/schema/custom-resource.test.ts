import { describe, expect, test } from 'vitest';
import { readCrd } from '#lib/sim/schema/custom-resource.ts';
import { aCrdText } from '#test/build/custom-resources.ts';

describe('a definition', () => {
  test('gets the names it does not give from its kind', () => {
    const { names, versions } = readCrd(aCrdText({ type: 'object' }));
    expect(names).toMatchObject({ singular: 'thing', listKind: 'ThingList', shortNames: [] });
    expect(versions[0]?.subresources).toEqual({ status: false });
  });

  test('of something else is refused', () => {
    expect(() => readCrd('kind: Pod')).toThrow('expected a CustomResourceDefinition, found Pod');
    expect(() => readCrd('- a')).toThrow('the document: expected an object');
  });

  test.each([
    [{ allOf: [] }, 'Thing.spec: allOf is not supported'],
    [{ anyOf: [] }, 'Thing.spec: anyOf is supported only for int-or-string'],
    [{ format: 'ipv4' }, 'Thing.spec: format ipv4 is not supported'],
    [{ type: 'null' }, 'Thing.spec: type null is not supported'],
    [{ items: { pattern: '(?=a)' } }, 'pattern (?=a): (? is not supported'],
  ])('with %j is refused rather than half understood', (spec, problem) => {
    expect(() => readCrd(aCrdText(spec))).toThrow(problem);
  });
});
