import { describe, expect, it } from 'vitest';
import { FEATURE_GATES, parseFeatureGates } from '#lib/model/feature-gates.ts';

describe('parseFeatureGates', () => {
  it.each([
    ['', []],
    ['NodeOverlay=true', ['NodeOverlay']],
    [' StaticCapacity=true, CapacityBuffer=true ,', ['CapacityBuffer', 'StaticCapacity']],
    ['NodeOverlay=true,NodeOverlay=false', []],
    ['ReservedCapacity=true,NodeRepair=false', []],
  ])('%j opens %j', (text, open) => {
    expect(parseFeatureGates(text)).toEqual(open);
  });

  it.each([
    ['NodeOverlay', 'NodeOverlay does not say true or false, such as NodeOverlay=true'],
    ['NodeOverlay=yes', 'NodeOverlay=yes does not say true or false, such as NodeOverlay=true'],
    ['Typo=true', `there is no gate Typo, only ${FEATURE_GATES.join(', ')}`],
    ['ReservedCapacity=false', 'ReservedCapacity is always true in this version'],
  ])('%j is refused', (text, problem) => {
    expect(parseFeatureGates(text)).toEqual({ problem });
  });
});
