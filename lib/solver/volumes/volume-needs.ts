import { compareText } from '#lib/constraints/order.ts';
import { isRejection, type Rejection, reject } from '#lib/constraints/rejection.ts';
import { describeRequirement, type RequirementSpec } from '#lib/constraints/requirement.ts';
import { HOSTNAME } from '#lib/model/labels.ts';
import type { Pod, PodVolume } from '#lib/model/pod.ts';
import type { PersistentVolume, StorageClass } from '#lib/model/volume.ts';
import {
  asksNothing,
  bothAsked,
  type LabelAsk,
  labelAskKey,
  labelAskOf,
  requiredAlternatives,
} from '../pods/ask.ts';
import { type Backing, claimOf, classNameOf, type VolumeObjects } from './volume-lookup.ts';

/** Where a pod's volumes can be attached. */
export interface VolumeNeed {
  /** One must hold of the node; never empty. A pod without such volumes has one that asks nothing. */
  readonly alternatives: readonly LabelAsk[];
  /** Needs of equal text ask for the same. */
  readonly key: string;
}

/** The need of a pod whose volumes may be attached anywhere. */
export const NO_VOLUME_NEED: VolumeNeed = { alternatives: [asksNothing], key: '' };

/** Beyond this many ways to combine volumes the rest is not looked at. */
const MOST_ALTERNATIVES = 256;

/**
 * Which nodes can take all volumes of `pod`, as alternatives in the order of the manifests, or why
 * none can or it cannot be known. Combinations that contradict themselves are left out, and those
 * that say the same count once.
 *
 * Source: karpenter v1.14, provisioning/scheduling/volumetopology.go, GetRequirements. A volume that
 * cannot be looked up leaves a pod unconstrained there; here the pod is refused.
 * Cost: the alternatives of all volumes multiplied, at most 256 at each step.
 */
export function volumeNeedOf(pod: Pod, objects: VolumeObjects): VolumeNeed | Rejection {
  let need: readonly LabelAsk[] = NO_VOLUME_NEED.alternatives;
  const before: PodVolume[] = [];
  for (const volume of pod.volumes) {
    const backing = backingOf(pod, volume, objects);
    if (isRejection(backing)) return backing;
    const own = alternativesOf(backing);
    if (own !== undefined) {
      const both = distinct(
        need.flatMap((one) => own.flatMap((other) => bothAsked(one, other) ?? [])),
      );
      if (both.length === 0) return nowhere(before, volume, need, own);
      need = both.slice(0, MOST_ALTERNATIVES);
    }
    before.push(volume);
  }
  const isAnywhere = need.some(({ requirements }) => requirements.size === 0);
  return isAnywhere ? NO_VOLUME_NEED : { alternatives: need, key: need.map(labelAskKey).join('|') };
}

/** Where the bytes of a pod's volume are, or what they will be made by; or why nobody knows. */
function backingOf(pod: Pod, volume: PodVolume, objects: VolumeObjects): Backing | Rejection {
  const claim = claimOf(pod, volume, objects);
  if (isRejection(claim)) return claim;
  if (claim?.volumeName !== undefined) {
    const persistentVolume = objects.volumes.get(claim.volumeName);
    return persistentVolume
      ? { persistentVolume }
      : reject('volumes', `PersistentVolume "${claim.volumeName}" not found`);
  }
  const className = classNameOf(volume, claim, objects);
  const storageClass = objects.classes.get(className);
  if (storageClass) return { storageClass };
  const what =
    className === ''
      ? 'names no storage class'
      : `names the storage class ${className}, which is not there`;
  return reject('volumes', `its unbound PersistentVolumeClaim ${volume.claimName} ${what}`);
}

/** The alternatives of one volume, empty where it fits nowhere; undefined where it may be anywhere. */
const alternativesOf = (backing: Backing): readonly LabelAsk[] | undefined =>
  'persistentVolume' in backing
    ? alternativesOfVolume(backing.persistentVolume)
    : alternativesOfClass(backing.storageClass);

/**
 * A volume on a node's own disk moves with its pod: upstream makes it a new node in the same zone.
 * A term that selects node fields, or nothing at all, holds for no node that could be made.
 */
function alternativesOfVolume({
  nodeAffinity,
  isLocal,
}: PersistentVolume): readonly LabelAsk[] | undefined {
  if (nodeAffinity.length === 0) return undefined;
  return nodeAffinity
    .filter(
      ({ matchExpressions, hasMatchFields }) => matchExpressions.length > 0 && !hasMatchFields,
    )
    .map(({ matchExpressions }) =>
      isLocal ? matchExpressions.filter(({ key }) => key !== HOSTNAME) : matchExpressions,
    )
    .flatMap((lines) => labelAskOf(lines) ?? []);
}

function alternativesOfClass({ allowedTopologies }: StorageClass): readonly LabelAsk[] | undefined {
  if (allowedTopologies.length === 0) return undefined;
  return allowedTopologies.flatMap((topology) => {
    const lines = topology.map(
      ({ key, values }): RequirementSpec => ({ key, operator: 'In', values }),
    );
    return labelAskOf(lines) ?? [];
  });
}

function distinct(asks: readonly LabelAsk[]): readonly LabelAsk[] {
  return [...new Map(asks.map((ask) => [labelAskKey(ask), ask])).values()];
}

/** Names the two volumes that no node can have together, and where each can be. */
function nowhere(
  before: readonly PodVolume[],
  volume: PodVolume,
  need: readonly LabelAsk[],
  own: readonly LabelAsk[],
): Rejection {
  const named = ({ claimName }: PodVolume): string => `PersistentVolumeClaim ${claimName}`;
  if (own.length === 0) {
    return reject('volumes', `the volume of ${named(volume)} can be attached to no node`);
  }
  const others = before.map(named).join(' and ');
  return reject(
    'volumes',
    `no node can have the volumes of ${others} (${described(need)}) and of ${named(volume)} (${described(own)}) together`,
  );
}

const described = (asks: readonly LabelAsk[]): string =>
  asks
    .map(({ requirements }) =>
      [...requirements.values()].map(describeRequirement).sort(compareText).join(', '),
    )
    .join(' or ');

/** Why a pod's own demands rule out every place where its volumes can be, if they do. */
export function contradictedByVolumes(
  pod: Pod,
  { alternatives }: VolumeNeed,
): Rejection | undefined {
  const asked = requiredAlternatives(pod);
  const isMet = asked.some((ask) =>
    alternatives.some((place) => bothAsked(ask, place) !== undefined),
  );
  if (isMet || asked.length === 0) return undefined;
  return reject(
    'volumes',
    `its volumes can only be attached where ${described(alternatives)}, while it asks for ${described(asked)}`,
  );
}
