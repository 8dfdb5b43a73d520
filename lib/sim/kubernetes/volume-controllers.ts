/**
 * Claims of ephemeral volumes, and volumes for claims that do not wait for a consumer: in the zone
 * of some node, as soon as there is one.
 *
 * Source: kubernetes v1.36, controller/volume/{ephemeral,persistentvolume}; the EBS CSI driver.
 */
import { compareText } from '#lib/constraints/order.ts';
import { ZONE } from '#lib/model/labels.ts';
import type { Random } from '../random.ts';
import { isRecord, recordAt } from './json.ts';
import type { ControllerParts } from './replica-sets.ts';
import { isNode, isPod, type Store } from './store.ts';
import { classOf, provision, waitsForConsumer } from './volumes.ts';
import type { KubeObject, PodObject } from './wire.ts';
import { createWorkQueue } from './work-queue.ts';
import type { ClaimObject } from './workload-wire.ts';
import { controlledBy, createWriter, type Writer } from './writer.ts';

const REACTION_MS = 100;

/** Starts both controllers over a registry. */
export function startVolumeControllers({ clock, registry }: ControllerParts, random: Random): void {
  const writer = createWriter(registry, 'volume-controllers');
  const { store } = registry;
  const claims = createWorkQueue(clock, (uid) => {
    const claim = store.knownByUid('PersistentVolumeClaim', uid);
    if (claim !== undefined) bindAtOnce(store, writer, random, claim);
  });
  const bind = (claim: KubeObject): void => claims.add(claim.metadata.uid, REACTION_MS);
  store.onChange(({ type, object, old }) => {
    if (object.kind === 'PersistentVolumeClaim') bind(object);
    if (isPod(object) && type === 'added') {
      clock.after(REACTION_MS, () => claimEphemeral(object, writer));
    }
    if (isNode(object) && old?.metadata.labels !== object.metadata.labels) {
      unbound(store).forEach(bind);
    }
  });
}

const unbound = (store: Store): readonly ClaimObject[] =>
  store.all('PersistentVolumeClaim').filter(({ spec }) => spec.volumeName === undefined);

function bindAtOnce(store: Store, writer: Writer, random: Random, claim: ClaimObject): void {
  const storageClass = classOf(claim, store);
  if (claim.spec.volumeName !== undefined || storageClass === undefined) return;
  const zones = new Set(store.all('Node').map(({ metadata }) => metadata.labels?.[ZONE] ?? ''));
  zones.delete('');
  if (waitsForConsumer(storageClass) || zones.size === 0) return;
  const sorted = [...zones].sort(compareText);
  provision(claim, sorted[random.between(0, sorted.length - 1)], writer);
}

function claimEphemeral(pod: PodObject, writer: Writer): void {
  const { name: podName, namespace = 'default' } = pod.metadata;
  for (const { name, ephemeral } of pod.spec.volumes ?? []) {
    if (ephemeral === undefined) continue;
    const template: unknown = ephemeral.volumeClaimTemplate;
    writer.create({
      kind: 'PersistentVolumeClaim',
      metadata: { name: `${podName}-${name}`, namespace, ownerReferences: controlledBy(pod) },
      spec: isRecord(template) ? recordAt(template, 'spec') : {},
    });
  }
}
