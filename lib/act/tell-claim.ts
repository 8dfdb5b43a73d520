import { decodeNodeClaim } from '#lib/kube/decode/decode-node-claim.ts';
import type { Wire } from '#lib/kube/decode/field.ts';
import { encodeCondition } from '#lib/kube/encode-change.ts';
import { KubeFailure, send } from '#lib/kube/errors.ts';
import { patch, patchStatus, pathOfRef } from '#lib/kube/write.ts';
import { NODE_CLAIM_LIFE } from '#lib/model/condition-types.ts';
import { withCondition, withRoot } from '#lib/model/conditions.ts';
import {
  CAPACITY_TYPE,
  INSTANCE_PROFILE_NAME,
  INSTANCE_TYPE,
  LAUNCH_ATTEMPT,
  LAUNCH_FAILED_AT,
  ZONE,
  ZONE_ID,
} from '#lib/model/labels.ts';
import type { LaunchedInstance } from '#lib/model/launch.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { ObjectRef } from '#lib/model/object.ts';
import { claimRef } from '#lib/model/object-ref.ts';
import { type EpochMs, formatInstant } from '#lib/model/time.ts';
import type { LimitedPorts } from './ports.ts';
import { DONE, type Result } from './result.ts';
import type { Versions } from './versions.ts';

/** How much of a cloud's error a condition quotes. Source: karpenter v1.14, lifecycle/launch.go. */
const LONGEST_MESSAGE = 300;

type Ports = Pick<LimitedPorts, 'kube' | 'now'> & { readonly versions: Versions };

/**
 * Writes into a NodeClaim which instance it has: labels first, then the provider id, by which the
 * next look knows that the labels are there. A claim that has changed in the meantime is read
 * again: an instance that nobody knows of costs more than a call. Throws KubeFailure.
 */
export async function tellInstance(
  ports: Ports,
  claim: ObjectRef,
  instance: LaunchedInstance,
): Promise<Result> {
  const providerID = `aws:///${instance.zone}/${instance.id}`;
  return await onFreshClaim(ports, claim, async (ref, found) => {
    if (found?.status.providerId !== undefined && found.status.providerId !== providerID) {
      return { result: 'lost', because: `${claim.name} has another instance already` };
    }
    const { instanceProfile } = instance;
    const metadata = {
      labels: labelsOf(instance),
      ...(instanceProfile !== undefined && {
        annotations: { [INSTANCE_PROFILE_NAME]: instanceProfile },
      }),
    };
    const resourceVersion = await patch(ports.kube, ref, { metadata });
    const labelled = { ...ref, resourceVersion };
    const status: Wire = {
      providerID,
      ...(instance.imageId !== '' && { imageID: instance.imageId }),
    };
    ports.versions.note(claim, await patchStatus(ports.kube, labelled, status));
    return DONE;
  });
}

const labelsOf = (instance: LaunchedInstance): Readonly<Record<string, string>> => ({
  [INSTANCE_TYPE]: instance.instanceType,
  [ZONE]: instance.zone,
  [CAPACITY_TYPE]: instance.capacityType,
  ...(instance.zoneId !== '' && { [ZONE_ID]: instance.zoneId }),
});

/** Why a NodeClaim has no instance, and what is to come. */
export interface LaunchFailure {
  readonly reason: string;
  readonly message: string;
  /**
   * The same call, where EC2 refused it or may still answer it; another one, where it was answered
   * and came to nothing; none, where the NodeClaim is to be given up.
   */
  readonly next: 'same call' | 'another call' | 'none';
}

/**
 * Writes into a NodeClaim why it has no instance: Launched stays Unknown, with `reason`. What the
 * next launch depends on, its attempt and when this one failed, is written first. Throws
 * KubeFailure.
 */
export async function tellFailure(
  ports: Ports,
  claim: ObjectRef,
  failure: LaunchFailure,
): Promise<Result> {
  const found = await readClaim(ports, claim);
  if (found.status.providerId !== undefined) return DONE;
  const metadata = { annotations: annotationsOf(failure, found, ports.now()) };
  const resourceVersion = await patch(ports.kube, claimRef(found), { metadata });
  const ref = { ...claimRef(found), resourceVersion };
  const launched = {
    type: 'Launched',
    status: 'Unknown',
    reason: failure.reason,
    message: shortened(failure.message),
    observedGeneration: found.meta.generation,
  } as const;
  const told = withCondition(found.status.conditions, launched, ports.now());
  const conditions = withRoot(told, { ...found.meta, dependents: NODE_CLAIM_LIFE }, ports.now());
  const version = await patchStatus(ports.kube, ref, {
    conditions: conditions.map(encodeCondition),
  });
  ports.versions.note(claim, version);
  return DONE;
}

function annotationsOf({ next }: LaunchFailure, { meta }: NodeClaim, now: EpochMs): Wire {
  const attempt = Number(meta.annotations[LAUNCH_ATTEMPT] ?? '0') + 1;
  return {
    [LAUNCH_FAILED_AT]: formatInstant(now),
    ...(next === 'another call' && { [LAUNCH_ATTEMPT]: String(attempt) }),
  };
}

const shortened = (message: string): string =>
  message.length <= LONGEST_MESSAGE ? message : `${message.slice(0, LONGEST_MESSAGE - 3)}...`;

/** Tries on the claim as it was seen, and once more on what it has become since. */
async function onFreshClaim(
  ports: Ports,
  claim: ObjectRef,
  write: (ref: ObjectRef, found: NodeClaim | undefined) => Promise<Result>,
): Promise<Result> {
  try {
    return await write(ports.versions.current(claim), undefined);
  } catch (error) {
    if (!(error instanceof KubeFailure) || error.kind !== 'conflict') throw error;
  }
  const found = await readClaim(ports, claim);
  return await write(claimRef(found), found);
}

/** The claim as it is now; gone where another has its name. Throws KubeFailure. */
async function readClaim(ports: Ports, claim: ObjectRef): Promise<NodeClaim> {
  const path = pathOfRef(claim);
  const found = decodeNodeClaim(await send(ports.kube, { method: 'GET', path }));
  if (found.meta.uid === claim.uid) return found;
  throw new KubeFailure('gone', `NodeClaim ${claim.name} is not the one that was seen`, {});
}
