import { expect, it } from 'vitest';
import { matchesTerm } from '#lib/sim/kubernetes/node-terms.ts';
import type { NodeObject, NodeTerm } from '#lib/sim/kubernetes/wire.ts';

const node: NodeObject = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: 'n',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: '',
    labels: { cpu: '8', zone: 'a' },
  },
  spec: {},
  status: {},
};

it.each<[boolean, NodeTerm]>([
  [true, { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a', 'b'] }] }],
  [false, { matchExpressions: [{ key: 'zone', operator: 'NotIn', values: ['a'] }] }],
  [true, { matchExpressions: [{ key: 'none', operator: 'NotIn', values: ['a'] }] }],
  [false, { matchExpressions: [{ key: 'none', operator: 'Exists' }] }],
  [true, { matchExpressions: [{ key: 'none', operator: 'DoesNotExist' }] }],
  [true, { matchExpressions: [{ key: 'cpu', operator: 'Gt', values: ['7'] }] }],
  [false, { matchExpressions: [{ key: 'cpu', operator: 'Gt', values: ['8'] }] }],
  [true, { matchExpressions: [{ key: 'cpu', operator: 'Lt', values: ['10'] }] }],
  [false, { matchExpressions: [{ key: 'zone', operator: 'Lt', values: ['10'] }] }],
  [true, { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] }],
  [false, { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['m'] }] }],
  [false, {}],
])('it is %s that a node is meant by %o', (expected, term) => {
  expect(matchesTerm(term, node)).toBe(expected);
});
