import { describe, expect, test } from 'vitest';
import { admit } from '#lib/sim/schema/admit.ts';
import { readCrd } from '#lib/sim/schema/custom-resource.ts';
import { aCrdText, aThing, aVersion, ourVersion } from '#test/build/custom-resources.ts';

const withRule = (schema: object, rule: string, more: object = {}) => ({
  ...schema,
  'x-kubernetes-validations': [{ rule, message: 'no', ...more }],
});
const ANY = { 'x-kubernetes-preserve-unknown-fields': true };
const told = (spec: object, value: unknown, old?: unknown) =>
  admit(aVersion(spec), aThing(value), old === undefined ? undefined : aThing(old)).errors.map(
    ({ path, message }) => `${path}: ${message}`,
  );

describe('a rule', () => {
  test.each([
    ['has(self.a) && !has(self.b)', { a: 1 }],
    [
      'self.a.all(x, x > 0) && self.a.exists(x, x == 2) && self.a.exists_one(x, x == 1)',
      { a: [1, 2] },
    ],
    ['self.a.filter(x, x > 1).size() == 1 && self.a.map(x, x * 2) == [2, 4]', { a: [1, 2] }],
    [
      "self.a.find('^[^@]+') == 'al2023' && self.a.split('@')[1] == 'latest'",
      { a: 'al2023@latest' },
    ],
    ["self.a.matches('^al.+$') && self.a.startsWith('al') && !self.a.endsWith('x')", { a: 'al2' }],
    ["int(self.a) == 7 && self.a in ['+7']", { a: '+7' }],
    ["'nodes' in self.limits && size(self.limits) == 1", { limits: { nodes: '1' } }],
    ['self.?a.orValue(3) == 3', {}],
    ['!(self.a == 1) || true', { a: '1' }],
    ["self.all(k, k != '' && self[k] != '')", { constructor: 'x' }],
    ['self.a / 0 == 1 || true', { a: 1 }],
    ['self.a.size() == 2', { a: '日😀' }],
  ])('%s holds of %j', (rule, value) => {
    expect(told(withRule(ANY, rule), value)).toEqual([]);
  });

  test('that does not hold names the value only if it is no list or object', () => {
    expect(told(withRule({ type: 'string' }, "self != 'a'"), 'a')).toEqual([
      'spec: Invalid value: "a": no',
    ]);
    expect(told(withRule(ANY, 'size(self) > 0'), {})).toEqual(['spec: Invalid value: no']);
  });

  test.each([
    ['int(self[0]) > 0', ['x'], "type conversion error from 'string' to 'int'"],
    ['int(self[0]) >= 0', [''], "type conversion error from 'string' to 'int'"],
    ['int(self[0]) > 0', ['9223372036854775808'], "type conversion error from 'string' to 'int'"],
    ["self[1] == 'x'", ['x'], 'index out of bounds: 1'],
    ["self[0].a == 'x'", [{ b: 1 }], 'no such key: a'],
    ['1 / size(self) == 1', [], 'division by zero'],
  ])('%s, asked of %j, says why it cannot answer', (rule, value, problem) => {
    const list = { type: 'array', items: ANY };
    expect(told(withRule(list, rule), value)).toEqual([
      `spec: Invalid value: "array": ${problem} evaluating rule: no`,
    ]);
  });

  test('is not asked of an object that does not fit the schema', () => {
    const schema = withRule({ type: 'object', required: ['a'] }, 'self.a > 1');
    expect(told(schema, {})).toEqual(['spec.a: Required value']);
  });

  test.each([
    ['that is not CEL', 'self ==', {}],
    ['with a function that is not there', "quantity(self) == quantity('1')", {}],
    ['with a field that is not supported', 'true', { messageExpression: "'a'" }],
  ])('%s is refused with the definition', (_title, rule, more) => {
    expect(() => readCrd(aCrdText(withRule(ANY, rule, more)))).toThrow(/^Thing\.spec/);
  });
});

