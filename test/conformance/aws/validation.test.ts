/**
 * What Karpenter's AWS provider v1.14 takes for an EC2NodeClass and how it judges one, restated.
 * The numbers are those of our list of its behaviours; upstream's own suites are
 * apis/v1/ec2nodeclass_validation_cel and controllers/nodeclass.
 */
import { describe, expect, it } from 'vitest';
import { nodeClassActions } from '#lib/ec2/node-class/node-class-actions.ts';
import type { InstanceType } from '#lib/model/instance-type.ts';
import { WELL_KNOWN } from '#lib/model/labels.ts';
import { admit } from '#lib/sim/schema/admit.ts';
import { ourVersion } from '#test/build/custom-resources.ts';
import { aCatalog, anInstanceType } from '#test/build/instance-types.ts';
import {
  aNodeClassSpec,
  aWrittenNodeClass,
  resolving,
  someFacts,
  verdictOf,
} from '#test/build/node-class-facts.ts';
import { NOON } from '#test/build/objects.ts';
import { someSettings } from '#test/build/snapshots.ts';

type Spec = Readonly<Record<string, unknown>>;

const written = (difference: Spec) => ({
  apiVersion: 'karpenter.k8s.aws/v1',
  kind: 'EC2NodeClass',
  metadata: { name: 'default' },
  spec: aNodeClassSpec(difference),
});

/** What the API server says to a NodeClass that differs so from a good one. */
const refusals = (difference: Spec, before?: Spec) =>
  admit(ourVersion('EC2NodeClass'), written(difference), before && written(before)).errors;

const ebs = (fields: Spec) => ({ blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs: fields }] });
const alias = (name: string) => ({ amiSelectorTerms: [{ alias: name }] });
const face = (networkCardIndex: number, deviceIndex: number, interfaceType: string) => ({
  networkCardIndex,
  deviceIndex,
  interfaceType,
});
const PRIMARY = face(0, 0, 'interface');

