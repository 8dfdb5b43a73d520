import { describe, expect, it } from 'vitest';
import { type NodeClassContext, nodeClassActions } from '#lib/ec2/node-class/node-class-actions.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import type { FoundInstanceProfile, NodeClassFacts } from '#lib/model/node-class-facts.ts';
import type { Action } from '#lib/model/plan.ts';
import { aNewClaim } from '#test/build/node-claims.ts';
import { aNodeClass } from '#test/build/node-pools.ts';
import { NOON } from '#test/build/objects.ts';
import { someSettings } from '#test/build/snapshots.ts';

const HASH = 'karpenter.k8s.aws/ec2nodeclass-hash';
const FINALIZER = 'karpenter.k8s.aws/termination';

const facts: NodeClassFacts = {
  nodeClass: 'default',
  subnets: [{ id: 'subnet-1', zone: 'us-east-1a', zoneId: 'use1-az1', freeAddresses: 9 }],
  securityGroups: [{ id: 'sg-1' }],
  images: [{ id: 'ami-1', name: 'al2023', architecture: 'x86_64', createdAt: 0 }],
  instanceProfiles: [],
};
const aProfile = (name: string, difference: Partial<FoundInstanceProfile> = {}) => ({
  name,
  roles: ['node-role'],
  createdAt: 0,
  ...difference,
});

const nothingLeft = {
  nodeClass: 'default',
  leftBehind: { instanceProfiles: [], launchTemplates: [] },
};

const act = (
  nodeClass: NodeClass,
  { claims = [], ...more }: Partial<Omit<NodeClassContext, 'claims'>> & { claims?: string[] } = {},
) =>
  nodeClassActions(nodeClass, {
    claims: claims.map((name) => aNewClaim({ meta: { name } })),
    unreadClaims: [],
    settings: someSettings(),
    now: NOON,
    ...more,
  });

/** The NodeClass after its object was changed as these actions say. */
function applied(nodeClass: NodeClass, actions: readonly Action[]): NodeClass {
  let changed = nodeClass;
  for (const action of actions) {
    if (action.kind === 'update') {
      const annotations = Object.fromEntries(
        Object.entries(action.meta.annotations ?? {}).map(([key, value]) => [key, value ?? '']),
      );
      const { finalizers = changed.meta.finalizers } = action.meta;
      changed = { ...changed, meta: { ...changed.meta, annotations, finalizers } };
    }
    if (action.kind === 'updateStatus') {
      changed = aNodeClass({ ...changed, status: { ...changed.status, ...Object(action.status) } });
    }
  }
  return changed;
}

