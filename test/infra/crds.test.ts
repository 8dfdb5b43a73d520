import { describe, expect, test } from 'vitest';
import type { StructuralSchema } from '#lib/sim/schema/structural-schema.ts';
import { OUR_CRDS } from '#test/build/custom-resources.ts';

/** Every node of a schema by its path, as in `spec.taints[].key`. */
function nodes(
  schema: StructuralSchema,
  path = '',
): readonly (readonly [string, StructuralSchema])[] {
  return [
    [path, schema],
    ...[...schema.properties].flatMap(([name, below]) => nodes(below, `${path}.${name}`)),
    ...(schema.items === undefined ? [] : nodes(schema.items, `${path}[]`)),
    ...(schema.additionalProperties === undefined
      ? []
      : nodes(schema.additionalProperties, `${path}{*}`)),
  ];
}

const named = (kind: string) => {
  const crd = OUR_CRDS.get(kind);
  if (crd === undefined) throw new Error(`no definition of ${kind}`);
  return crd;
};

describe('the definitions that Joinery installs', () => {
  test.each([
    ['NodePool', 'karpenter.sh', 'v1', 'nodepools', 'Cluster', [], 'karpenter'],
    ['NodeClaim', 'karpenter.sh', 'v1', 'nodeclaims', 'Cluster', [], 'karpenter'],
    [
      'NodeOverlay',
      'karpenter.sh',
      'v1alpha1',
      'nodeoverlays',
      'Cluster',
      ['overlays'],
      'karpenter',
    ],
    [
      'EC2NodeClass',
      'karpenter.k8s.aws',
      'v1',
      'ec2nodeclasses',
      'Cluster',
      ['ec2nc', 'ec2ncs'],
      'karpenter',
    ],
    [
      'CapacityBuffer',
      'autoscaling.x-k8s.io',
      'v1beta1',
      'capacitybuffers',
      'Namespaced',
      ['cb'],
      'autoscaling',
    ],
  ])(
    '%s is called as upstream calls it',
    (kind, group, version, plural, scope, short, category) => {
      const { names, versions, ...crd } = named(kind);
      expect([crd.group, crd.scope, names.plural]).toEqual([group, scope, plural]);
      expect([names.shortNames, names.categories]).toEqual([short, [category]]);
      expect(versions.map((one) => [one.name, one.served, one.storage])).toEqual([
        [version, true, true],
      ]);
      expect(versions[0]?.subresources.status).toBe(true);
    },
  );

  test.each([
    ['NodePool', ['NodeClass', 'Nodes', 'Ready', 'Age'], ['Weight', 'CPU', 'Memory']],
    [
      'NodeClaim',
      ['Type', 'Capacity', 'Zone', 'Node', 'Ready', 'Age'],
      ['ImageID', 'ID', 'NodePool', 'NodeClass', 'Drifted'],
    ],
    ['NodeOverlay', ['Ready', 'Age'], ['Weight']],
    ['EC2NodeClass', ['Ready', 'Age'], ['Role']],
  ])('kubectl get %s has the columns that people know', (kind, narrow, wide) => {
    const columns = named(kind).versions[0]?.columns ?? [];
    expect(columns.filter((one) => one.priority === 0).map((one) => one.name)).toEqual(narrow);
    expect(columns.filter((one) => one.priority > 0).map((one) => one.name)).toEqual(wide);
  });

  test('kubectl scale works on a NodePool', () => {
    expect(named('NodePool').versions[0]?.subresources.scale).toEqual({
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.nodes',
    });
  });

  test.each([
    ['NodePool', 7, 20],
    ['NodeClaim', 1, 10],
    ['NodeOverlay', 0, 8],
    ['CapacityBuffer', 1, 2],
    ['EC2NodeClass', 7, 44],
  ])('%s has all its defaults and rules', (kind, defaults, rules) => {
    const all = nodes(named(kind).versions[0]?.schema as StructuralSchema);
    const found = all.filter(([, schema]) => schema.default !== undefined).length;
    expect([found, all.reduce((sum, [, schema]) => sum + schema.rules.length, 0)]).toEqual([
      defaults,
      rules,
    ]);
  });
});
