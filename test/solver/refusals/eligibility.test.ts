import { describe, expect, it } from 'vitest';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { ineligibility, optsOut } from '#lib/solver/refusals/eligibility.ts';
import { volumeObjectsOf } from '#lib/solver/volumes/volume-lookup.ts';
import { NOON } from '#test/build/objects.ts';
import { aPod } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';
import { aBoundClaim, aStorageClass, aTerm, aVolume, aVolumeClaim } from '#test/build/volumes.ts';

const NODEPOOL = 'karpenter.sh/nodepool';
const why = (difference: Parameters<typeof aPod>[0], objects: Partial<Snapshot> = {}) =>
  ineligibility(aPod(difference), volumeObjectsOf(aSnapshot(objects)));
const requiring = (...required: ReturnType<typeof aTerm>[]) => ({
  nodeAffinity: { required, preferred: [] },
});
const onData = { volumes: [{ volume: 'data', claimName: 'data' }] };

describe('ineligibility', () => {
  it('finds nothing wrong with a plain pod, nor with one whose volume is bound', () => {
    const objects = {
      persistentVolumeClaims: [aBoundClaim({ storageClassName: 'gone' })],
      persistentVolumes: [aVolume()],
    };

    expect(why({})).toBeUndefined();
    expect(why(onData, objects)).toBeUndefined();
  });

  it('finds nothing wrong with a claim that waits for its first pod', () => {
    expect(
      why(onData, { persistentVolumeClaims: [aVolumeClaim()], storageClasses: [aStorageClass()] }),
    ).toBeUndefined();
  });

  it('refuses terms over fields, of which no node is known before it is made', () => {
    const term = { matchExpressions: [], hasMatchFields: true };

    expect(why(requiring(term))).toMatchObject({
      by: 'eligibility',
      because: 'node selector term with matchFields is not supported',
    });
  });

  it('refuses a required affinity of which no term asks anything: it holds for no node', () => {
    expect(why(requiring(aTerm(), aTerm()))).toMatchObject({
      by: 'eligibility',
      because:
        'its required node affinity holds for no node: its terms are all empty, and an empty term selects nothing',
    });
    expect(why(requiring(aTerm(), aTerm('team In a')))).toBeUndefined();
  });

  it.each([
    [{ key: 'team', operator: 'Exists', values: ['a'] }, 'must have no values'],
    [{ key: 'team', operator: 'DoesNotExist', values: ['a'] }, 'must have no values'],
    [{ key: 'team', operator: 'NotIn' }, 'must have a value defined'],
  ] as const)('refuses %j, which the scheduler cannot read', (line, words) => {
    const { because } = why(requiring({ matchExpressions: [line], hasMatchFields: false })) ?? {};

    expect(because).toBe(`key team with operator ${line.operator} ${words}`);
  });

  it('refuses labels that are the provisioner’s to set, in a selector or in any term', () => {
    const words = /^using label kubernetes\.io\/hostname is not allowed/;

    expect(why({ nodeSelector: { 'kubernetes.io/hostname': 'n' } })?.because).toMatch(words);
    expect(
      why(requiring(aTerm('zone In a'), aTerm('kubernetes.io/hostname Exists')))?.because,
    ).toMatch(words);
  });

  it('does not judge what a pod merely prefers', () => {
    const term = aTerm('kubernetes.io/hostname In n');

    expect(
      why({ nodeAffinity: { required: [], preferred: [{ weight: 1, term }] } }),
    ).toBeUndefined();
  });

  it.each([
    [
      'has no claim',
      {},
      'getting persistent volume claim "data", PersistentVolumeClaim "data" not found',
    ],
    [
      'has a claim that is being deleted',
      { persistentVolumeClaims: [aBoundClaim({ meta: { deletedAt: NOON } })] },
      'persistentvolumeclaim is being deleted (PersistentVolumeClaim=default/data)',
    ],
    [
      'has a claim whose volume was lost',
      { persistentVolumeClaims: [aBoundClaim({ phase: 'Lost' })] },
      'persistentvolumeclaim bound to non-existent persistentvolume (PersistentVolume=pv-data, PersistentVolumeClaim=default/data)',
    ],
    [
      'is gone',
      { persistentVolumeClaims: [aBoundClaim()] },
      'failed to validate pvc, PersistentVolume "pv-data" not found (PersistentVolume=pv-data, PersistentVolumeClaim=default/data, StorageClass=gp3)',
    ],
    [
      'is being deleted',
      {
        persistentVolumeClaims: [aBoundClaim()],
        persistentVolumes: [aVolume({ meta: { deletedAt: NOON } })],
      },
      'failed to validate pvc, persistentvolume is being deleted (PersistentVolume=pv-data, PersistentVolumeClaim=default/data, StorageClass=gp3)',
    ],
    [
      'is not bound to the end',
      {
        persistentVolumeClaims: [aBoundClaim({ meta: { annotations: {} } })],
        persistentVolumes: [aVolume()],
      },
      'pvc is considered unbound because it does not contain annotation (PersistentVolume=pv-data, PersistentVolumeClaim=data, annotation=pv.kubernetes.io/bind-completed)',
    ],
    [
      'has no class',
      { persistentVolumeClaims: [aVolumeClaim({ storageClassName: '' })] },
      'unbound pvc must define a storage class (PersistentVolumeClaim=default/data, StorageClass=)',
    ],
    [
      'has a class that is not there',
      { persistentVolumeClaims: [aVolumeClaim()] },
      'failed to validate pvc, failed to get storage class, StorageClass.storage.k8s.io "gp3" not found (PersistentVolumeClaim=default/data, StorageClass=gp3)',
    ],
    [
      'must be bound before any pod comes',
      {
        persistentVolumeClaims: [aVolumeClaim()],
        storageClasses: [aStorageClass({ bindingMode: 'Immediate' })],
      },
      'failed to validate pvc, pvc with immediate volume binding mode must be bound (PersistentVolumeClaim=default/data, StorageClass=gp3)',
    ],
  ])('refuses a pod whose volume %s', (_, objects, because) => {
    expect(why(onData, objects)).toEqual({ rejected: true, by: 'volumes', because });
  });

  it('tells the first volume that has something wrong with it, behind all else', () => {
    const volumes = ['good', 'one', 'two'].map((name) => ({ volume: name, claimName: name }));
    const objects = {
      persistentVolumeClaims: [aBoundClaim({ meta: { name: 'good' } })],
      persistentVolumes: [aVolume({ meta: { name: 'pv-good' } })],
    };
    const told = why({ volumes, nodeSelector: { 'karpenter.sh/foo': 'x' } }, objects);

    expect(told?.by).toBe('eligibility');
    expect(told?.because).toMatch(
      /^using label karpenter\.sh\/foo .*; getting persistent volume claim "one", .* not found$/,
    );
  });

  it('refuses selectors of neighbours that cannot be read, and says which', () => {
    const selector = {
      matchLabels: {},
      matchExpressions: [{ key: 'app', operator: 'In' as const, values: [] }],
    };
    const term = { topologyKey: 'zone', namespaces: [], selector };

    expect(why({ podAffinity: { required: [term], preferred: [] } })?.because).toBe(
      'the selector of its pod affinity over zone cannot be read, key app with operator In must have a value defined',
    );
    expect(
      why({ podAffinity: { required: [], preferred: [{ weight: 1, term }] } }),
    ).toBeUndefined();
  });

  it('refuses a spread that counts by nothing', () => {
    const spread = {
      topologyKey: 'zone',
      maxSkew: 0,
      minDomains: -1,
      whenUnsatisfiable: 'ScheduleAnyway' as const,
      matchLabelKeys: [],
      nodeAffinityPolicy: 'Honor' as const,
      nodeTaintsPolicy: 'Ignore' as const,
    };

    expect(why({ topologySpread: [spread] })?.because).toBe(
      'its topology spread over zone has a maxSkew of 0, expected 1 or more; its topology spread over zone has a minDomains of -1, expected 1 or more',
    );
  });

  it('says that a pod opts out beside all else that is wrong with it', () => {
    const pod = requiring(aTerm(`${NODEPOOL} DoesNotExist`, 'kubernetes.io/hostname Exists'));

    expect(why(pod)?.because).toMatch(
      /^configured to not run on a Karpenter provisioned node \(requirement=karpenter\.sh\/nodepool DoesNotExist\); using label/,
    );
  });
});

describe('optsOut', () => {
  const opts = (required: string[], preferred: string[] = []) =>
    optsOut(
      aPod({
        nodeAffinity: {
          required: required.map((line) => aTerm(line)),
          preferred: preferred.map((line, at) => ({ weight: 10 - at, term: aTerm(line) })),
        },
      }),
    );

  it('looks at the first alternative and at the heaviest wish', () => {
    expect(opts([`${NODEPOOL} DoesNotExist`])).toBe(true);
    expect(opts([], [`${NODEPOOL} DoesNotExist`])).toBe(true);
    expect(opts(['zone In a', `${NODEPOOL} DoesNotExist`])).toBe(false);
    expect(opts([], ['zone In a', `${NODEPOOL} DoesNotExist`])).toBe(false);
  });

  it('does not take a wish for another NodePool as the word of a pod that names one', () => {
    expect(opts([`${NODEPOOL} In a`], [`${NODEPOOL} In b`])).toBe(false);
  });
});
