import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addResources,
  atLeastZero,
  firstNegative,
  fits,
  formatResources,
  isBadAmount,
  maxResources,
  minResources,
  parseResources,
  shortfall,
  subtractResources,
} from '#lib/constraints/resources.ts';

const someResources = fc.dictionary(
  fc.constantFrom('cpu', 'memory', 'pods', 'constructor', 'nvidia.com/gpu'),
  fc.nat(1e12),
);

describe('adding and subtracting', () => {
  it('counts a resource that is absent as none', () => {
    expect(addResources({ cpu: 1 }, { cpu: 2, pods: 1 })).toEqual({ cpu: 3, pods: 1 });
    expect(subtractResources({ cpu: 1 }, { cpu: 2, pods: 1 })).toEqual({ cpu: -1, pods: -1 });
  });

  it('is not led astray by a resource called like a property of every object', () => {
    expect(addResources({}, { constructor: 1, toString: 2 })).toEqual({
      constructor: 1,
      toString: 2,
    });
    expect(fits({ constructor: 1 }, {})).toBe(false);
  });

  it('stops at the largest amount that can be counted', () => {
    const most = { memory: Number.MAX_SAFE_INTEGER };

    expect(addResources(most, most)).toEqual(most);
  });

  it('changes neither argument and obeys the laws of sums', () => {
    fc.assert(
      fc.property(someResources, someResources, someResources, (a, b, c) => {
        const before = JSON.stringify([a, b]);
        expect(addResources(a, b)).toEqual(addResources(b, a));
        expect(addResources(addResources(a, b), c)).toEqual(addResources(a, addResources(b, c)));
        expect(subtractResources(addResources(a, b), b)).toMatchObject(a);
        expect(JSON.stringify([a, b])).toBe(before);
      }),
    );
  });
});

describe('atLeastZero', () => {
  it('leaves nothing of what is overdrawn, and the rest as it is', () => {
    expect(atLeastZero({ cpu: -5, memory: 3, pods: 0 })).toEqual({ cpu: 0, memory: 3, pods: 0 });
  });
});

describe('maxResources and minResources', () => {
  it('take the larger of each, and the smallest of what all name', () => {
    const [a, b] = [
      { cpu: 1, memory: 5 },
      { cpu: 2, pods: 1 },
    ];

    expect(maxResources(a, b)).toEqual({ cpu: 2, memory: 5, pods: 1 });
    expect(minResources([a, b])).toEqual({ cpu: 1 });
    expect(minResources([a])).toEqual(a);
    expect(minResources([])).toEqual({});
  });
});

describe('fits', () => {
  it.each([
    ['as much as there is', { cpu: 2 }, { cpu: 2 }, true],
    ['more than there is', { cpu: 3 }, { cpu: 2 }, false],
    ['nothing of what is absent', { gpu: 0 }, { cpu: 2 }, true],
    ['something of what is absent', { gpu: 1 }, { cpu: 2 }, false],
    ['nothing of what is overdrawn', {}, { memory: -1 }, false],
  ])('takes %s for what it is', (_title, requests, available, expected) => {
    expect(fits(requests, available)).toBe(expected);
  });

  it('holds exactly where nothing is missing', () => {
    fc.assert(
      fc.property(someResources, someResources, (requests, available) => {
        const missing = shortfall(requests, available);
        expect(fits(requests, available)).toBe(Object.keys(missing).length === 0);
        expect(fits(requests, addResources(available, missing))).toBe(true);
      }),
    );
  });
});

describe('shortfall', () => {
  it('names only what is missing, and how much', () => {
    expect(shortfall({ cpu: 3, memory: 1, gpu: 1 }, { cpu: 2, memory: 1 })).toEqual({
      cpu: 1,
      gpu: 1,
    });
  });
});

describe('parseResources', () => {
  it('reads every quantity in its resource’s unit', () => {
    expect(parseResources({ cpu: '1.5', memory: '1Gi', pods: 3 })).toEqual({
      cpu: 1_500,
      memory: 1_073_741_824,
      pods: 3,
    });
  });

  it('says which quantity is none, the first by name', () => {
    const parsed = parseResources({ memory: '1GB', cpu: 'two' });

    expect(isBadAmount(parsed)).toBe(true);
    expect(parsed).toEqual({
      badKey: 'cpu',
      problem: '"two" is not a quantity, expected e.g. 2, 500m or 2Gi',
    });
  });

  it('is not mistaken about a resource called badKey', () => {
    expect(isBadAmount(parseResources({ badKey: '1' }))).toBe(false);
  });

  it('reads back what was written, sorted by name', () => {
    fc.assert(
      fc.property(someResources, (resources) => {
        const written = formatResources(resources);
        expect(parseResources(written)).toEqual({ ...resources });
        expect(Object.keys(written)).toEqual(Object.keys(resources).sort());
      }),
    );
  });
});

describe('firstNegative', () => {
  it('says which amount is negative, for those who refuse it', () => {
    expect(firstNegative({ cpu: 1, memory: 0 })).toBeUndefined();
    expect(firstNegative({ pods: -1, memory: -1_024 })).toEqual({
      badKey: 'memory',
      problem: '-1Ki is negative, expected 0 or more',
    });
  });
});