describe('what the API server takes', () => {
  it.each<[string, Spec]>([
    [
      '26: an alias beside another term',
      { amiSelectorTerms: [{ alias: 'al2023@latest' }, { id: 'ami-1' }] },
    ],
    ['26: an alias without a version', alias('al2023')],
    ['26: a Windows alias with a version', alias('windows2022@v1')],
    ['26: an alias of another family', alias('ubuntu@latest')],
    ['30: both role and instanceProfile', { instanceProfile: 'mine' }],
    ['30: neither role nor instanceProfile', { role: null }],
    [
      '31: two root volumes',
      { blockDeviceMappings: ['a', 'b'].map((deviceName) => ({ deviceName, rootVolume: true })) },
    ],
    ['31: a volume of 0Gi', ebs({ volumeSize: '0Gi' })],
    ['31: a volume of 59001Gi', ebs({ volumeSize: '59001Gi' })],
    ['31: a volume of 64001G', ebs({ volumeSize: '64001G' })],
    ['31: a volume of 1.5Gi', ebs({ volumeSize: '1.5Gi' })],
    [
      '31: an initialization rate without a snapshot',
      ebs({ volumeSize: '9Gi', volumeInitializationRate: 100 }),
    ],
    [
      '31: an initialization rate of 99',
      ebs({ snapshotID: 'snap-1', volumeInitializationRate: 99 }),
    ],
    [
      '31: an initialization rate of 301',
      ebs({ snapshotID: 'snap-1', volumeInitializationRate: 301 }),
    ],
    ['32: interfaces without a primary one', { networkInterfaces: [face(1, 0, 'interface')] }],
    ['32: a primary interface that is efa-only', { networkInterfaces: [face(0, 0, 'efa-only')] }],
    ['32: two interfaces in one place', { networkInterfaces: [PRIMARY, PRIMARY] }],
    [
      '32: two efa-only interfaces on one card',
      { networkInterfaces: [PRIMARY, face(1, 0, 'efa-only'), face(1, 1, 'efa-only')] },
    ],
    ['33: connection tracking without a timeout', { connectionTracking: {} }],
    ['33: TCP connections tracked for 59 s', { connectionTracking: { tcpEstablishedTimeout: 59 } }],
    ['33: UDP tracked for 61 s', { connectionTracking: { udpTimeout: 61 } }],
    ['35: a placement group by name and id', { placementGroupSelector: { name: 'a', id: 'pg-1' } }],
    ['35: a placement group by nothing', { placementGroupSelector: {} }],
    [
      '36: reservations of an owner and nothing else',
      { capacityReservationSelectorTerms: [{ ownerID: '111122223333' }] },
    ],
    [
      '36: an owner of 13 digits',
      { capacityReservationSelectorTerms: [{ ownerID: '1111222233334', tags: { a: 'b' } }] },
    ],
    [
      '36: match criteria "any"',
      { capacityReservationSelectorTerms: [{ instanceMatchCriteria: 'any' }] },
    ],
  ])('refuses %s', (_what, difference) => {
    expect(refusals(difference)).not.toEqual([]);
  });

  it.each<[string, Spec]>([
    ['a good one', {}],
    [
      '29: of two terms one that says too much',
      { subnetSelectorTerms: [{ tags: { a: 'b' } }, { id: 'subnet-1', tags: { a: 'b' } }] },
    ],
    ['32: an empty list of interfaces', { networkInterfaces: [] }],
    [
      '32: efa-only beside the primary interface',
      { networkInterfaces: [PRIMARY, face(0, 1, 'efa-only')] },
    ],
    [
      '35: a placement group whose name looks like an id',
      { placementGroupSelector: { name: 'pg-my-name' } },
    ],
  ])('takes %s', (_what, difference) => {
    expect(refusals(difference)).toEqual([]);
  });

  it('30: takes a profile in place of a role, later too', () => {
    expect(refusals({ role: null, instanceProfile: 'mine' }, {})).toEqual([]);
    expect(refusals({}, { role: null, instanceProfile: 'mine' })).toEqual([]);
  });

  it('38: knows which labels of the provider a NodePool may ask for, and an overlay', () => {
    const asking = (key: string) => ({
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name: 'default' },
      spec: {
        template: {
          spec: {
            nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
            requirements: [{ key, operator: 'Exists' }],
          },
        },
      },
    });
    const overlaid = (key: string) => ({
      apiVersion: 'karpenter.sh/v1alpha1',
      kind: 'NodeOverlay',
      metadata: { name: 'default' },
      spec: { requirements: [{ key, operator: 'Exists' }], price: '1' },
    });
    const mayAsk = (key: string) => admit(ourVersion('NodePool'), asking(key)).errors.length === 0;
    const mayOverlay = (key: string) =>
      admit(ourVersion('NodeOverlay'), overlaid(key)).errors.length === 0;
    const ours = [...WELL_KNOWN].filter((key) => key.startsWith('karpenter.k8s.aws/'));
    const notForOverlays = /tenancy|capacity-reservation|placement-group/;

    expect(mayAsk('karpenter.k8s.aws/unknown')).toBe(false);
    expect(ours.filter((key) => !mayAsk(key))).toEqual([]);
    expect(ours.filter(mayOverlay)).toEqual(ours.filter((key) => !notForOverlays.test(key)));
  });
});

const validated = (
  difference: Spec,
  facts: Parameters<typeof resolving>[1] = {},
  context: Parameters<typeof resolving>[2] = {},
) => verdictOf(resolving(aWrittenNodeClass(difference), facts, context), 'ValidationSucceeded');