describe('nodeClassActions', () => {
  it('puts its finalizer and its hash on a NodeClass, once', () => {
    const nodeClass = aNodeClass({ meta: { finalizers: ['theirs'] } });
    const actions = act(nodeClass);

    expect(actions).toMatchObject([
      {
        kind: 'update',
        meta: {
          annotations: { 'karpenter.k8s.aws/ec2nodeclass-hash-version': 'joinery-v1' },
          finalizers: ['theirs', FINALIZER],
        },
      },
    ]);
    expect(act(applied(nodeClass, actions))).toEqual([]);
  });

  it('makes the instance profile before its name is published', () => {
    const actions = act(aNodeClass(), { facts });
    const made = actions.find(({ kind }) => kind === 'ensureInstanceProfile');

    expect(made).toMatchObject({
      profile: expect.stringMatching(/^test_[0-9a-z]{20}$/),
      path: '/karpenter/us-east-1/test/uid-of--default/',
      role: 'node-role',
      tags: { 'eks:eks-cluster-name': 'test', 'karpenter.k8s.aws/ec2nodeclass': 'default' },
    });
    expect(JSON.stringify(actions)).not.toContain('"instanceProfile":');
  });

  it('makes no profile where the user named one', () => {
    const nodeClass = aNodeClass({ spec: { instanceProfile: 'mine' } });
    const actions = act(nodeClass, { facts: { ...facts, instanceProfiles: [aProfile('mine')] } });

    expect(actions.map(({ kind }) => kind)).not.toContain('ensureInstanceProfile');
    expect(JSON.stringify(actions)).toContain('"instanceProfile":"mine"');
  });

  it('takes a new profile for a new role, and the same for a path before the role', () => {
    const profileFor = (role: string) =>
      act(aNodeClass({ spec: { role } }), { facts }).find(
        ({ kind }) => kind === 'ensureInstanceProfile',
      );

    expect(profileFor('other')).not.toMatchObject({ profile: Object(profileFor('mine')).profile });
    expect(profileFor('/team/mine')).toEqual(profileFor('mine'));
  });

  it('comes to rest: what it wrote once it does not write again', () => {
    const told = { facts: { ...facts, instanceProfiles: [aProfile('test_profile')] } };
    const nodeClass = aNodeClass();
    const settled = applied(nodeClass, act(nodeClass, told));

    expect(act(settled, told)).toEqual([]);
  });

  it('keeps a NodeClass that is used, says by whom, and then lets it go', () => {
    const deleted = aNodeClass({ meta: { deletedAt: NOON, finalizers: [FINALIZER, 'theirs'] } });
    const claims = ['a', 'b', 'c', 'd', 'e', 'f'];

    expect(act(deleted, { claims })).toMatchObject([
      { kind: 'recordEvent', message: 'Waiting on NodeClaim termination for a, b, c, d, e' },
    ]);
    expect(act(deleted, { unreadClaims: ['x'] })).toMatchObject([{ kind: 'recordEvent' }]);
    expect(act(deleted)).toEqual([]);
    expect(act(deleted, { remains: nothingLeft })).toMatchObject([
      { kind: 'update', meta: { finalizers: ['theirs'] } },
    ]);
    expect(act(deleted, { claims: ['a'] })).toMatchObject([{ kind: 'recordEvent' }]);
    expect(act(aNodeClass({ meta: { deletedAt: NOON } }))).toEqual([]);
  });

  it('deletes what a NodeClass left in the account before it lets it go', () => {
    const deleted = aNodeClass({ meta: { deletedAt: NOON, finalizers: [FINALIZER] } });
    const leftBehind = { instanceProfiles: [aProfile('old')], launchTemplates: ['t'] };

    expect(act(deleted, { remains: { nodeClass: 'default', leftBehind } })).toMatchObject([
      { kind: 'deleteInstanceProfile', profile: 'old', roles: ['node-role'] },
      { kind: 'deleteLaunchTemplate', name: 't' },
    ]);
    expect(
      act(deleted, {
        remains: { nodeClass: 'default', leftBehind: { failed: 'AccessDenied: no' } },
      }),
    ).toMatchObject([{ kind: 'recordEvent', type: 'Warning', reason: 'FinalizationFailed' }]);
  });

  it('deletes an old profile that neither the status nor a NodeClaim names', () => {
    const found = [aProfile('test_profile'), aProfile('used'), aProfile('old')];
    const unused = (createdAt = 0, settings = {}) =>
      act(aNodeClass(), {
        settings: someSettings(settings),
        facts: { ...facts, instanceProfiles: found.map((each) => ({ ...each, createdAt })) },
      });
    const profilesDeleted = (actions: readonly Action[]) =>
      actions.flatMap((action) =>
        action.kind === 'deleteInstanceProfile' ? [action.profile] : [],
      );
    const using = (profile?: string) =>
      nodeClassActions(aNodeClass(), {
        facts: { ...facts, instanceProfiles: found },
        claims: [
          aNewClaim({
            meta: {
              annotations:
                profile === undefined ? {} : { 'karpenter.k8s.aws/instance-profile-name': profile },
            },
          }),
        ],
        unreadClaims: [],
        settings: someSettings(),
        now: NOON,
      });

    expect(profilesDeleted(unused())).toEqual(['used', 'old']);
    expect(profilesDeleted(unused(0, { isolatedVpc: true }))).toEqual([]);
    expect(profilesDeleted(unused(NOON - 3_599_999))).toEqual([]);
    expect(profilesDeleted(using('used'))).toEqual(['old']);
    expect(profilesDeleted(using())).toEqual([]);
  });

  it('keeps beside the status what it has no field for', () => {
    const [update] = act(aNodeClass(), { facts });

    expect(JSON.parse(Object(update).meta.annotations['joinery.dev/resolved'])).toEqual({
      version: 1,
      freeAddresses: { 'subnet-1': 9 },
      availableInstances: {},
    });
  });

  it('re-stamps NodeClaims hashed by another version before the NodeClass, drifted ones in part', () => {
    const V6 = {
      'karpenter.k8s.aws/ec2nodeclass-hash': '1',
      'karpenter.k8s.aws/ec2nodeclass-hash-version': 'v6',
    };
    const drifted = { type: 'Drifted', status: 'True', reason: 'x', message: '', changedAt: 0 };
    const claims = [
      aNewClaim({ meta: { name: 'a', annotations: V6 } }),
      aNewClaim({
        meta: { name: 'b', annotations: V6 },
        status: { conditions: [{ ...drifted, status: 'True' }] },
      }),
    ];
    const actions = (version: string) =>
      nodeClassActions(
        aNodeClass({ meta: { annotations: { ...V6, [`${HASH}-version`]: version } } }),
        { claims, unreadClaims: [], settings: someSettings(), now: NOON },
      ).flatMap((action) =>
        action.kind === 'update'
          ? [[action.object.name, Object.keys(action.meta.annotations ?? {}).sort()]]
          : [],
      );

    expect(actions('v6')).toEqual([
      ['a', [HASH, `${HASH}-version`]],
      ['b', [`${HASH}-version`]],
      ['default', []],
    ]);
    expect(actions('joinery-v1')).toEqual([['default', [HASH]]]);
  });
});
