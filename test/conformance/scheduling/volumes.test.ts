import { describe, expect, it } from 'vitest';
import { place } from '#lib/decide/place.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import type { PersistentVolumeClaim } from '#lib/model/volume.ts';
import { spec } from '#test/build/constraints.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { aNode, anUnmanagedNode } from '#test/build/nodes.ts';
import { GIB, MINUTE, NOON } from '#test/build/objects.ts';
import { affinity, afterwards, named, planOf, requirementOn, ZONE } from '#test/build/plans.ts';
import { aSnapshot } from '#test/build/snapshots.ts';
import {
  aBoundClaim,
  aCsiNode,
  aStorageClass,
  aTerm,
  aVolume,
  aVolumeClaim,
  inZones,
} from '#test/build/volumes.ts';

const DATA = [{ volume: 'data', claimName: 'data' }];
const web = (difference: Partial<Pod> = {}): Pod => named('web', { volumes: DATA, ...difference });
const zonesOf = (difference: Partial<Snapshot>) => {
  const { claims, refused } = planOf({ pods: [web()], ...difference });
  return refused.length > 0
    ? 'refused'
    : requirementOn(claims[0], ZONE)?.flatMap(({ values }) => values);
};
const allowing = (...zones: string[]) =>
  aStorageClass({ allowedTopologies: [[{ key: ZONE, values: zones }]] });

