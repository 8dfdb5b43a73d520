import { describe, expect, it } from 'vitest';
import { describeRequirements } from '#lib/constraints/requirements.ts';
import { askLevels, labelAskOf } from '#lib/solver/pods/ask.ts';
import { spec } from '#test/build/constraints.ts';
import { aPod } from '#test/build/pods.ts';

const term = (...texts: string[]) => ({
  matchExpressions: texts.map((text) => spec(text)),
  hasMatchFields: false,
});
const RESPECT = { preferencePolicy: 'Respect', someTaintsArePreferences: false } as const;
const told = (pod: ReturnType<typeof aPod>, rules: Parameters<typeof askLevels>[1] = RESPECT) =>
  askLevels(pod, rules).map(({ asks }) =>
    asks.map(({ requirements }) => describeRequirements(requirements)),
  );

describe('askLevels', () => {
  const pod = aPod({
    nodeSelector: { disk: 'ssd' },
    nodeAffinity: {
      required: [term('zone In a'), term('zone In b')],
      preferred: [
        { weight: 1, term: term('arch In arm64') },
        { weight: 50, term: term('size In large') },
      ],
    },
  });

  it('tries one wish at a time, the heaviest first, with every alternative', () => {
    expect(told(pod)).toEqual([
      [
        'disk In [ssd], size In [large], zone In [a]',
        'disk In [ssd], size In [large], zone In [b]',
      ],
      [
        'arch In [arm64], disk In [ssd], zone In [a]',
        'arch In [arm64], disk In [ssd], zone In [b]',
      ],
      ['disk In [ssd], zone In [a]', 'disk In [ssd], zone In [b]'],
    ]);
  });

  it('leaves wishes out where the policy ignores them', () => {
    expect(told(pod, { ...RESPECT, preferencePolicy: 'Ignore' })).toHaveLength(1);
  });

  it('asks in each place where volumes can be, at every level, and tells the place apart', () => {
    const places = [labelAskOf([spec('zone In a')]), labelAskOf([spec('zone In c')])].flatMap(
      (place) => place ?? [],
    );
    const levels = askLevels(pod, RESPECT, places);

    expect(
      levels.map(({ asks }) => asks.map(({ requirements }) => describeRequirements(requirements))),
    ).toEqual([
      ['disk In [ssd], size In [large], zone In [a]'],
      ['arch In [arm64], disk In [ssd], zone In [a]'],
      ['disk In [ssd], zone In [a]'],
    ]);
    expect(levels.at(-1)?.asks[0]?.places).toEqual(places[0]?.requirements);
  });

  it('puts up with PreferNoSchedule last of all', () => {
    const levels = askLevels(aPod(), { ...RESPECT, someTaintsArePreferences: true });

    expect(levels.map(({ asks }) => asks[0]?.tolerations)).toEqual([
      [],
      [{ operator: 'Exists', effect: 'PreferNoSchedule' }],
    ]);
  });

  it('drops an alternative that contradicts the selector, even one that asks for absence', () => {
    const contradictory = aPod({
      nodeSelector: { team: 'a' },
      nodeAffinity: {
        required: [term('team In b'), term('team DoesNotExist'), term('team NotIn b')],
        preferred: [],
      },
    });

    expect(told(contradictory)).toEqual([['team In [a]']]);
  });

  it('drops a required term that asks nothing, which the scheduler finds on no node', () => {
    const halfEmpty = aPod({
      nodeAffinity: { required: [term(), term('zone In a')], preferred: [] },
    });
    const empty = aPod({ nodeAffinity: { required: [term()], preferred: [] } });

    expect(told(halfEmpty)).toEqual([['zone In [a]']]);
    expect(told(empty)).toEqual([[]]);
  });

  it('does not count as a wish what asks nothing, or weighs nothing', () => {
    const preferred = [
      { weight: 9, term: term() },
      { weight: 0, term: term('zone In a') },
    ];

    expect(told(aPod({ nodeAffinity: { required: [], preferred } }))).toEqual([['']]);
  });
});
