/**
 * The Deployment controller: one ReplicaSet per template, moved from old to new within maxSurge
 * and maxUnavailable.
 *
 * Simplified: no rollback, no progress deadline, no pausing, no history limit (old ReplicaSets
 * stay at 0), minReadySeconds counts as 0.
 *
 * Source: kubernetes v1.36, controller/deployment/rolling.go.
 */

import { compareText } from '#lib/constraints/order.ts';
import { setCondition } from './conditions.ts';
import { sameJson } from './json.ts';
import type { Registry } from './registry.ts';
import type { ControllerParts } from './replica-sets.ts';
import type { Store } from './store.ts';
import { templateHash } from './template-hash.ts';
import type { KubeObject, PodTemplate } from './wire.ts';
import { watchWorkloads } from './workload-queue.ts';
import type { DeploymentObject, ReplicaSetObject } from './workload-wire.ts';
import { controlledBy, createWriter, type Writer } from './writer.ts';

const REACTION_MS = 20;
const HASH_LABEL = 'pod-template-hash';

/** Starts the controller over a registry. */
export function startDeployments({ registry }: ControllerParts): void {
  const writer = createWriter(registry, 'deployment-controller');
  watchWorkloads(registry, {
    kind: 'Deployment',
    owns: 'ReplicaSet',
    reactionMs: REACTION_MS,
    reconcile: (deployment) => reconcile(registry, writer, deployment),
  });
}

function reconcile(registry: Registry, writer: Writer, deployment: DeploymentObject): void {
  const sets = setsOf(registry.store, deployment);
  const current = sets.find(({ spec }) => isOfTemplate(spec.template, deployment.spec.template));
  if (current === undefined) {
    const others = sets.reduce((sum, { spec }) => sum + spec.replicas, 0);
    writer.create(newSet(deployment, others === 0 ? deployment.spec.replicas : 0));
    return;
  }
  const old = sets.filter((set) => set !== current && set.spec.replicas > 0);
  if (deployment.spec.strategy?.type === 'Recreate') recreate(deployment, current, old, writer);
  else roll(deployment, current, old, writer);
  writeStatus(registry, writer, deployment, current);
}

const setsOf = (store: Store, { metadata }: DeploymentObject): readonly ReplicaSetObject[] =>
  store.dependents(metadata.uid).filter(isReplicaSet);

const isReplicaSet = (object: KubeObject): object is ReplicaSetObject =>
  object.kind === 'ReplicaSet';

function isOfTemplate(ofSet: PodTemplate, wanted: PodTemplate): boolean {
  const { [HASH_LABEL]: _, ...labels } = ofSet.metadata?.labels ?? {};
  const isSameMeta =
    sameJson(labels, wanted.metadata?.labels ?? {}) &&
    sameJson(ofSet.metadata?.annotations ?? {}, wanted.metadata?.annotations ?? {});
  return isSameMeta && sameJson(ofSet.spec, wanted.spec);
}

function newSet(deployment: DeploymentObject, replicas: number) {
  const { template, selector } = deployment.spec;
  const hash = templateHash(template);
  const own = { [HASH_LABEL]: hash };
  const labels = { ...template.metadata?.labels, ...own };
  return {
    kind: 'ReplicaSet',
    metadata: {
      name: `${deployment.metadata.name}-${hash}`,
      namespace: deployment.metadata.namespace ?? 'default',
      labels,
      ownerReferences: controlledBy(deployment),
    },
    spec: {
      replicas,
      selector: { ...selector, matchLabels: { ...selector.matchLabels, ...own } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

function recreate(
  { spec }: DeploymentObject,
  current: ReplicaSetObject,
  old: readonly ReplicaSetObject[],
  writer: Writer,
): void {
  for (const set of old) scale(set, 0, writer);
  if (old.length === 0) scale(current, spec.replicas, writer);
}

function roll(
  { spec }: DeploymentObject,
  current: ReplicaSetObject,
  old: readonly ReplicaSetObject[],
  writer: Writer,
): void {
  if (old.length === 0) {
    scale(current, spec.replicas, writer);
    return;
  }
  const { maxSurge = '25%', maxUnavailable = '25%' } = spec.strategy?.rollingUpdate ?? {};
  const surge = portion(maxSurge, spec.replicas, Math.ceil);
  const mayLack = portion(maxUnavailable, spec.replicas, Math.floor);
  const least = spec.replicas - (surge + mayLack === 0 ? 1 : mayLack);
  const total = [current, ...old].reduce((sum, set) => sum + set.spec.replicas, 0);
  const growth = Math.min(spec.replicas + surge - total, spec.replicas - current.spec.replicas);
  if (growth !== 0) {
    scale(current, Math.max(0, current.spec.replicas + growth), writer);
    return;
  }
  shrinkOld(current, old, total - least, writer);
}

/** `spare` pods may go, but for those of the new set that are not up yet; those not up go first. */
function shrinkOld(
  current: ReplicaSetObject,
  old: readonly ReplicaSetObject[],
  spare: number,
  writer: Writer,
): void {
  const notUp = ({ spec, status }: ReplicaSetObject): number =>
    Math.max(0, spec.replicas - (status.readyReplicas ?? 0));
  let left = spare - notUp(current);
  for (const set of old.toSorted(
    (a, b) => notUp(b) - notUp(a) || compareText(a.metadata.name, b.metadata.name),
  )) {
    const shrink = Math.min(set.spec.replicas, left);
    if (shrink <= 0) continue;
    scale(set, set.spec.replicas - shrink, writer);
    left -= shrink;
  }
}

function scale(set: ReplicaSetObject, replicas: number, writer: Writer): void {
  if (set.spec.replicas !== replicas) writer.update({ ...set, spec: { ...set.spec, replicas } });
}

/** A count or a percentage of `whole`. */
export function portion(
  value: number | string,
  whole: number,
  round: (value: number) => number,
): number {
  return typeof value === 'number' ? value : round((Number.parseFloat(value) / 100) * whole);
}

function writeStatus(
  registry: Registry,
  writer: Writer,
  deployment: DeploymentObject,
  current: ReplicaSetObject,
): void {
  const sets = setsOf(registry.store, deployment);
  const total = (field: 'replicas' | 'readyReplicas'): number =>
    sets.reduce((sum, { status }) => sum + (status[field] ?? 0), 0);
  const ready = total('readyReplicas');
  const { replicas } = deployment.spec;
  const isAvailable = ready >= replicas - portion('25%', replicas, Math.floor);
  const available = {
    type: 'Available',
    status: isAvailable ? 'True' : 'False',
    reason: isAvailable ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
    message: `Deployment ${isAvailable ? 'has' : 'does not have'} minimum availability.`,
  } as const;
  writer.updateStatus(deployment, {
    observedGeneration: deployment.metadata.generation,
    replicas: total('replicas'),
    updatedReplicas: current.status.replicas ?? 0,
    readyReplicas: ready,
    availableReplicas: ready,
    unavailableReplicas: Math.max(0, replicas - ready),
    conditions: setCondition(deployment.status.conditions, available, registry.clock.now()),
  });
}
