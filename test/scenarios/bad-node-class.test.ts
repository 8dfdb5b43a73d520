import { describe, expect, it } from 'vitest';
import { anInflateWorld, type InflateWorld } from '#test/build/inflate-world.ts';
import { MINUTE } from '#test/build/objects.ts';

type Spec = Readonly<Record<string, unknown>>;

const statusOf = ({ world }: InflateWorld, kind: string, type: string): unknown => {
  const [object] = world.kubernetes.list(kind);
  const conditions: unknown = Object(Object(object).status).conditions;
  const found = Array.isArray(conditions) ? conditions.find((each) => each.type === type) : {};
  return `${Object(found).status} ${Object(found).reason}`;
};

const nodesOf = ({ stage }: InflateWorld): readonly string[] =>
  stage
    .nodes()
    .map(({ name }) => name)
    .sort();

function rewrite({ world }: InflateWorld, change: (spec: Spec) => Spec): void {
  const [nodeClass] = world.kubernetes.list('EC2NodeClass');
  const { metadata, spec, ...rest } = Object(nodeClass);
  world.apply([{ ...rest, metadata: { name: metadata.name }, spec: change(spec) }]);
}

describe('an EC2NodeClass that goes bad', () => {
  it.each<[string, string, string, Spec]>([
    [
      'selects no subnet',
      'SubnetsReady',
      'SubnetsNotFound',
      {
        subnetSelectorTerms: [{ tags: { nobody: 'has-it' } }],
      },
    ],
    [
      'selects no security group',
      'SecurityGroupsReady',
      'SecurityGroupsNotFound',
      {
        securityGroupSelectorTerms: [{ tags: { nobody: 'has-it' } }],
      },
    ],
    [
      'selects no image',
      'AMIsReady',
      'AMINotFound',
      {
        amiFamily: 'AL2023',
        amiSelectorTerms: [{ name: 'nobody-made-it' }],
      },
    ],
    [
      'sets a tag of AWS',
      'ValidationSucceeded',
      'TagValidationFailed',
      {
        tags: { 'aws:team': 'a' },
      },
    ],
    [
      'has too much user data',
      'ValidationSucceeded',
      'UserDataSizeLimitExceeded',
      {
        userData: `#!/bin/bash\n${'#'.repeat(16_384)}`,
      },
    ],
  ])(
    'because it %s stops its pools, and leaves running nodes alone',
    async (_how, type, reason, spec) => {
      const made = await anInflateWorld();
      expect(await made.untilSound(5 * MINUTE)).toBe(true);
      const [nodes, instances] = [nodesOf(made), made.livingIds()];

      rewrite(made, (before) => ({ ...before, ...spec }));
      await made.pass(7 * MINUTE);
      made.stage.scale('inflate', 40);
      await made.pass(3 * MINUTE);

      expect(statusOf(made, 'EC2NodeClass', type)).toBe(`False ${reason}`);
      expect(statusOf(made, 'EC2NodeClass', 'Ready')).toMatch(/^False/);
      expect(statusOf(made, 'NodePool', 'Ready')).toMatch(/^False/);
      expect(nodesOf(made)).toEqual(nodes);
      expect(made.livingIds()).toEqual(instances);
    },
  );
});
