import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyPatch, JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH } from '#lib/sim/kubernetes/patch.ts';

const strategic = (target: object, patch: unknown) =>
  applyPatch({ ...target }, patch, STRATEGIC_PATCH, false);
const json = (target: object, patch: unknown) =>
  applyPatch({ ...target }, patch, JSON_PATCH, false);

describe('applyPatch', () => {
  it('merges conditions by type, owners by uid and finalizers as a set', () => {
    const target = {
      metadata: { finalizers: ['a'], ownerReferences: [{ uid: '1', name: 'x' }] },
      status: { conditions: [{ type: 'Ready', status: 'False', reason: 'r' }, { type: 'Other' }] },
    };
    const patch = {
      metadata: { finalizers: ['b', 'a'], ownerReferences: [{ uid: '2', name: 'y' }] },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    };
    expect(strategic(target, patch)).toEqual({
      metadata: {
        finalizers: ['a', 'b'],
        ownerReferences: [
          { uid: '1', name: 'x' },
          { uid: '2', name: 'y' },
        ],
      },
      status: { conditions: [{ type: 'Ready', status: 'True', reason: 'r' }, { type: 'Other' }] },
    });
  });

  it('replaces the list of taints, which is atomic', () => {
    const target = { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } };
    const patch = { spec: { taints: [{ key: 'b', effect: 'NoSchedule' }] } };
    expect(strategic(target, patch)).toEqual(patch);
  });

  it('deletes from keyed lists and from sets', () => {
    const target = {
      metadata: { finalizers: ['a', 'b'] },
      status: { conditions: [{ type: 'A' }] },
    };
    const patch = {
      metadata: { '$deleteFromPrimitiveList/finalizers': ['a'] },
      status: { conditions: [{ type: 'A', $patch: 'delete' }] },
    };
    expect(strategic(target, patch)).toEqual({
      metadata: { finalizers: ['b'] },
      status: { conditions: [] },
    });
  });

  it('has no strategic merge for custom kinds', () => {
    expect(applyPatch({}, {}, STRATEGIC_PATCH, true)).toMatchObject({ status: 415 });
  });

  it.each([
    [{ op: 'add', path: '/a/1', value: 9 }, { a: [1, 9, 2] }],
    [{ op: 'add', path: '/a/-', value: 9 }, { a: [1, 2, 9] }],
    [{ op: 'remove', path: '/a/0' }, { a: [2] }],
    [{ op: 'replace', path: '/a/0', value: 5 }, { a: [5, 2] }],
    [{ op: 'test', path: '/a', value: [1, 2] }, { a: [1, 2] }],
    [
      { op: 'copy', from: '/a/0', path: '/b' },
      { a: [1, 2], b: 1 },
    ],
    [{ op: 'move', from: '/a', path: '/x~1y' }, { 'x/y': [1, 2] }],
  ])('does %o', (operation, expected) => {
    expect(json({ a: [1, 2] }, [operation])).toEqual(expected);
  });

  it.each([
    { op: 'remove', path: '/b' },
    { op: 'replace', path: '/b', value: 1 },
    { op: 'add', path: '/b/c', value: 1 },
    { op: 'add', path: '/a/7', value: 1 },
    { op: 'test', path: '/a/0', value: 2 },
    { op: 'fly', path: '/a' },
    'nonsense',
  ])('refuses %o whole', (operation) => {
    const first = { op: 'add', path: '/z', value: 1 };
    expect(json({ a: [1, 2] }, [first, operation])).toMatchObject({ status: 422 });
  });

  it('leaves of a merge patch nothing to do the second time', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.dictionary(fc.string(), fc.jsonValue()),
        (target, patch) => {
          const once = applyPatch(target, patch, MERGE_PATCH, false);
          expect(applyPatch({ ...once }, patch, MERGE_PATCH, false)).toEqual(once);
        },
      ),
    );
  });
});
