import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { admit } from '#lib/sim/schema/admit.ts';
import { aThing, aVersion, ourVersion } from '#test/build/custom-resources.ts';

interface Case {
  readonly manifest: { readonly kind: string; readonly metadata: { readonly name: string } };
  readonly errors: readonly string[];
}
const CASES: readonly Case[] = JSON.parse(
  readFileSync(
    new URL('../../scenarios/manifests/api-server-verdicts.json', import.meta.url),
    'utf8',
  ),
);

const told = (spec: object, value: unknown, old?: unknown) =>
  admit(aVersion(spec), aThing(value), old === undefined ? undefined : aThing(old)).errors.map(
    ({ path, message }) => `${path}: ${message}`,
  );

describe('manifests that Karpenter 1.14 was asked about', () => {
  test.each(CASES.map((one) => [one.manifest.metadata.name, one] as const))(
    '%s is told what the API server tells',
    (_name, { manifest, errors }) => {
      const admission = admit(ourVersion(manifest.kind), manifest);
      expect(admission.errors.map(({ path, message }) => `${path}: ${message}`)).toEqual(errors);
    },
  );
});

describe('types', () => {
  test.each([
    [
      'text for a number',
      { type: 'integer' },
      'x',
      '"string": spec in body must be of type integer: "string"',
    ],
    [
      'a fraction for a number',
      { type: 'integer' },
      1.5,
      '"number": spec in body must be of type integer: "number"',
    ],
    [
      'a fraction, with a format',
      { type: 'integer', format: 'int64' },
      1.5,
      '"float64": spec in body must be of type int64: "float64"',
    ],
    [
      'a list for an object',
      { type: 'object' },
      [],
      '"array": spec in body must be of type object: "array"',
    ],
    [
      'a number for text',
      { type: 'string' },
      3,
      '"integer": spec in body must be of type string: "integer"',
    ],
    [
      'no instant',
      { type: 'string', format: 'date-time' },
      'soon',
      '"soon": spec in body must be of type date-time: "soon"',
    ],
  ])('%s is refused', (_title, schema, value, message) => {
    expect(told(schema, value)[0]).toBe(`spec: Invalid value: ${message}`);
  });

  test('an int-or-string is one of the two', () => {
    const schema = { 'x-kubernetes-int-or-string': true, anyOf: [{}, {}] };
    expect(told(schema, 1)).toEqual([]);
    expect(told(schema, '1')).toEqual([]);
    expect(told(schema, true)).toEqual([
      'spec: Invalid value: "boolean": spec in body must be of type integer,string: "boolean"',
      ': Invalid value: "": "spec" must validate at least one schema (anyOf)',
      'spec: Invalid value: "boolean": spec in body must be of type integer: "boolean"',
    ]);
  });

  test('what is wrong beyond types is told without a path', () => {
    const small = { type: 'integer', format: 'int32' };
    expect(told(small, 2 ** 31)).toEqual([
      ': Invalid value: "": Checked value must be of type integer with format int32 in spec',
    ]);
    expect(told(small, 2 ** 31 - 1)).toEqual([]);
  });

  test('a list passes for text with a format, as it does with an API server', () => {
    expect(told({ type: 'string', format: 'date-time' }, [])).toEqual([]);
  });

  test('null in a list is refused, null in a field is as good as nothing', () => {
    const items = { type: 'array', items: { type: 'string' } };
    expect(told(items, [null])).toEqual([
      'spec[0]: Invalid value: "null": spec[0] in body must be of type string: "null"',
    ]);
    const fields = { type: 'object', properties: { a: { type: 'string' } } };
    expect(admit(aVersion(fields), aThing({ a: null })).object).toEqual(aThing({}));
  });

  test('a document that is no object is refused', () => {
    expect(admit(aVersion({}), 'text').errors).toHaveLength(1);
  });
});

describe('limits', () => {
  test.each([
    [{ type: 'string', maxLength: 2 }, '日本語', 'Too long: may not be more than 2 bytes'],
    [
      { type: 'string', minLength: 1 },
      '',
      'Invalid value: "": spec in body should be at least 1 chars long',
    ],
    [{ type: 'array', maxItems: 1 }, [1, 2], 'Too many: 2: must have at most 1 items'],
    [
      { type: 'array', minItems: 1 },
      [],
      'Invalid value: 0: spec in body should have at least 1 items',
    ],
    [
      { type: 'object', maxProperties: 0, additionalProperties: { type: 'string' } },
      { a: 'b' },
      'Too many: 1: must have at most 0 items',
    ],
    [
      { type: 'object', minProperties: 1 },
      {},
      'Invalid value: 0: spec in body should have at least 1 properties',
    ],
    [
      { type: 'integer', maximum: 1 },
      2,
      'Invalid value: 2: spec in body should be less than or equal to 1',
    ],
    [{ type: 'integer', enum: [1, 2] }, 3, 'Unsupported value: 3: supported values: "1", "2"'],
  ])('%j refuses %j', (schema, value, message) => {
    expect(told(schema, value)).toEqual([`spec: ${message}`]);
  });

  test('lengths count characters, not bytes or halves of them', () => {
    expect(told({ type: 'string', maxLength: 4 }, '日本語😀')).toEqual([]);
  });

  test('each entry of a map is held against the schema of all entries', () => {
    const schema = { type: 'object', additionalProperties: { type: 'string', pattern: '^a' } };
    expect(told(schema, { 'example.com/x': 'b' })).toEqual([
      `spec.example.com/x: Invalid value: "b": spec.example.com/x in body should match '^a'`,
    ]);
  });

  test('a keyed list has each key once', () => {
    const schema = {
      type: 'array',
      items: { type: 'object', properties: { type: { type: 'string' } } },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    };
    expect(told(schema, [{}, 'Ready'])).toEqual([
      'spec[1]: Invalid value: "string": spec[1] in body must be of type object: "string"',
      'spec[1]: Invalid value: "Ready": must be an object for an array of list-type map',
    ]);
    expect(told(schema, [{ type: 'Ready' }, { type: 'Ready' }, { type: 'Ready' }])).toEqual([
      'spec[1]: Duplicate value: {"type":"Ready"}',
    ]);
  });
});

