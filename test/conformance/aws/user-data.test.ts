import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { isRejection } from '#lib/constraints/rejection.ts';
import { requirementsOf } from '#lib/constraints/requirements.ts';
import { labelsOf } from '#lib/ec2/catalog/instance-type-labels.ts';
import { amiFamilyOf } from '#lib/ec2/images/ami-family.ts';
import { imageChoice } from '#lib/ec2/images/image-choice.ts';
import { userDataOf } from '#lib/ec2/user-data/user-data.ts';
import {
  nodeClaimOf,
  nodeClassOf,
  numbersOf,
  type RecordedNode,
  recordedNodes,
  settingsOf,
} from '#test/build/recorded-nodes.ts';

const { cases, factsOf } = recordedNodes('karpenter-user-data');

function userDataFor(recorded: RecordedNode) {
  const claim = nodeClaimOf(recorded);
  const { capacity, reserves } = numbersOf(recorded, factsOf(recorded.instanceType));
  const [capacityType = ''] =
    requirementsOf(claim.spec.requirements).get('karpenter.sh/capacity-type')?.values ?? [];
  return userDataOf({
    claim,
    nodeClass: nodeClassOf(recorded),
    capacityType,
    maxPods: capacity.pods ?? 0,
    settings: settingsOf(recorded),
    ...(reserves && { reserves }),
  });
}

function imageFor(recorded: RecordedNode): string | undefined {
  const { status, ...nodeClass } = nodeClassOf(recorded);
  const facts = factsOf(recorded.instanceType);
  const labels = labelsOf(facts, amiFamilyOf(nodeClass), 'us-east-1');
  return imageChoice(status.amis)({
    requirements: new Map(labels.map((label) => [label.key, label])),
  })?.id;
}

const isToml = ({ id }: RecordedNode): boolean => id.startsWith('bottlerocket');
const answered = cases.filter(({ expected }) => expected.error === undefined);
const titled = (some: readonly RecordedNode[]) => some.map((one) => [one.id, one] as const);

describe('user data, as Karpenter renders it', () => {
  it.each(titled(answered.filter((one) => !isToml(one))))(
    'is the same to the byte: %s',
    (_id, one) => {
      expect(userDataFor(one)).toBe(one.expected.userData);
    },
  );

  it.each(titled(answered.filter(isToml)))('says the same as TOML: %s', (_id, one) => {
    expect(parseToml(String(userDataFor(one)))).toEqual(parseToml(one.expected.userData ?? ''));
  });

  it.each(titled(cases.filter(({ expected }) => expected.error !== undefined)))(
    'is refused: %s',
    (_id, one) => {
      expect(isRejection(userDataFor(one))).toBe(true);
    },
  );

  it.each(titled(answered))('goes with the same image: %s', (_id, one) => {
    expect(imageFor(one)).toBe(one.expected.imageId);
  });
});
