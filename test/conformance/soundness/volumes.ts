/**
 * Whether pods can have their volumes where they are put, as kube-scheduler's filters
 * VolumeBinding, VolumeZone and NodeVolumeLimits judge it.
 *
 * Karpenter lets a local volume follow its pod to another host of the same zone, and so does this
 * judge. A node that is to be made has no limit yet.
 *
 * Sources: kubernetes v1.36, scheduler/plugins/volumebinding and nodevolumelimits; karpenter
 * v1.14, scheduling/volumetopology.go and volumeusage.go.
 */
import type { RequirementSpec } from '#lib/constraints/requirement.ts';
import type { Pod, PodVolume } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import type { PersistentVolumeClaim } from '#lib/model/volume.ts';
import type { Place } from './places.ts';
import { HOSTNAME, meets, nameOf, ZONE } from './rules.ts';

type Alternatives = readonly (readonly RequirementSpec[])[];

/** Pods whose volumes cannot follow them, and nodes that would have to attach too many. */
export function volumeProblems(snapshot: Snapshot, places: readonly Place[]): readonly string[] {
  return places.flatMap((place) => [
    ...place.coming.flatMap((pod) =>
      pod.volumes
        .filter((volume) => !isReachable(pod, volume, place, snapshot))
        .map(({ volume }) => `${nameOf(pod)} cannot have its volume ${volume} on ${place.name}`),
    ),
    ...tooManyOn(place, snapshot),
  ]);
}

function isReachable(pod: Pod, volume: PodVolume, place: Place, snapshot: Snapshot): boolean {
  const wheres = alternativesOf(pod, volume, snapshot);
  return (
    wheres !== undefined &&
    place.outcomes.every(
      (labels) =>
        wheres.length === 0 ||
        wheres.some((lines) => lines.every((line) => meets(labels, translated(line)))),
    )
  );
}

/** The EBS driver writes the zone of a volume under a name of its own. */
const translated = (line: RequirementSpec): RequirementSpec =>
  line.key === 'topology.ebs.csi.aws.com/zone' ? { ...line, key: ZONE } : line;

/** Where the volume can be; nowhere in particular where empty; undefined where it cannot be had. */
function alternativesOf(pod: Pod, volume: PodVolume, snapshot: Snapshot): Alternatives | undefined {
  const claim = claimOf(pod, volume, snapshot);
  if (!claim && !volume.ephemeral) return undefined;
  if (claim?.volumeName) {
    const found = snapshot.persistentVolumes.find(({ meta }) => meta.name === claim.volumeName);
    if (!found) return undefined;
    const terms = found.nodeAffinity
      .filter(({ hasMatchFields }) => !hasMatchFields)
      .map(({ matchExpressions }) => matchExpressions)
      .filter((lines) => lines.length > 0);
    if (terms.length === 0 && found.nodeAffinity.length > 0) return undefined;
    return terms.map((lines) =>
      found.isLocal ? lines.filter(({ key }) => key !== HOSTNAME) : lines,
    );
  }
  const storageClass = classOf(claim, volume, snapshot);
  if (!storageClass || (storageClass.bindingMode === 'Immediate' && claim)) return undefined;
  return storageClass.allowedTopologies.map((terms) =>
    terms.map(({ key, values }): RequirementSpec => ({ key, operator: 'In', values })),
  );
}

const claimOf = (
  { meta }: Pod,
  { claimName }: PodVolume,
  { persistentVolumeClaims }: Snapshot,
): PersistentVolumeClaim | undefined =>
  persistentVolumeClaims.find(
    (each) => each.meta.namespace === meta.namespace && each.meta.name === claimName,
  );

function classOf(
  claim: PersistentVolumeClaim | undefined,
  { ephemeral }: PodVolume,
  { storageClasses }: Snapshot,
) {
  const name = claim ? claim.storageClassName : ephemeral?.storageClassName;
  if (name !== undefined) return storageClasses.find(({ meta }) => meta.name === name);
  const [newest] = storageClasses
    .filter(({ isDefault }) => isDefault)
    .sort((a, b) => b.meta.createdAt - a.meta.createdAt || (a.meta.name < b.meta.name ? -1 : 1));
  return newest;
}

/** In-tree names of drivers that CSI drivers have taken over. */
const MOVED: Readonly<Record<string, string>> = { 'kubernetes.io/aws-ebs': 'ebs.csi.aws.com' };

function driverOf(pod: Pod, volume: PodVolume, snapshot: Snapshot): string | undefined {
  const claim = claimOf(pod, volume, snapshot);
  const found = snapshot.persistentVolumes.find(({ meta }) => meta.name === claim?.volumeName);
  if (claim?.volumeName) return found?.csiDriver;
  const name = classOf(claim, volume, snapshot)?.provisioner;
  return name === undefined ? undefined : (MOVED[name] ?? name);
}

/** By driver, the claims whose volumes these pods need on their node. */
function attachedFor(pods: readonly Pod[], snapshot: Snapshot): Map<string, Set<string>> {
  const attached = new Map<string, Set<string>>();
  for (const pod of pods) {
    for (const volume of pod.volumes) {
      const driver = driverOf(pod, volume, snapshot);
      if (driver === undefined) continue;
      const claims = attached.get(driver) ?? new Set<string>();
      attached.set(driver, claims.add(`${pod.meta.namespace}/${volume.claimName}`));
    }
  }
  return attached;
}

function tooManyOn({ name, bound, coming }: Place, snapshot: Snapshot): readonly string[] {
  const limits = snapshot.csiNodes.find(({ meta }) => meta.name === name)?.drivers ?? [];
  const before = attachedFor(bound, snapshot);
  const after = attachedFor([...bound, ...coming], snapshot);
  return limits
    .filter(({ name: driver, count = Infinity }) => {
      const all = after.get(driver)?.size ?? 0;
      return all > count && all > (before.get(driver)?.size ?? 0);
    })
    .map(({ name: driver }) => `${name} would attach too many volumes of ${driver}`);
}
