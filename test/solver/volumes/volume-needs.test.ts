import { describe, expect, it } from 'vitest';
import { isRejection } from '#lib/constraints/rejection.ts';
import { describeRequirements } from '#lib/constraints/requirements.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { volumeObjectsOf } from '#lib/solver/volumes/volume-lookup.ts';
import { contradictedByVolumes, volumeNeedOf } from '#lib/solver/volumes/volume-needs.ts';
import { HOUR, NOON } from '#test/build/objects.ts';
import { aPod } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';
import {
  aBoundClaim,
  aStorageClass,
  aTerm,
  aVolume,
  aVolumeClaim,
  inZones,
} from '#test/build/volumes.ts';

const ZONE = 'topology.kubernetes.io/zone';
const withClaims = (...names: string[]): Pod =>
  aPod({ volumes: names.map((claimName) => ({ volume: claimName, claimName })) });
const DATA = withClaims('data');

/** The alternatives as text, or the reason why there are none. */
function told(pod: Pod, objects: Partial<Snapshot>): readonly string[] | string {
  const need = volumeNeedOf(pod, volumeObjectsOf(aSnapshot(objects)));
  return isRejection(need)
    ? need.because
    : need.alternatives.map(({ requirements }) => describeRequirements(requirements));
}

const bound = (volume: Parameters<typeof aVolume>[0]): Partial<Snapshot> => ({
  persistentVolumeClaims: [aBoundClaim()],
  persistentVolumes: [aVolume(volume)],
});

