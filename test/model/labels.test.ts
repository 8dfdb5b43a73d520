import { describe, expect, it } from 'vitest';
import { isRestrictedLabel, WELL_KNOWN } from '#lib/model/labels.ts';

describe('WELL_KNOWN', () => {
  it('holds the eight labels of the core and the twenty-nine of AWS', () => {
    expect(WELL_KNOWN.size).toBe(37);
    expect([...WELL_KNOWN].filter((key) => key.startsWith('karpenter.k8s.aws/'))).toHaveLength(28);
  });
});

describe('isRestrictedLabel', () => {
  it.each([
    ['kubernetes.io/hostname', true],
    ['karpenter.sh/foo', true],
    ['sub.karpenter.sh/foo', true],
    ['karpenter.k8s.aws/foo', true],
    ['x.karpenter.k8s.aws/foo', true],
    ['karpenter.sh/capacity-type', false],
    ['karpenter.sh/nodepool', false],
    ['mykarpenter.sh/foo', false],
    ['karpenter.sh', false],
    ['kubernetes.io/foo', false],
    ['x.k8s.io/foo', false],
    ['team', false],
  ])('says of %s: %s', (key, restricted) => {
    expect(isRestrictedLabel(key)).toBe(restricted);
  });
});
