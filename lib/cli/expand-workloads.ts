import { type Labels, selects } from '#lib/constraints/label-selector.ts';
import { texts } from '#lib/kube/decode/decode-meta.ts';
import { decodeLabelSelector } from '#lib/kube/decode/decode-scheduling.ts';
import {
  DecodeError,
  group,
  list,
  optional,
  type Wire,
  wire,
  withDefault,
} from '#lib/kube/decode/field.ts';
import { flag, integer } from '#lib/kube/decode/scalar.ts';
import { shortDigest } from '#lib/model/digest.ts';
import { nameOf, namespaceOf } from './file-objects.ts';

/** The pods that a workload would have, and what is told of it. */
export interface Expansion {
  /** Pods with their ReplicaSets and PersistentVolumeClaims, as controllers would make them. */
  readonly objects: readonly Wire[];
  readonly warnings: readonly string[];
}

const WORKLOADS = ['Deployment', 'ReplicaSet', 'StatefulSet', 'Job'] as const;
type WorkloadKind = (typeof WORKLOADS)[number];

/** Whether `kind` has pods that `expandWorkloads` can make. */
const isWorkload = (kind: unknown): kind is WorkloadKind =>
  WORKLOADS.some((workload) => workload === kind);

/**
 * Makes the pods of each Deployment, ReplicaSet, StatefulSet and Job of which `objects` hold no
 * pod: as many as it wants, named and labelled as its controller would, in no order that matters.
 * A ReplicaSet whose Deployment is there too is the Deployment's. One that cannot be read makes no
 * pods, and a warning.
 */
export function expandWorkloads(objects: readonly Wire[]): Expansion {
  const deployments = new Set(
    objects.filter(({ kind }) => kind === 'Deployment').map((one) => keyOf('Deployment', one)),
  );
  const hasPods = podFinder(objects.filter(({ kind }) => kind === 'Pod'));
  const expansions = objects.flatMap((workload) => {
    const { kind } = workload;
    if (!isWorkload(kind)) return [];
    const what = `${kind} ${namespaceOf(workload)}/${nameOf(workload)}`;
    try {
      const isTakenCareOf = isOwned(workload, deployments) || hasPods(workload);
      return isTakenCareOf ? [] : [expansionOf(what, podsOf(kind, workload))];
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      return [{ objects: [], warnings: [`${what}: ${error.message}; its pods were not made`] }];
    }
  });
  return {
    objects: expansions.flatMap((one) => one.objects),
    warnings: expansions.flatMap(({ warnings }) => warnings),
  };
}

function expansionOf(what: string, objects: readonly Wire[]): Expansion {
  const count = objects.filter(({ kind }) => kind === 'Pod').length;
  if (count === 0) return { objects, warnings: [] };
  const made = count === 1 ? 'one was' : `${count} were`;
  return {
    objects,
    warnings: [`${what}: the files hold none of its pods, ${made} made from its template`],
  };
}

const keyOf = (kind: string, object: Wire): string =>
  `${kind} ${namespaceOf(object)}/${nameOf(object)}`;

const ownersOf = (object: Wire): readonly Wire[] =>
  list(group(object, 'metadata'), 'ownerReferences', wire);

const isOwned = (workload: Wire, deployments: ReadonlySet<string>): boolean =>
  ownersOf(workload).some(
    ({ kind, name }) =>
      kind === 'Deployment' &&
      deployments.has(`Deployment ${namespaceOf(workload)}/${String(name)}`),
  );

/**
 * Tells whether a workload has any of `pods`: by owner reference or, as controllers adopt pods, by
 * its selector. Pods are found by the selector's first label, so that each is looked at rarely.
 */
function podFinder(pods: readonly Wire[]): (workload: Wire) => boolean {
  const owned = new Set<string>();
  const labelled = new Map<string, Labels[]>();
  for (const pod of pods) {
    const namespace = namespaceOf(pod);
    const labels = texts(group(pod, 'metadata'), 'labels');
    for (const { kind, name } of ownersOf(pod))
      owned.add(`${String(kind)} ${namespace}/${String(name)}`);
    for (const [key, value] of Object.entries(labels)) {
      const place = `${namespace} ${key}=${value}`;
      const there = labelled.get(place);
      if (there === undefined) labelled.set(place, [labels]);
      else there.push(labels);
    }
  }
  return (workload) => {
    const namespace = namespaceOf(workload);
    if (owned.has(`${String(workload.kind)} ${namespace}/${nameOf(workload)}`)) return true;
    const selector = optional(group(workload, 'spec'), 'selector', decodeLabelSelector);
    const [first] = Object.entries(selector?.matchLabels ?? {});
    const near =
      first === undefined ? [] : (labelled.get(`${namespace} ${first[0]}=${first[1]}`) ?? []);
    return near.some((labels) => selects(selector, labels));
  };
}