describe('10.7 volumes', () => {
  it('136: a node takes the volumes that its driver allows, and no more', () => {
    const names = Array.from({ length: 12 }, (_, at) => `data-${at}`);
    const first = aSnapshot({
      nodes: [anUnmanagedNode(aNode({ allocatable: { cpu: 9000, memory: 64 * GIB, pods: 110 } }))],
      csiNodes: [aCsiNode('node-1', 10)],
      storageClasses: [aStorageClass()],
      persistentVolumeClaims: names.map((name) => aVolumeClaim({ meta: { name } })),
      pods: Array.from({ length: 6 }, (_, at) =>
        named(`web-${at}`, {
          requests: { cpu: 10 },
          volumes: names
            .slice(2 * at, 2 * at + 2)
            .map((claimName) => ({ volume: claimName, claimName })),
        }),
      ),
    });
    const plan = place(first);

    expect(plan.placements).toHaveLength(5);
    expect(plan.claims).toHaveLength(1);
    expect(place(afterwards(first, plan)).claims).toEqual([]);
  });

  it('136: a claim that a hundred pods share is one volume, and volumes of other drivers are none', () => {
    const on = (pods: readonly Pod[], more: Partial<Snapshot>) =>
      planOf({
        nodes: [
          anUnmanagedNode(aNode({ allocatable: { cpu: 90_000, memory: 64 * GIB, pods: 110 } })),
        ],
        csiNodes: [aCsiNode('node-1', 1)],
        pods,
        ...more,
      }).claims.length;
    const shared = Array.from({ length: 100 }, (_, at) =>
      named(`web-${at}`, { requests: { cpu: 10 }, volumes: DATA }),
    );
    const files = Array.from({ length: 3 }, (_, at) =>
      named(`web-${at}`, {
        requests: { cpu: 10 },
        volumes: [{ volume: 'v', claimName: `share-${at}` }],
      }),
    );
    const { csiDriver: _, ...nfs } = aVolume();

    expect(
      on(shared, { storageClasses: [aStorageClass()], persistentVolumeClaims: [aVolumeClaim()] }),
    ).toBe(0);
    expect(
      on(files, {
        persistentVolumeClaims: files.map((_pod, at) =>
          aBoundClaim({ meta: { name: `share-${at}` } }),
        ),
        persistentVolumes: files.map((_pod, at) => ({
          ...nfs,
          meta: { ...nfs.meta, name: `pv-share-${at}` },
        })),
      }),
    ).toBe(0);
  });

  it('138: the zones that a class allows are those of the node', () => {
    expect(
      zonesOf({
        storageClasses: [allowing('us-east-1a', 'us-east-1b')],
        persistentVolumeClaims: [aVolumeClaim()],
      }),
    ).toEqual(['us-east-1a', 'us-east-1b']);
  });

  it('138: of several volumes the combination of alternatives counts that can be', () => {
    expect(
      zonesOf({
        pods: [web({ volumes: [...DATA, { volume: 'more', claimName: 'more' }] })],
        persistentVolumeClaims: [aBoundClaim(), aBoundClaim({ meta: { name: 'more' } })],
        persistentVolumes: [
          aVolume({ nodeAffinity: inZones('us-east-1a', 'us-east-1b') }),
          aVolume({ meta: { name: 'pv-more' }, nodeAffinity: inZones('us-east-1c', 'us-east-1b') }),
        ],
      }),
    ).toEqual(['us-east-1b']);
  });

  it.each([
    [true, ['us-east-1b']],
    [false, 'refused'],
  ])('139: a volume of one host, local: %s', (isLocal, expected) => {
    expect(
      zonesOf({
        persistentVolumeClaims: [aBoundClaim()],
        persistentVolumes: [
          aVolume({
            isLocal,
            nodeAffinity: [aTerm('kubernetes.io/hostname In gone', `${ZONE} In us-east-1b`)],
          }),
        ],
      }),
    ).toEqual(expected);
  });

  it.each<[string, Partial<PersistentVolumeClaim>, Partial<Snapshot>]>([
    [
      'is to be bound at once and is not',
      {},
      { storageClasses: [aStorageClass({ bindingMode: 'Immediate' })] },
    ],
    ['is being deleted', { meta: { ...aVolumeClaim().meta, deletedAt: NOON } }, {}],
    ['has lost its volume', { phase: 'Lost' }, {}],
    ['was bound by nobody', { volumeName: 'pv-data' }, {}],
    ['has a class that is missing', { storageClassName: 'none' }, {}],
    ['has no class', { storageClassName: '' }, {}],
  ])('140: a pod whose claim %s is refused, with an event', (_, claim, more) => {
    const { refused } = planOf({
      pods: [web()],
      storageClasses: [aStorageClass()],
      persistentVolumes: [aVolume()],
      persistentVolumeClaims: [{ ...aVolumeClaim(), ...claim }],
      ...more,
    });

    expect(refused).toMatchObject([{ by: 'volumes' }]);
  });

  it.each([
    ['a volume that is being deleted', [aVolume({ meta: { deletedAt: NOON } })], 1],
    ['a volume that is there', [aVolume()], 0],
  ])('140: a bound claim without a class, and %s', (_, persistentVolumes, refusals) => {
    const { refused } = planOf({
      pods: [web()],
      persistentVolumes,
      persistentVolumeClaims: [aBoundClaim({ storageClassName: '' })],
    });

    expect(refused).toHaveLength(refusals);
  });

  it.each([
    ['its own class', { storageClassName: 'gp3' }, ['us-east-1a']],
    ['the newest default class', {}, ['us-east-1c']],
  ])('141: an ephemeral volume of %s', (_, ephemeral, zones) => {
    const of = (name: string, zone: string, createdAt: number, isDefault: boolean) => ({
      ...allowing(zone),
      meta: { ...aStorageClass().meta, name, createdAt },
      isDefault,
    });

    expect(
      zonesOf({
        pods: [web({ volumes: [{ volume: 'tmp', claimName: 'web-tmp', ephemeral }] })],
        storageClasses: [
          of('gp3', 'us-east-1a', NOON, false),
          of('new', 'us-east-1c', NOON - MINUTE, true),
          of('old', 'us-east-1b', NOON - 2 * MINUTE, true),
        ],
      }),
    ).toEqual(zones);
  });

  it('143: a preference yields to a volume, never the other way round', () => {
    const bound = {
      persistentVolumeClaims: [aBoundClaim()],
      persistentVolumes: [aVolume({ nodeAffinity: inZones('us-east-1b') })],
    };

    expect(
      zonesOf({ ...bound, pods: [web(affinity([], [[1, `${ZONE} In us-east-1a`]]))] }),
    ).toEqual(['us-east-1b']);
    expect(zonesOf({ ...bound, pods: [web(affinity([`${ZONE} In us-east-1a`]))] })).toBe('refused');
  });

  it('144: a class whose zones the pool does not have refuses the pod', () => {
    expect(
      zonesOf({
        nodePools: [aNodePool({ template: { requirements: [spec(`${ZONE} In us-east-1a`)] } })],
        storageClasses: [allowing('us-east-1b')],
        persistentVolumeClaims: [aVolumeClaim()],
      }),
    ).toBe('refused');
  });
});
