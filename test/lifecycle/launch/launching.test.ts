import { describe, expect, it } from 'vitest';
import { launchGroupsOf } from '#lib/lifecycle/launch/launch-groups.ts';
import { launchSteps } from '#lib/lifecycle/launch/launching.ts';
import { surroundingsOf } from '#lib/lifecycle/surroundings.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { ResolvedAmi } from '#lib/model/node-class.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { formatInstant } from '#lib/model/time.ts';
import { aCatalog, anInstanceType } from '#test/build/instance-types.ts';
import { wantedOf } from '#test/build/lives.ts';
import { aNewClaim, aNodeClaim } from '#test/build/node-claims.ts';
import { aCondition, aNodeClass } from '#test/build/node-pools.ts';
import { anInFlightNode } from '#test/build/nodes.ts';
import { MINUTE, NOON, SECOND } from '#test/build/objects.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

const ARM64 = { key: 'kubernetes.io/arch', operator: 'In' as const, values: ['arm64'] };
const FINALIZERS = ['karpenter.sh/termination'];

/** A NodeClaim that is a launch group of its own, created `ageMs` ago. */
const alone = (name: string, ageMs = SECOND, annotations: Record<string, string> = {}) =>
  aNewClaim({
    meta: {
      name,
      uid: name,
      createdAt: NOON - ageMs,
      finalizers: FINALIZERS,
      annotations: { 'joinery.dev/launch-group': `${name}/1`, ...annotations },
    },
  });

function refused(claim: NodeClaim, reason: string): NodeClaim {
  const told = { status: 'Unknown', reason, message: 'EC2 said so' } as const;
  const condition = aCondition('Launched', { ...told, changedAt: claim.meta.createdAt });
  return { ...claim, status: { ...claim.status, conditions: [condition] } };
}

/** A NodeClaim whose launch AWS refused `agoMs` ago, for being asked too often. */
const throttled = (name: string, ageMs: number, agoMs: number) =>
  refused(
    alone(name, ageMs, { 'joinery.dev/launch-failed-at': formatInstant(NOON - agoMs) }),
    'RequestLimitExceeded',
  );

const looking = (claims: readonly NodeClaim[], difference: Partial<Snapshot> = {}) =>
  aSnapshot({ nodes: claims.map(anInFlightNode), instances: [], ...difference });

/** The names of the NodeClaims that a look launches. */
function launchedIn(snapshot: Snapshot): readonly string[] {
  const around = surroundingsOf(snapshot);
  return launchSteps(launchGroupsOf(around), around).flatMap(({ actions }) =>
    actions.flatMap((action) =>
      action.kind === 'launch' ? action.launch.claims.map(({ name }) => name) : [],
    ),
  );
}

describe('launches that AWS refused for being asked too often', () => {
  it('wait, all of them, as long again as it has lasted', () => {
    const claims = [throttled('a', 20 * SECOND, 5 * SECOND), alone('b'), alone('c')];

    expect(launchedIn(looking(claims))).toEqual([]);
  });

  it('are then tried one at a time', () => {
    const claims = [
      throttled('a', 20 * SECOND, 16 * SECOND),
      throttled('b', 20 * SECOND, 16 * SECOND),
      alone('c'),
    ];

    expect(launchedIn(looking(claims))).toEqual(['a']);
  });

  it('count although their NodeClaim was given up, so that its successor does not rush', () => {
    const old = throttled('a', 5 * MINUTE, 5 * SECOND);
    const deleted = { ...old, meta: { ...old.meta, deletedAt: NOON - SECOND } };

    expect(launchedIn(looking([deleted, alone('b')]))).toEqual([]);
  });

  it('are all tried once one has succeeded', () => {
    const conditions = [aCondition('Launched', { changedAt: NOON - SECOND })];
    const success = aNodeClaim({ meta: { name: 'z' }, status: { conditions } });
    const claims = [throttled('a', 20 * SECOND, 16 * SECOND), alone('b'), success];

    expect(launchedIn(looking(claims))).toEqual(['a', 'b']);
  });
});

describe('launches of one look', () => {
  it('spread over the subnets of a zone as addresses run short', () => {
    const subnet = (id: string, freeAddresses: number) =>
      ({ id, zone: 'us-east-1a', zoneId: 'use1-az1', freeAddresses }) as const;
    const nodeClasses = [
      aNodeClass({ status: { subnets: [subnet('subnet-b', 40), subnet('subnet-a', 30)] } }),
    ];
    const catalog = aCatalog([anInstanceType('m5.large', { zones: ['us-east-1a'] })]);
    const around = surroundingsOf(looking([alone('a'), alone('b')], { nodeClasses, catalog }));
    const requests = launchSteps(launchGroupsOf(around), around).map(({ actions }) =>
      JSON.stringify(actions)
        .match(/subnet-[ab](?=","ImageId)/)
        ?.join(),
    );

    expect(requests).toEqual(['subnet-b', 'subnet-a']);
  });
});

describe('a launch that EC2 had no capacity for', () => {
  const zones = ['us-east-1a', 'us-east-1b', 'us-east-1c'];
  const withoutSpot = aCatalog([
    anInstanceType('m5.large', { soldOut: zones.map((zone) => `${zone}/spot`) }),
  ]);
  const withoutAny = aCatalog([
    anInstanceType('m5.large', {
      soldOut: zones.flatMap((zone) => [`${zone}/spot`, `${zone}/on-demand`]),
    }),
  ]);
  const unlucky = (attempt?: string) =>
    refused(
      alone('a', SECOND, {
        'joinery.dev/launch-failed-at': formatInstant(NOON),
        ...(attempt !== undefined && { 'joinery.dev/launch-attempt': attempt }),
      }),
      'InsufficientCapacity',
    );

  it('is made again from what is left, as another call', () => {
    const wanted = wantedOf(looking([unlucky()], { catalog: withoutSpot }), 'a');

    expect(wanted.kinds).not.toContain('delete');
    expect(wanted.update?.meta.annotations).toMatchObject({
      'joinery.dev/launch-attempt': '1',
      'joinery.dev/launch-failed-at': null,
    });
    expect(wanted.condition('Launched')).toMatchObject({ status: 'Unknown' });
    expect(wanted.condition('Launched')?.reason).not.toBe('InsufficientCapacity');
  });

  it.each([
    ['nothing that it may be is left', unlucky(), withoutAny],
    ['it was tried three times', unlucky('2'), withoutSpot],
  ])('ends its NodeClaim where %s', (_why, claim, catalog) => {
    const wanted = wantedOf(looking([claim], { catalog }), 'a');

    expect(wanted.kinds).toEqual(['delete']);
    expect(wanted.events).toEqual(['InsufficientCapacityError: NodeClaim a event: EC2 said so']);
  });
});

describe('a launch that its NodeClass does not allow', () => {
  const amis: readonly ResolvedAmi[] = [
    { id: 'ami-1', name: 'arm', deprecated: false, requirements: [ARM64] },
  ];
  const nodeClass = aNodeClass({ status: { amis } });

  it('waits and says why, rather than give way to another NodeClaim that fares no better', () => {
    const snapshot = looking([alone('a')], {
      nodeClasses: [nodeClass],
      catalog: aCatalog([anInstanceType()]),
    });

    expect(wantedOf(snapshot, 'a').kinds).not.toContain('delete');
    expect(wantedOf(snapshot, 'a').condition('Launched')).toMatchObject({
      status: 'Unknown',
      reason: 'LaunchFailed',
      message: 'no image or no subnet for any instance type that can be bought now',
    });
  });
});