function podsOf(kind: WorkloadKind, workload: Wire): readonly Wire[] {
  const spec = group(workload, 'spec');
  const first = kind === 'StatefulSet' ? 0 : 1;
  const length = countOf(kind, workload, spec);
  const pods = Array.from({ length }, (_, at) => podOf(kind, workload, at + first)).flat();
  return kind === 'Deployment' && length > 0 ? [...pods, replicaSetOf(workload)] : pods;
}

/** The ReplicaSet between a Deployment and its pods: what they are spread by is read from it. */
function replicaSetOf(deployment: Wire): Wire {
  const selector = group(group(deployment, 'spec'), 'selector');
  const matchLabels = {
    ...group(selector, 'matchLabels'),
    ...controllerLabels('Deployment', deployment, ''),
  };
  const { name, uid } = ownerOf('Deployment', deployment);
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name, uid, namespace: namespaceOf(deployment) },
    spec: { selector: { ...selector, matchLabels } },
  };
}

function countOf(kind: WorkloadKind, workload: Wire, spec: Wire): number {
  if (kind !== 'Job') return withDefault(spec, 'replicas', 1, integer);
  if (withDefault(spec, 'suspend', false, flag)) return 0;
  const parallelism = withDefault(spec, 'parallelism', 1, integer);
  const succeeded = withDefault(group(workload, 'status'), 'succeeded', 0, integer);
  const completions = withDefault(spec, 'completions', parallelism + succeeded, integer);
  return Math.max(0, Math.min(parallelism, completions - succeeded));
}

function podOf(kind: WorkloadKind, workload: Wire, ordinal: number): readonly Wire[] {
  const template = group(group(workload, 'spec'), 'template');
  const templateMeta = group(template, 'metadata');
  const podName = `${nameOf(workload)}-${ordinal}`;
  const namespace = namespaceOf(workload);
  const claims = list(group(workload, 'spec'), 'volumeClaimTemplates', wire);
  const podSpec = group(template, 'spec');
  const volumes = [
    ...list(podSpec, 'volumes', wire).filter(
      (volume) => !claims.some((claim) => nameOf(claim) === volume.name),
    ),
    ...claims.map((claim) => ({
      name: nameOf(claim),
      persistentVolumeClaim: { claimName: `${nameOf(claim)}-${podName}` },
    })),
  ];
  const pod: Wire = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: podName,
      namespace,
      labels: { ...texts(templateMeta, 'labels'), ...controllerLabels(kind, workload, podName) },
      annotations: texts(templateMeta, 'annotations'),
      ownerReferences: [ownerOf(kind, workload)],
    },
    spec: { ...podSpec, ...(volumes.length > 0 && { volumes }) },
  };
  return [pod, ...claims.map((claim) => claimOf(claim, podName, namespace))];
}

const claimOf = (template: Wire, podName: string, namespace: string): Wire => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: {
    name: `${nameOf(template)}-${podName}`,
    namespace,
    labels: texts(group(template, 'metadata'), 'labels'),
  },
  spec: group(template, 'spec'),
});

const hashOf = (workload: Wire): string =>
  shortDigest(JSON.stringify(group(group(workload, 'spec'), 'template')), 10);

function controllerLabels(
  kind: WorkloadKind,
  workload: Wire,
  podName: string,
): Readonly<Record<string, string>> {
  switch (kind) {
    case 'Deployment':
      return { 'pod-template-hash': hashOf(workload) };
    case 'ReplicaSet':
      return {};
    case 'StatefulSet':
      return { 'statefulset.kubernetes.io/pod-name': podName };
    case 'Job':
      return { 'batch.kubernetes.io/job-name': nameOf(workload), 'job-name': nameOf(workload) };
  }
}

/** A Deployment owns its pods through a ReplicaSet. */
function ownerOf(kind: WorkloadKind, workload: Wire): Wire {
  const isDeployment = kind === 'Deployment';
  const ownerName = isDeployment ? `${nameOf(workload)}-${hashOf(workload)}` : nameOf(workload);
  return {
    apiVersion: kind === 'Job' ? 'batch/v1' : 'apps/v1',
    kind: isDeployment ? 'ReplicaSet' : kind,
    name: ownerName,
    uid: shortDigest(`${kind} ${namespaceOf(workload)}/${ownerName}`, 24),
    controller: true,
  };
}