describe('how kubelet settings are judged', () => {
  const judged = (kubelet: Spec, kubeletExpressions = false) =>
    validated({ kubelet }, {}, { settings: someSettings({ kubeletExpressions }) });

  it.each<[string, Spec]>([
    ['taints', { registerWithTaints: [{ key: 'a', effect: 'NoSchedule' }] }],
    ['evictionSoft without a grace period', { evictionSoft: { 'memory.available': '5%' } }],
    ['a threshold of 101%', { evictionHard: { 'memory.available': '101%' } }],
    ['a signal that is none', { evictionHard: { cpu: '5%' } }],
    [
      'a high threshold that is not above the low',
      { imageGCHighThresholdPercent: 50, imageGCLowThresholdPercent: 50 },
    ],
    ['a resource that cannot be reserved', { kubeReserved: { gpu: '1' } }],
    ['a negative reserve', { kubeReserved: { cpu: '-1' } }],
    ['a field that kubelet does not know', { maxpods: 10 }],
    ['a field of the wrong type', { podsPerCore: 'many' }],
  ])('39: invalid: %s', (_what, kubelet) => {
    expect(judged(kubelet)).toMatch(/^False InvalidKubeletConfiguration: /);
  });

  it('39: tells all faults at once', () => {
    expect(judged({ maxpods: 10, evictionHard: { cpu: '5%' }, kubeReserved: { gpu: '1' } })).toBe(
      'False InvalidKubeletConfiguration: maxpods is no setting of kubelet; evictionHard: cpu is not an eviction signal; kubeReserved: gpu cannot be reserved',
    );
  });

  it.each<[string, Spec]>([
    ['a text for maxPods', { maxPods: 'vcpus * 4' }],
    ['a reserve', { kubeReserved: { cpu: 'vcpus * 10' } }],
  ])('41: refuses expressions while they are switched off: %s', (_what, kubelet) => {
    expect(judged(kubelet)).toMatch(/^False KubeletExpressionsDisabled: /);
    expect(judged(kubelet, true)).toMatch(/^True/);
  });

  it('41: takes values while expressions are switched off', () => {
    expect(judged({ maxPods: 20, kubeReserved: { cpu: '100m' } })).toMatch(/^True/);
  });

  it.each(['vcpus +', 'foo * 2', 'true'])('42: %s is no expression for a number', (maxPods) => {
    expect(judged({ maxPods }, true)).toMatch(/^False KubeletExpressionInvalid: maxPods: /);
  });

  it.each(['0 - 1', '1 / (vcpus - vcpus)'])('42: %s cannot be reserved', (cpu) => {
    const kubeletProblem = `kubeReserved.cpu for m5.large (${cpu}) comes to nothing usable`;
    const settings = someSettings({ kubeletExpressions: true });

    expect(
      validated({ kubelet: { kubeReserved: { cpu } } }, { kubeletProblem }, { settings }),
    ).toBe(`False KubeletExpressionEvaluationFailed: ${kubeletProblem}`);
  });

  it.each<[string, Spec, boolean]>([
    ['AL2023', { cpuManagerPolicy: 'static', clusterDNS: ['10.0.0.1', '10.0.0.2'] }, true],
    ['Custom', { cpuManagerPolicy: 'static', clusterDNS: ['10.0.0.1', '10.0.0.2'] }, true],
    ['AL2', { cpuManagerPolicy: 'static' }, false],
    ['AL2', { clusterDNS: ['10.0.0.1', '10.0.0.2'] }, false],
    ['AL2', { podsPerCore: 2 }, true],
    ['Bottlerocket', { podsPerCore: 2 }, false],
  ])('images of family %s can be told %j: %s', (amiFamily, kubelet, can) => {
    const verdict = validated({ amiFamily, amiSelectorTerms: [{ id: 'ami-1' }], kubelet });

    expect(verdict).toMatch(can ? /^True/ : /^False UnsupportedKubeletConfiguration: /);
  });

  it('one that leaves nothing for pods on any type is no good; one type is enough', () => {
    const full = { ...anInstanceType('m5.large'), allocatable: { cpu: 0, memory: 1, pods: 1 } };
    const free = anInstanceType('m5.xlarge');
    const among = (...types: InstanceType[]) =>
      validated({}, {}, { instanceTypes: aCatalog(types).byNodeClass.get('default') ?? [] });

    expect(among(full)).toMatch(/^False KubeletReservesTooMuch: /);
    expect(among(full, free)).toMatch(/^True/);
  });
});