describe('volumeNeedOf', () => {
  it('asks nothing for a pod without claims, or for a volume that can be anywhere', () => {
    expect(told(aPod(), {})).toEqual(['']);
    expect(told(DATA, bound({}))).toEqual(['']);
  });

  it('asks for the zone of a bound volume, by its new name', () => {
    const term = aTerm('failure-domain.beta.kubernetes.io/zone In us-east-1b');

    expect(told(DATA, bound({ nodeAffinity: [term] }))).toEqual([`${ZONE} In [us-east-1b]`]);
  });

  it('keeps every alternative of a volume, in order', () => {
    expect(told(DATA, bound({ nodeAffinity: inZones('b', 'a') }))).toEqual([
      `${ZONE} In [b]`,
      `${ZONE} In [a]`,
    ]);
  });

  it('lets a volume on a node’s own disk go to another node of its zone', () => {
    const term = aTerm('kubernetes.io/hostname In node-7', `${ZONE} In a`);
    const onlyHost = aTerm('kubernetes.io/hostname In node-7');

    expect(told(DATA, bound({ isLocal: true, nodeAffinity: [term] }))).toEqual([`${ZONE} In [a]`]);
    expect(told(DATA, bound({ isLocal: true, nodeAffinity: [onlyHost] }))).toEqual(['']);
  });

  it('asks for the node by name where another kind of volume does', () => {
    const need = volumeNeedOf(
      DATA,
      volumeObjectsOf(aSnapshot(bound({ nodeAffinity: [aTerm('kubernetes.io/hostname In n')] }))),
    );

    expect(need).toMatchObject({
      alternatives: [{ present: new Map([['kubernetes.io/hostname', expect.anything()]]) }],
    });
  });

  it('knows no place for a volume whose only terms select node fields or nothing', () => {
    const terms = [{ matchExpressions: [], hasMatchFields: true }, aTerm()];

    expect(told(DATA, bound({ nodeAffinity: terms }))).toBe(
      'the volume of PersistentVolumeClaim data can be attached to no node',
    );
    expect(told(DATA, bound({ nodeAffinity: [...terms, ...inZones('a')] }))).toEqual([
      `${ZONE} In [a]`,
    ]);
  });

  it('asks for what the class of an unbound claim allows', () => {
    const allowedTopologies = [
      [{ key: 'topology.ebs.csi.aws.com/zone', values: ['a', 'b'] }],
      [
        { key: ZONE, values: ['c'] },
        { key: 'rack', values: ['r1'] },
      ],
    ];

    expect(
      told(DATA, {
        persistentVolumeClaims: [aVolumeClaim()],
        storageClasses: [aStorageClass({ allowedTopologies })],
      }),
    ).toEqual([`${ZONE} In [a b]`, `rack In [r1], ${ZONE} In [c]`]);
  });

  it('keeps the combinations of several volumes that can be, each once', () => {
    const objects = {
      persistentVolumeClaims: [
        aBoundClaim({ meta: { name: 'one' } }),
        aBoundClaim({ meta: { name: 'two' } }),
      ],
      persistentVolumes: [
        aVolume({ meta: { name: 'pv-one' }, nodeAffinity: inZones('a', 'b', 'b') }),
        aVolume({ meta: { name: 'pv-two' }, nodeAffinity: inZones('c', 'b') }),
      ],
    };

    expect(told(withClaims('one', 'two'), objects)).toEqual([`${ZONE} In [b]`]);
  });

  it('names the volumes that no node can have together', () => {
    const objects = {
      persistentVolumeClaims: [
        aBoundClaim({ meta: { name: 'one' } }),
        aBoundClaim({ meta: { name: 'two' } }),
      ],
      persistentVolumes: [
        aVolume({ meta: { name: 'pv-one' }, nodeAffinity: inZones('a') }),
        aVolume({ meta: { name: 'pv-two' }, nodeAffinity: inZones('b', 'c') }),
      ],
    };

    expect(told(withClaims('one', 'two'), objects)).toBe(
      `no node can have the volumes of PersistentVolumeClaim one (${ZONE} In [a]) and of PersistentVolumeClaim two (${ZONE} In [b] or ${ZONE} In [c]) together`,
    );
  });

  it('stays small however many volumes with however many places there are', () => {
    const names = Array.from({ length: 12 }, (_, at) => `v${at}`);
    const objects = {
      persistentVolumeClaims: names.map((name) => aBoundClaim({ meta: { name } })),
      persistentVolumes: names.map((name) =>
        aVolume({
          meta: { name: `pv-${name}` },
          nodeAffinity: ['1', '2', '3', '4'].map((value) => aTerm(`rack-${name} In ${value}`)),
        }),
      ),
    };

    expect(told(withClaims(...names), objects).length).toBeLessThanOrEqual(256);
  });

  it.each([
    [
      'there is no claim',
      {},
      'getting persistent volume claim "data", PersistentVolumeClaim "data" not found',
    ],
    [
      'its volume is gone',
      { persistentVolumeClaims: [aBoundClaim()] },
      'PersistentVolume "pv-data" not found',
    ],
    [
      'its class is gone',
      { persistentVolumeClaims: [aVolumeClaim()] },
      'its unbound PersistentVolumeClaim data names the storage class gp3, which is not there',
    ],
    [
      'it has no class',
      { persistentVolumeClaims: [aVolumeClaim({ storageClassName: '' })] },
      'its unbound PersistentVolumeClaim data names no storage class',
    ],
  ])('refuses to guess where %s', (_, objects, because) => {
    expect(told(DATA, objects)).toBe(because);
  });

  it('takes the newest default class for a claim or an ephemeral volume that names none', () => {
    const inZone = (zone: string) => [[{ key: ZONE, values: [zone] }]];
    const storageClasses = [
      aStorageClass({ meta: { name: 'a' }, isDefault: true, allowedTopologies: inZone('old') }),
      aStorageClass({
        meta: { name: 'b', createdAt: NOON },
        isDefault: true,
        allowedTopologies: inZone('new'),
      }),
      aStorageClass({ meta: { name: 'c', createdAt: NOON + HOUR } }),
    ];
    const { storageClassName: _, ...unnamed } = aVolumeClaim();
    const ephemeral = aPod({ volumes: [{ volume: 'tmp', claimName: 'web-1-tmp', ephemeral: {} }] });

    expect(told(DATA, { storageClasses, persistentVolumeClaims: [unnamed] })).toEqual([
      `${ZONE} In [new]`,
    ]);
    expect(told(ephemeral, { storageClasses })).toEqual([`${ZONE} In [new]`]);
  });

  it('does not tie a pod that has to move to the ephemeral volume that it leaves behind', () => {
    const volumes = [
      { volume: 'tmp', claimName: 'web-1-tmp', ephemeral: { storageClassName: 'gp3' } },
    ];
    const objects = {
      persistentVolumeClaims: [aBoundClaim({ meta: { name: 'web-1-tmp' } })],
      persistentVolumes: [
        aVolume({ meta: { name: 'pv-web-1-tmp' }, nodeAffinity: inZones('us-east-1a') }),
      ],
      storageClasses: [aStorageClass()],
    };

    expect(told(aPod({ volumes }), objects)).toEqual([`${ZONE} In [us-east-1a]`]);
    expect(told(aPod({ volumes, nodeName: 'node-1' }), objects)).toEqual(['']);
  });
});

describe('contradictedByVolumes', () => {
  it('says where the volumes are and what the pod asks for instead', () => {
    const pod = aPod({ ...DATA, nodeSelector: { [ZONE]: 'a' } });
    const need = volumeNeedOf(
      pod,
      volumeObjectsOf(aSnapshot(bound({ nodeAffinity: inZones('b') }))),
    );
    if (isRejection(need)) throw new Error(need.because);

    expect(contradictedByVolumes(pod, need)?.because).toBe(
      `its volumes can only be attached where ${ZONE} In [b], while it asks for ${ZONE} In [a]`,
    );
    expect(contradictedByVolumes(DATA, need)).toBeUndefined();
  });
});
