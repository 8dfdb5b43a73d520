import { describe, expect, it } from 'vitest';
import { requirementsOf } from '#lib/constraints/requirements.ts';
import { dispensableTemplates } from '#lib/ec2/launch/dispensable-templates.ts';
import type { CapacityType } from '#lib/model/instance-type.ts';
import { spec } from '#test/build/constraints.ts';

const config = (name: string, ...prices: number[]) => ({
  template: { name, data: {}, tags: {} },
  overrides: prices.map((Priority) => ({ Priority })),
});

const CONFIGS = [config('few', 0.1, 0.9), config('most', 0.2, 0.2, 0.3), config('dear', 1, 2, 3)];

const dispensable = (capacityType: CapacityType, requirements = requirementsOf([])) =>
  dispensableTemplates(CONFIGS, { capacityType, requirements });

describe('dispensableTemplates', () => {
  it('keeps the template of the cheapest option on demand', () => {
    expect(dispensable('on-demand')).toEqual(['dear', 'most']);
  });

  it('keeps the template with most of the cheaper options on spot', () => {
    expect(dispensable('spot')).toEqual(['dear', 'few']);
  });

  it('keeps all where each stands for a reservation', () => {
    expect(dispensable('reserved')).toEqual([]);
  });

  it('keeps all where the claim insists on a number of choices', () => {
    const choosy = requirementsOf([
      { ...spec('node.kubernetes.io/instance-type Exists'), minValues: 2 },
    ]);
    expect(dispensable('spot', choosy)).toEqual([]);
  });

  it('has the only template of a launch made', () => {
    const one = [config('one', 0.1)];
    expect(
      dispensableTemplates(one, { capacityType: 'spot', requirements: requirementsOf([]) }),
    ).toEqual([]);
  });
});
