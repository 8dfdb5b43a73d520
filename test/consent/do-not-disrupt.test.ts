import { describe, expect, it } from 'vitest';
import {
  doNotDisruptUntil,
  isProtected,
  isProtectedNode,
  protectionOf,
} from '#lib/consent/do-not-disrupt.ts';
import type { Pod } from '#lib/model/pod.ts';
import { aMeta, type Difference, MINUTE, NOON } from '#test/build/objects.ts';
import { aPod, aRunningPod } from '#test/build/pods.ts';

const annotated = (value: string) => ({ annotations: { 'karpenter.sh/do-not-disrupt': value } });

/** A pod that started at 11:30 and carries the annotation. */
const guarded = (value: string, difference: Difference<Pod> = {}) =>
  aRunningPod({
    startedAt: NOON - 30 * MINUTE,
    ...difference,
    meta: { ...annotated(value), ...difference.meta },
  });

describe('protectionOf', () => {
  it.each([
    ['true', { kind: 'always' }],
    ['1h', { kind: 'until', instant: NOON + 30 * MINUTE }],
    ['30m', { kind: 'until', instant: NOON }],
    ['1s', { kind: 'until', instant: NOON - 30 * MINUTE + 1_000 }],
    ['false', { kind: 'invalid', value: 'false' }],
    ['', { kind: 'invalid', value: '' }],
    ['0s', { kind: 'invalid', value: '0s' }],
    ['-1h', { kind: 'invalid', value: '-1h' }],
    ['1d', { kind: 'invalid', value: '1d' }],
    ['True', { kind: 'invalid', value: 'True' }],
  ])('reads %j', (value, protection) => {
    expect(protectionOf(guarded(value))).toEqual(protection);
  });

  it('is none without the annotation', () => {
    expect(protectionOf(aRunningPod())).toEqual({ kind: 'none' });
  });

  it('protects a pod that has not started as long as it has not', () => {
    expect(protectionOf(aPod({ meta: annotated('1h') }))).toEqual({ kind: 'always' });
  });
});

describe('doNotDisruptUntil', () => {
  it('ends with the duration, and not before', () => {
    expect(doNotDisruptUntil(guarded('30m'), NOON - 1)).toBe(NOON);
    expect(doNotDisruptUntil(guarded('30m'), NOON)).toBeUndefined();
  });

  it('does not end where the annotation says true', () => {
    expect(doNotDisruptUntil(guarded('true'), NOON)).toBe('Never');
  });

  it.each<[string, Difference<Pod>]>([
    ['has finished', { phase: 'Succeeded' }],
    ['is going', { meta: { deletedAt: NOON } }],
  ])('does not hold for a pod that %s', (_title, difference) => {
    expect(doNotDisruptUntil(guarded('true', difference), NOON)).toBeUndefined();
    expect(isProtected(guarded('true', difference), NOON)).toBe(false);
  });

  it('takes what it cannot read for nothing', () => {
    expect(isProtected(guarded('false'), NOON)).toBe(false);
    expect(isProtected(guarded('1h'), NOON)).toBe(true);
  });
});

describe('isProtectedNode', () => {
  it('knows only the word true', () => {
    const protects = (value: string) => isProtectedNode(aMeta('node-1', annotated(value)));

    expect(['true', '1h', 'false', ''].map(protects)).toEqual([true, false, false, false]);
    expect(isProtectedNode(aMeta('node-1'))).toBe(false);
  });
});
