import { describe, expect, it } from 'vitest';
import { nodePoolProblems } from '#lib/model/validation/node-pool-validation.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import recorded from '#test/scenarios/manifests/node-pool-runtime-errors.json' with {
  type: 'json',
};

const template = { labels: {}, taints: [], startupTaints: [], requirements: [] };

const taintOf = (taint: { key?: string; value?: string; effect: string }) => ({
  key: '',
  value: '',
  ...taint,
});

describe('nodePoolProblems', () => {
  // What Karpenter said of the same NodePools, all its errors joined.
  it.each(recorded)('says of $name what Karpenter says', (manifest) => {
    const problems = nodePoolProblems({
      template: {
        ...template,
        labels: JSON.parse(JSON.stringify(manifest.labels)),
        requirements: manifest.requirements,
        taints: (manifest.taints ?? []).map(taintOf),
      },
    });

    expect(problems.join('; ')).toBe(manifest.message);
  });

  it('has nothing against a NodePool as users write it', () => {
    expect(nodePoolProblems(aNodePool())).toEqual([]);
  });

  it('refuses a taint that repeats another’s key and effect, in either list', () => {
    const dedicated = taintOf({ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' });
    const problem = 'duplicate taint Key/Effect pair dedicated=NoSchedule';
    const twice = { ...template, taints: [dedicated, { ...dedicated, value: 'cpu' }] };
    const across = { ...template, taints: [dedicated], startupTaints: [dedicated] };

    expect(nodePoolProblems({ template: twice })).toEqual([problem]);
    expect(nodePoolProblems({ template: across })).toEqual([problem]);
  });

  it.each([
    [
      { 'karpenter.sh/nodepool': 'x' },
      'invalid key name "karpenter.sh/nodepool" in labels, restricted',
    ],
    [{ 'a/b/c': 'x' }, 'invalid key name "a/b/c" in labels, "a qualified name must consist of'],
    [{ '/b': 'x' }, 'invalid key name "/b" in labels, "prefix part must be non-empty"'],
    [{ 'A.com/b': 'x' }, 'invalid key name "A.com/b" in labels, "prefix part a lowercase RFC 1123'],
    [{ team: 'a b' }, 'invalid value: a b for label[team], a valid label must be an empty string'],
    [{ team: 'x'.repeat(64) }, `for label[team], must be no more than 63 bytes`],
    [{ ['k'.repeat(64)]: '' }, 'name part must be no more than 63 bytes'],
    [{ [`${'a'.repeat(254)}/k`]: '' }, 'prefix part must be no more than 253 bytes'],
    [{ 'sub.karpenter.sh/x': '' }, 'using label sub.karpenter.sh/x is not allowed'],
  ])('refuses the labels %j', (labels, problem) => {
    expect(nodePoolProblems({ template: { ...template, labels } }).join('; ')).toContain(problem);
  });

  it.each([
    'kubernetes.io/foo',
    'node.kubernetes.io/foo',
    'x.k8s.io/foo',
    'mykarpenter.sh/x',
    'karpenter.k8s.aws/instance-family',
  ])('lets the label %s be', (key) => {
    expect(nodePoolProblems({ template: { ...template, labels: { [key]: 'x' } } })).toEqual([]);
  });

  it('refuses a capacity type of which no value is known, and too few known ones', () => {
    const requirement = { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['sport'] };
    const requirements = [
      requirement,
      { ...requirement, values: ['spot', 'sport'], minValues: 2 },
      { ...requirement, values: ['spot', 'sport'] },
    ];

    expect(nodePoolProblems({ template: { ...template, requirements } })).toEqual([
      'invalid value: no valid values found in [sport] for karpenter.sh/capacity-type, expected one of: [on-demand reserved spot], got: [sport] in requirements, restricted',
      'invalid value: not enough valid values found in [spot sport] for karpenter.sh/capacity-type, expected at least 2 valid values from: [on-demand reserved spot], got: 1 in requirements, restricted',
    ]);
  });

  it.each([[['1', '2']], [[]], [['1.5']]])('refuses %j as a bound', (values) => {
    const requirements = [{ key: 'size', operator: 'Gte', values }];

    expect(nodePoolProblems({ template: { ...template, requirements } })).toEqual([
      'invalid value: key size with operator Gte must have a single positive integer value in requirements, restricted',
    ]);
  });

  it('refuses a negative bound, which is no label either', () => {
    const requirements = [{ key: 'size', operator: 'Lt', values: ['-1'] }];

    expect(nodePoolProblems({ template: { ...template, requirements } })[0]).toMatch(
      /key size with operator Lt must have a single positive integer value in requirements/,
    );
  });

  it('refuses values that no label can have', () => {
    const requirements = [{ key: 'team', operator: 'In', values: ['a b'] }];

    expect(nodePoolProblems({ template: { ...template, requirements } })[0]).toMatch(
      /^invalid value: invalid value a b for key team, a valid label .* in requirements, restricted$/,
    );
  });
});
