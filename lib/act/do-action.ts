import { deleteInstanceProfile } from '#lib/aws/instance-profile.ts';
import { tagInstance } from '#lib/aws/instances.ts';
import { deleteLaunchTemplate } from '#lib/aws/node-class-remains.ts';
import { soldOutUntil } from '#lib/ec2/launch/fleet-errors.ts';
import { encodeChange, encodeStatus } from '#lib/kube/encode-change.ts';
import { encodeNodeClaim } from '#lib/kube/encode-node-claim.ts';
import { alreadyExists, isGone, KubeFailure } from '#lib/kube/errors.ts';
import { recordEvent } from '#lib/kube/record-event.ts';
import { rememberSoldOut } from '#lib/kube/sold-out.ts';
import { create, patch, patchStatus, remove } from '#lib/kube/write.ts';
import type { Action } from '#lib/model/plan.ts';
import { evictPod, forceDeletePod } from './drain.ts';
import { launch } from './launch.ts';
import { bindPods, liftTaint, nominate } from './lead.ts';
import { makeProfile } from './make-profile.ts';
import type { LimitedPorts } from './ports.ts';
import { refreshMarket, rememberWhatNodesTold } from './refresh-market.ts';
import { DONE, type Result } from './result.ts';
import { tellInstance } from './tell-claim.ts';
import { updateNodeAnew } from './update-node.ts';
import type { Versions } from './versions.ts';

/** What doing an action takes. */
export type DoingPorts = LimitedPorts & { readonly versions: Versions };

type Of<Kind extends Action['kind']> = Extract<Action, { readonly kind: Kind }>;

/**
 * Does one action. Done twice, each comes to the same: what is there already is not made again,
 * what is gone already is gone. Throws where a call fails; see resultOf.
 */
export async function doAction(ports: DoingPorts, action: Action): Promise<Result> {
  switch (action.kind) {
    case 'createNodeClaim':
      return await createNodeClaim(ports, action);
    case 'launch':
      return await launch(ports, action.launch);
    case 'adoptInstance':
      return await tellInstance(ports, action.claim, action.instance);
    case 'update':
      return await update(ports, action);
    case 'updateStatus':
      return await updateStatus(ports, action);
    case 'delete':
      return await deleteObject(ports, action);
    case 'markUnavailable':
      await rememberSoldOut(ports.kube, action.offerings, {
        now: ports.now(),
        until: soldOutUntil,
      });
      return DONE;
    case 'evict':
      return await evictPod(ports, action);
    case 'forceDelete':
      return await forceDeletePod(ports, action);
    case 'nominate':
      return await nominate(ports, action);
    case 'bind':
      return await bindPods(ports, action);
    case 'liftTaint':
      return await liftTaint(ports, action);
    case 'terminateInstance':
      await ports.terminate(action.instanceId);
      return DONE;
    case 'tagInstance':
      await tagInstance(ports.aws, action.instanceId, action.tags);
      return DONE;
    case 'ensureInstanceProfile':
      return await makeProfile(ports, action);
    case 'deleteInstanceProfile':
      await deleteInstanceProfile(ports.aws, action);
      return DONE;
    case 'deleteLaunchTemplate':
      await deleteLaunchTemplate(ports.aws, action.name);
      return DONE;
    case 'refreshMarket':
      return await refreshMarket(ports, action.parts);
    case 'rememberMemory':
      return await rememberWhatNodesTold(ports, action.records);
    case 'recordEvent':
      await recordEvent(ports, action);
      return DONE;
  }
}

/** A claim's name is fixed by its plan: one that is there was made by an earlier try. */
async function createNodeClaim(ports: DoingPorts, action: Of<'createNodeClaim'>): Promise<Result> {
  try {
    await create(ports.kube, 'NodeClaim', encodeNodeClaim(action.claim));
  } catch (error) {
    if (!alreadyExists(error)) throw error;
  }
  return DONE;
}

async function update(ports: DoingPorts, action: Of<'update'>): Promise<Result> {
  const ref = ports.versions.current(action.object);
  const { meta, taints, seen } = action;
  const version = await patch(ports.kube, ref, encodeChange(meta, taints)).catch(
    async (error: unknown) => {
      const isBehind = error instanceof KubeFailure && error.kind === 'conflict';
      if (!isBehind || seen === undefined) throw error;
      return await updateNodeAnew(ports, action, seen);
    },
  );
  ports.versions.note(action.object, version);
  return DONE;
}

async function updateStatus(ports: DoingPorts, action: Of<'updateStatus'>): Promise<Result> {
  const ref = ports.versions.current(action.object);
  const version = await patchStatus(ports.kube, ref, encodeStatus(action.status));
  ports.versions.note(action.object, version);
  return DONE;
}

/** What is right whatever else is decided is right for the object as it has become, too. */
async function deleteObject(
  ports: DoingPorts,
  { object, needsNoLease }: Of<'delete'>,
): Promise<Result> {
  try {
    await remove(ports.kube, ports.versions.current(object), {
      anyVersion: needsNoLease === true,
    });
  } catch (error) {
    if (!isGone(error)) throw error;
  }
  return DONE;
}
