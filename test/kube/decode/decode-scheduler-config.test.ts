import { describe, expect, it } from 'vitest';
import { parseSchedulerConfig } from '#lib/kube/decode/decode-scheduler-config.ts';

const ZONES = {
  maxSkew: 1,
  topologyKey: 'topology.kubernetes.io/zone',
  whenUnsatisfiable: 'ScheduleAnyway',
};
const config = (...defaultConstraints: unknown[]) => ({
  podTopologySpread: { defaultConstraints },
});

describe('parseSchedulerConfig', () => {
  it('reads constraints, one for each key and strictness', () => {
    const strict = { ...ZONES, whenUnsatisfiable: 'DoNotSchedule' };

    expect(parseSchedulerConfig(JSON.stringify(config(ZONES, strict)))).toMatchObject([
      ZONES,
      strict,
    ]);
    expect(parseSchedulerConfig('podTopologySpread: {}')).toEqual([]);
    expect(parseSchedulerConfig(' ')).toEqual([]);
  });

  it('refuses what is no YAML, in one line', () => {
    expect(parseSchedulerConfig('a: [1\nb: {')).toEqual({
      problem: expect.stringMatching(/^[^\n]+$/),
    });
  });

  it.each([
    [{ podTopologyspread: {} }, /^podTopologyspread: unknown field/],
    [config({ ...ZONES, maxSkews: 1 }), /defaultConstraints\[0\]\.maxSkews: unknown field/],
    [config({ ...ZONES, maxSkew: 0 }), /\[0\]\.maxSkew: must be greater than 0/],
    [config({ ...ZONES, topologyKey: 'a b' }), /\[0\]\.topologyKey: name part must consist/],
    [config({ ...ZONES, topologyKey: undefined }), /\[0\]\.topologyKey: found nothing/],
    [config({ ...ZONES, whenUnsatisfiable: 'Maybe' }), /\[0\]\.whenUnsatisfiable: found "Maybe"/],
    [config({ ...ZONES, labelSelector: {} }), /\[0\]\.labelSelector: must not be set/],
    [config({ ...ZONES, matchLabelKeys: ['a'] }), /\[0\]\.matchLabelKeys: must not be set/],
    [config(ZONES, { ...ZONES, maxSkew: 2 }), /\[1\]: says the same as \[0\]/],
    ['podTopologySpread', /found "podTopologySpread", expected an object/],
  ])('refuses %j', (value, words) => {
    expect(parseSchedulerConfig(JSON.stringify(value))).toEqual({
      problem: expect.stringMatching(words),
    });
  });
});