describe('a transition rule', () => {
  const frozen = withRule({ type: 'string' }, 'self == oldSelf');
  const item = { type: 'object', properties: { type: { type: 'string' }, a: frozen } };

  test('is asked only when there was a value', () => {
    expect(told(frozen, 'a')).toEqual([]);
    expect(told(frozen, 'b', 'a')).toEqual(['spec: Invalid value: "b": no']);
  });

  test('follows the fields of objects and the keys of maps', () => {
    const map = { type: 'object', additionalProperties: frozen };
    expect(told(map, { x: 'b', y: 'c' }, { x: 'a' })).toEqual(['spec[x]: Invalid value: "b": no']);
  });

  test('follows items by their keys, and only those of keyed lists', () => {
    const list = { type: 'array', items: item };
    const keyed = {
      ...list,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    };
    const now = [
      { type: 'y', a: '1' },
      { type: 'x', a: '2' },
    ];
    const before = [{ type: 'x', a: '1' }];
    expect(told(list, now, before)).toEqual([]);
    expect(told(keyed, now, before)).toEqual(['spec[1].a: Invalid value: "2": no']);
  });

  test('with an optional old value is always asked', () => {
    const rule = "oldSelf.hasValue() || self == 'new'";
    const schema = withRule({ type: 'string' }, rule, { optionalOldSelf: true });
    expect(told(schema, 'new')).toEqual([]);
    expect(told(schema, 'other')).toEqual(['spec: Invalid value: "other": no']);
    expect(told(schema, 'other', 'new')).toEqual([]);
  });
});

describe('our kinds', () => {
  const ref = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
  const claim = (spec: object) => ({
    metadata: { name: 'claim' },
    spec: { nodeClassRef: ref, requirements: [], ...spec },
  });
  const pool = (spec: object, nodeClassRef: object = ref) => ({
    metadata: { name: 'pool' },
    spec: { template: { spec: { nodeClassRef, requirements: [] } }, ...spec },
  });
  const paths = (kind: string, object: unknown, old: unknown) => {
    const stored = admit(ourVersion(kind), old).object;
    return admit(ourVersion(kind), object, stored).errors.map(
      ({ path, message }) => `${path}: ${message}`,
    );
  };

  test('the spec of a NodeClaim cannot be changed; its defaults are no change', () => {
    expect(paths('NodeClaim', claim({}), claim({}))).toEqual([]);
    expect(paths('NodeClaim', claim({ expireAfter: '1h' }), claim({}))).toEqual([
      'spec: Invalid value: spec is immutable',
    ]);
  });

  test('a NodePool keeps the kind of its class, but may change to another of that kind', () => {
    expect(paths('NodePool', pool({}, { ...ref, name: 'other' }), pool({}))).toEqual([]);
    expect(paths('NodePool', pool({}, { ...ref, kind: 'Other' }), pool({}))).toEqual([
      'spec.template.spec.nodeClassRef: Invalid value: nodeClassRef.kind is immutable',
    ]);
  });

  test('a NodePool stays static or dynamic', () => {
    expect(paths('NodePool', pool({ replicas: 1 }), pool({}))).toEqual([
      'spec: Invalid value: Cannot transition NodePool between static (replicas set) and dynamic (replicas unset) provisioning modes',
    ]);
    expect(paths('NodePool', pool({ replicas: 1 }), pool({ replicas: 2 }))).toEqual([]);
  });

  test('a NodeOverlay cannot ask for reservations, tenancy or placement groups', () => {
    const overlay = (key: string) => ({
      metadata: { name: 'overlay' },
      spec: { requirements: [{ key, operator: 'Exists' }] },
    });
    const refused = (key: string) => admit(ourVersion('NodeOverlay'), overlay(key)).errors.length;
    expect(refused('karpenter.k8s.aws/instance-family')).toBe(0);
    expect(refused('karpenter.k8s.aws/instance-tenancy')).toBe(1);
    expect(refused('karpenter.k8s.aws/capacity-reservation-id')).toBe(1);
  });

  test('a CapacityBuffer refers to a template or to a workload', () => {
    const buffer = (spec: object) =>
      admit(ourVersion('CapacityBuffer'), { metadata: { name: 'buffer' }, spec }).errors.length;
    expect(buffer({ podTemplateRef: { name: 'a' }, replicas: 1 })).toBe(0);
    expect(buffer({ podTemplateRef: { name: 'a' } })).toBe(1);
    const both = { podTemplateRef: { name: 'a' }, scalableRef: { kind: 'Deployment', name: 'b' } };
    expect(buffer({ ...both, replicas: 1 })).toBe(1);
  });
});