describe('pruning', () => {
  const schema = {
    type: 'object',
    properties: {
      list: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } },
      open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
  };

  test('drops what the schema does not know, and says so', () => {
    const thing = { ...aThing({ list: [{ a: 'x', b: 1 }], c: 2 }), extra: 3 };
    const { object, pruned } = admit(aVersion(schema), thing);
    expect(object).toEqual(aThing({ list: [{ a: 'x' }] }));
    expect(pruned).toEqual(['spec.list[0].b', 'spec.c', 'extra']);
  });

  test('keeps everything below a field that is open', () => {
    const thing = aThing({ open: { deep: [{ er: null }] } });
    expect(admit(aVersion(schema), thing)).toEqual({ object: thing, pruned: [], errors: [] });
  });

  test('drops unknown metadata', () => {
    const thing = { ...aThing({}), metadata: { name: 'thing', colour: 'red' } };
    expect(admit(aVersion(schema), thing).pruned).toEqual(['metadata.colour']);
  });

  test('leaves its argument alone, and no key reaches a prototype', () => {
    const thing = JSON.parse(
      '{"kind":"Thing","metadata":{"name":"t"},"spec":{"__proto__":{"x":1}}}',
    );
    const before = JSON.stringify(thing);
    admit(aVersion({ type: 'object', additionalProperties: { type: 'object' } }), thing);
    expect(JSON.stringify(thing)).toBe(before);
    expect({}).not.toHaveProperty('x');
  });
});

describe('defaults', () => {
  test('fill in what is absent or null, below other defaults too', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { type: 'object', default: { b: 1 }, properties: { b: {}, c: { default: 'x' } } },
      },
    };
    expect(admit(aVersion(schema), aThing({})).object.spec).toEqual({ a: { b: 1, c: 'x' } });
    expect(admit(aVersion(schema), aThing({ a: null })).object.spec).toEqual({
      a: { b: 1, c: 'x' },
    });
    expect(admit(aVersion(schema), aThing({ a: { c: 'y' } })).object.spec).toEqual({
      a: { c: 'y' },
    });
  });

  test('a NodePool gets its disruption settings, expiry and budgets', () => {
    const [first] = CASES;
    const pool = structuredClone(first?.manifest) as unknown as {
      spec: { disruption?: object; template: { spec: { expireAfter?: string } } };
    };
    delete pool.spec.disruption;
    delete pool.spec.template.spec.expireAfter;
    const { object, errors } = admit(ourVersion('NodePool'), pool);
    expect(errors).toEqual([]);
    expect(object).toHaveProperty('spec.template.spec.expireAfter', '720h');
    expect(object).toHaveProperty('spec.disruption', {
      budgets: [{ nodes: '10%' }],
      consolidateAfter: '0s',
      consolidationPolicy: 'WhenEmptyOrUnderutilized',
    });
  });
});

describe('metadata', () => {
  const problems = (metadata: unknown) =>
    admit(aVersion({}), { ...aThing({}), metadata }).errors.map(({ path }) => path);

  test.each([
    ['no name', {}, ['metadata.name']],
    ['a name with capitals', { name: 'Thing' }, ['metadata.name']],
    ['a prefix to make a name of', { generateName: 'thing-' }, []],
    ['a label with a space', { name: 'a', labels: { 'a b': 'x' } }, ['metadata.labels']],
    ['a label value with a slash', { name: 'a', labels: { a: 'x/y' } }, ['metadata.labels']],
    ['a label that is a number', { name: 'a', labels: { a: 1 } }, ['metadata.labels.a']],
    [
      'an annotation with two slashes',
      { name: 'a', annotations: { 'a/b/c': '' } },
      ['metadata.annotations'],
    ],
    ['a capital in an annotation', { name: 'a', annotations: { 'Example.com/a': '' } }, []],
    [
      'annotations of more than 256 KiB',
      { name: 'a', annotations: { a: 'x'.repeat(2 ** 18) } },
      ['metadata.annotations'],
    ],
    ['a finalizer with a space', { name: 'a', finalizers: ['mi ne'] }, ['metadata.finalizers']],
    ['a finalizer that is a number', { name: 'a', finalizers: [1] }, ['metadata.finalizers[0]']],
    ['finalizers with one', { name: 'a', finalizers: ['karpenter.sh/termination', 'orphan'] }, []],
  ])('%s', (_title, metadata, paths) => {
    expect(problems(metadata)).toEqual(paths);
  });
});