describe('what a dry run tells upstream', () => {
  it('43, 44, 47: on purpose otherwise: nothing is rehearsed, the first launch tells', () => {
    expect(validated({})).toMatch(/^True/);
    expect(validated({ amiFamily: 'Windows2022', amiSelectorTerms: [{ id: 'ami-1' }] })).toMatch(
      /^True/,
    );
  });

  it('45: a profile that the user named and that is not there', () => {
    const named = { role: null, instanceProfile: 'mine' };

    expect(validated(named, { instanceProfiles: [] })).toBe(
      'False InstanceProfileNotFound: There is no instance profile mine',
    );
    const { instanceProfiles } = someFacts();
    expect(validated(named, { instanceProfiles: { failed: 'throttled' } })).toMatch(/^True/);
    expect(validated(named, { instanceProfiles })).toMatch(/^False/);
  });

  it('45: a profile of our own that is not there yet is waited for', () => {
    expect(validated({}, { instanceProfiles: [] })).toMatch(/^Unknown DependenciesNotReady/);
  });

  it('46: user data that EC2 does not take, or that its family does not read', () => {
    const custom = { amiFamily: 'Bottlerocket', amiSelectorTerms: [{ id: 'ami-1' }] };

    expect(validated({ userData: 'x'.repeat(16_385) })).toMatch(
      /^False UserDataSizeLimitExceeded: /,
    );
    expect(validated({ ...custom, userData: '[settings' })).toMatch(/^False InvalidUserData: /);
    expect(validated({ userData: 'MIME-Version: 1.0\nnothing' })).toMatch(
      /^False InvalidUserData: /,
    );
  });

  it('46: user data that is too much only together with what makes a node of the instance', () => {
    const userData = `#!/bin/bash\n${'#'.repeat(16_000)}`;

    expect(validated({ userData })).toMatch(
      /^False UserDataSizeLimitExceeded: The user data comes to 16\d{3} bytes, and EC2 takes 16384/,
    );
    const custom = { amiFamily: 'Custom', amiSelectorTerms: [{ id: 'ami-1' }], userData };
    expect(validated(custom)).toMatch(/^True/);
  });

  it('49, 50: on purpose otherwise: nothing is kept of a judgement, and no call writes to EC2', () => {
    const nodeClass = aWrittenNodeClass();
    const actions = nodeClassActions(nodeClass, {
      facts: someFacts(),
      claims: [],
      unreadClaims: [],
      settings: someSettings(),
      now: NOON,
    });

    expect(actions.map(({ kind }) => kind)).toEqual(['update', 'updateStatus']);
    expect(validated({})).toBe(validated({}));
  });

  it('a security group of another network is told before anything is launched with it', () => {
    const securityGroups = [{ id: 'sg-1', vpcIds: ['vpc-2'] }];

    expect(validated({}, { securityGroups })).toBe(
      'False SecurityGroupSubnetVPCMismatch: Security group sg-1 is of vpc-2, subnet subnet-a of vpc-1',
    );
    expect(validated({}, { securityGroups: [{ id: 'sg-1', vpcIds: ['vpc-2', 'vpc-1'] }] })).toMatch(
      /^True/,
    );
  });

  it.each<[string, Record<string, string>]>([
    ["kubernetes.io/cluster/shop is not the user's", { 'kubernetes.io/cluster/shop': 'owned' }],
    ["aws:team is AWS's own", { 'aws:team': 'a' }],
    ["AWS:Team is AWS's own", { 'AWS:Team': 'a' }],
    [`${'k'.repeat(129)} is longer`, { ['k'.repeat(129)]: 'a' }],
    ['The value of the tag team is longer', { team: 'v'.repeat(257) }],
    [
      '44 tags are set',
      Object.fromEntries(Array.from({ length: 44 }, (_, at) => [`team-${at}`, 'a'])),
    ],
  ])('a tag that EC2 does not take, or that is not the user’s to set: %s', (problem, tags) => {
    const verdict = validated({ tags });

    expect(verdict).toMatch(/^False TagValidationFailed: /);
    expect(verdict).toContain(problem);
  });

  it('takes tags as long and as many as EC2 does', () => {
    const tags = Array.from({ length: 42 }, (_, at) => [`team-${at}`, 'a']);

    expect(
      validated({ tags: { ...Object.fromEntries(tags), ['k'.repeat(128)]: 'v'.repeat(256) } }),
    ).toMatch(/^True/);
  });
});
