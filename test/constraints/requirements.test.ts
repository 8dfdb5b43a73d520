import { describe, expect, it } from 'vitest';
import {
  agrees,
  conflict,
  describeRequirements,
  incompatibility,
  intersectRequirements,
  isCompatible,
  NO_REQUIREMENTS,
  onlyValue,
  requirementsOf,
  requirementsOfLabels,
  specsOfRequirements,
} from '#lib/constraints/requirements.ts';
import { requiring, spec } from '#test/build/constraints.ts';

const CLOSED: ReadonlySet<string> = new Set();
const OPEN: ReadonlySet<string> = new Set(['zone']);

describe('requirementsOf', () => {
  it('intersects the lines on one key, old names included', () => {
    const requirements = requiring(
      'topology.kubernetes.io/zone In a b',
      'failure-domain.beta.kubernetes.io/zone NotIn a',
    );

    expect(describeRequirements(requirements)).toBe('topology.kubernetes.io/zone In [b]');
  });

  it('takes the largest of several minValues', () => {
    const requirements = requirementsOf([spec('k In a b c', 2), spec('k Exists', 3)]);

    expect(describeRequirements(requirements)).toBe('k In [a b c] minValues 3');
  });
});

describe('requirementsOfLabels', () => {
  it('demands each label’s value, under the key’s new name', () => {
    const requirements = requirementsOfLabels({ team: 'a', 'beta.kubernetes.io/arch': 'arm64' });

    expect(describeRequirements(requirements)).toBe('kubernetes.io/arch In [arm64], team In [a]');
  });
});

describe('intersectRequirements', () => {
  it('keeps keys of one side and narrows those of both', () => {
    const both = intersectRequirements(
      requiring('a In 1 2', 'b Exists'),
      requiring('a Gt 1', 'c In x'),
    );

    expect(describeRequirements(both)).toBe('a In [2], b Exists, c In [x]');
  });

  it('never widens: In, then Exists, is still In', () => {
    const both = intersectRequirements(requiring('zone In z1'), requiring('zone Exists'));

    expect(describeRequirements(both)).toBe('zone In [z1]');
  });

  it('gives back its first argument where the second adds nothing, and changes neither', () => {
    const a = requiring('a In 1', 'b In 2');

    expect(intersectRequirements(a, requiring('a In 1 2', 'b Exists'))).toBe(a);
    expect(intersectRequirements(a, NO_REQUIREMENTS)).toBe(a);
    expect(intersectRequirements(NO_REQUIREMENTS, a)).toBe(a);
    intersectRequirements(a, requiring('a In 2', 'c In 3'));
    expect(describeRequirements(a)).toBe('a In [1], b In [2]');
  });
});

describe('conflict', () => {
  // What both sides say of one key, and whether that can be.
  it.each([
    ['zone In a', 'zone In a b', true],
    ['zone In a', 'zone In b', false],
    ['zone Exists', 'zone DoesNotExist', false],
    ['zone In a', 'zone DoesNotExist', false],
    ['zone NotIn a', 'zone DoesNotExist', true],
    ['zone DoesNotExist', 'zone DoesNotExist', true],
    ['zone Gt 1', 'zone DoesNotExist', false],
    ['zone Gt 1', 'zone NotIn a', true],
    ['zone In a', 'zone Gt 1', false],
    ['zone In a', 'zone NotIn a', false],
    ['zone NotIn a', 'zone NotIn b', true],
    ['zone In a', 'arch In b', true],
  ])('%s beside %s: %s', (a, b, can) => {
    expect(conflict(requiring(a), requiring(b)) === undefined).toBe(can);
    expect(conflict(requiring(b), requiring(a)) === undefined).toBe(can);
    expect(agrees(requiring(a), requiring(b))).toBe(can);
  });

  it('says of every key what is asked and what there is', () => {
    expect(conflict(requiring('b In 1', 'a In 1'), requiring('b In 2', 'a In 2', 'c In 3'))).toBe(
      'key a, a In [2] not in a In [1]; key b, b In [2] not in b In [1]',
    );
  });
});

describe('incompatibility', () => {
  // A label that the existing side does not define, asked for as in the first column.
  it.each([
    ['team In a', 'label "team" does not have known values'],
    ['team Exists', 'label "team" does not have known values'],
    ['team Gt 1', 'label "team" does not have known values'],
    ['team NotIn a', undefined],
    ['team DoesNotExist', undefined],
    ['zone In a', undefined],
    ['zone Exists', undefined],
  ])('%s of a side that does not define it', (asked, because) => {
    expect(incompatibility(NO_REQUIREMENTS, requiring(asked), OPEN)).toBe(because);
    expect(isCompatible(NO_REQUIREMENTS, requiring(asked), OPEN)).toBe(because === undefined);
  });

  it('knows no open keys where it is told none', () => {
    expect(incompatibility(NO_REQUIREMENTS, requiring('zone In a'), CLOSED)).toBe(
      'label "zone" does not have known values',
    );
  });

  it('asks the values of an open key that is defined', () => {
    expect(incompatibility(requiring('zone In a'), requiring('zone In b'), OPEN)).toBe(
      'key zone, zone In [b] not in zone In [a]',
    );
  });

  it.each([
    ['zon In a', ' (typo of "zone"?)'],
    ['example.com/zone In a', ' (typo of "zone"?)'],
    ['tea In a', ' (typo of "team"?)'],
    ['colour In a', ''],
  ])('guesses what %s was meant to be', (asked, hint) => {
    const [key] = asked.split(' ');

    expect(incompatibility(requiring('team In a'), requiring(asked), OPEN)).toBe(
      `label "${key}" does not have known values${hint}`,
    );
  });

  it('says all that is wrong at once, unknown keys first', () => {
    expect(
      incompatibility(requiring('a In 1'), requiring('y In 1', 'x In 1', 'a In 2'), CLOSED),
    ).toBe(
      'label "x" does not have known values; label "y" does not have known values; key a, a In [2] not in a In [1]',
    );
  });
});

describe('specsOfRequirements', () => {
  it('writes lines sorted by key that are read back as the same requirements', () => {
    const requirements = requiring('b In y x', 'a Gt 1', 'a NotIn 5', 'c DoesNotExist');
    const specs = specsOfRequirements(requirements);

    expect(specs.map(({ key, operator }) => `${key} ${operator}`)).toEqual([
      'a Gte',
      'a NotIn',
      'b In',
      'c DoesNotExist',
    ]);
    const inclusive = requiring('b In y x', 'a Gte 2', 'a NotIn 5', 'c DoesNotExist');
    expect(requirementsOf(specs)).toEqual(inclusive);
  });
});

describe('describeRequirements', () => {
  it('leaves the hostname out', () => {
    expect(describeRequirements(requiring('kubernetes.io/hostname In n1', 'a In 1'))).toBe(
      'a In [1]',
    );
  });
});

describe('onlyValue', () => {
  it('is what a label will be, where nothing else is left', () => {
    const requirements = requiring('a In 1', 'b In 1 2', 'c NotIn 1', 'd Exists');

    expect(['a', 'b', 'c', 'd', 'e'].map((key) => onlyValue(requirements, key))).toEqual([
      '1',
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
