import { describe, expect, it } from 'vitest';
import {
  conditionOf,
  isTrue,
  withCondition,
  withInitial,
  withoutCondition,
  withRoot,
} from '#lib/model/conditions.ts';
import type { Condition } from '#lib/model/object.ts';
import { aCondition } from '#test/build/node-pools.ts';
import { HOUR, MINUTE, NOON } from '#test/build/objects.ts';

const ROOT = {
  dependents: ['Launched', 'Registered', 'Initialized'],
  generation: 1,
  createdAt: NOON - HOUR,
};
const launched = { type: 'Launched', status: 'True', observedGeneration: 1 } as const;
const readyOf = (conditions: readonly Condition[]) =>
  conditionOf(withRoot(conditions, ROOT, NOON), 'Ready');

describe('withCondition', () => {
  it('takes the type for the reason where none is given, and sorts by type', () => {
    const conditions = withCondition([aCondition('Ready')], launched, NOON);

    expect(conditions.map(({ type }) => type)).toEqual(['Launched', 'Ready']);
    expect(conditions[0]).toEqual({
      ...launched,
      reason: 'Launched',
      message: '',
      changedAt: NOON,
    });
  });

  it('moves the time of change only when the status does', () => {
    const before = [aCondition('Launched', { status: 'Unknown', changedAt: NOON - HOUR })];
    const failing = { ...launched, status: 'Unknown', reason: 'LaunchFailed' } as const;

    expect(withCondition(before, failing, NOON)[0]).toMatchObject({
      reason: 'LaunchFailed',
      changedAt: NOON - HOUR,
    });
    expect(withCondition(before, launched, NOON)[0]).toMatchObject({ changedAt: NOON });
  });

  it('gives back the same list where nothing is different', () => {
    const before = [aCondition('Launched')];

    expect(withCondition(before, launched, NOON)).toBe(before);
    expect(withCondition(before, { ...launched, observedGeneration: 2 }, NOON)).not.toBe(before);
  });
});

describe('withoutCondition', () => {
  it('takes the condition away, for its absence is what says no', () => {
    const conditions = [aCondition('Consolidatable'), aCondition('Ready')];

    expect(withoutCondition(conditions, 'Consolidatable')).toEqual([aCondition('Ready')]);
    expect(isTrue(withoutCondition(conditions, 'Consolidatable'), 'Consolidatable')).toBe(false);
    expect(withoutCondition(conditions, 'Drifted')).toBe(conditions);
  });
});

describe('withInitial', () => {
  it('writes what is missing as Unknown since the object’s creation', () => {
    const conditions = withInitial([aCondition('Launched')], ROOT);

    expect(conditions.map(({ type, status }) => `${type}=${status}`)).toEqual([
      'Initialized=Unknown',
      'Launched=True',
      'Registered=Unknown',
    ]);
    expect(conditionOf(conditions, 'Registered')).toMatchObject({
      reason: 'AwaitingReconciliation',
      message: 'object is awaiting reconciliation',
      changedAt: NOON - HOUR,
    });
  });
});

describe('withRoot', () => {
  const all = ROOT.dependents.map((type) => aCondition(type));
  const but = (type: string, difference: Partial<Condition>) =>
    all.map((each) => (each.type === type ? { ...each, ...difference } : each));

  it('is ready when all dependents are true', () => {
    expect(readyOf(all)).toMatchObject({ status: 'True', reason: 'Ready', message: '' });
  });

  it('is unknown while a dependent is, and names it', () => {
    expect(readyOf(but('Registered', { status: 'Unknown' }))).toMatchObject({
      status: 'Unknown',
      reason: 'ReconcilingDependents',
      message: 'Registered=Unknown',
    });
  });

  it('is false when a dependent is, the one that changed last named first', () => {
    const failed = but('Launched', { status: 'False' }).map((each) =>
      each.type === 'Initialized'
        ? { ...each, status: 'Unknown' as const, changedAt: NOON - MINUTE }
        : each,
    );

    expect(readyOf(failed)).toMatchObject({
      status: 'False',
      reason: 'UnhealthyDependents',
      message: 'Initialized=Unknown, Launched=False',
    });
  });

  it('does not believe what was written for an older generation', () => {
    expect(readyOf(but('Launched', { observedGeneration: 0 }))).toMatchObject({
      status: 'Unknown',
      message: 'Launched=True',
    });
    expect(readyOf(but('Launched', { status: 'False', observedGeneration: 0 }))).toMatchObject({
      status: 'Unknown',
    });
  });

  it('takes a missing dependent for unknown', () => {
    expect(readyOf([])).toMatchObject({ status: 'Unknown' });
    expect(withRoot([], ROOT, NOON)).toHaveLength(4);
  });
});
