import type { AwsCall } from '#lib/aws/calls/call.ts';
import { describeAwsError } from '#lib/aws/errors.ts';
import { findInstances, listInstances } from '#lib/aws/instances.ts';
import { listLaunchTemplates } from '#lib/aws/launch-templates.ts';
import { awaitsPartition } from '#lib/ec2/launch/awaited-partition.ts';
import type { DecodedObjects } from '#lib/kube/decode/decode.ts';
import { LAUNCHED } from '#lib/model/condition-types.ts';
import { conditionOf } from '#lib/model/conditions.ts';
import type { Instance } from '#lib/model/instance.ts';
import { LAUNCH_GROUP, TERMINATION_FINALIZER } from '#lib/model/labels.ts';
import type { FoundLaunchTemplate } from '#lib/model/launch.ts';
import type { Node } from '#lib/model/node.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import type { LeftOut } from '#lib/model/snapshot.ts';
import type { EpochMs } from '#lib/model/time.ts';

/** What the cluster has in the account; a part that nobody needed to know is absent. */
export interface AccountObjects {
  readonly instances?: readonly Instance[];
  readonly launchTemplates?: readonly FoundLaunchTemplate[];
  readonly leftOut: readonly LeftOut[];
}

/** What is looked for, and when. */
interface AccountQuestion {
  readonly takenAt: EpochMs;
  readonly clusterName: string;
  /** List the instances even where no NodeClaim raises the question. */
  readonly listInstances: boolean;
}

const MINUTE_MS = 60_000;
/**
 * In which minutes a look that comes by lists the instances, to find those of nobody, and in which
 * the launch templates: not on the hour, when everybody's schedules ring.
 */
const INSTANCES = { every: 5, at: 3 };
const TEMPLATES = { every: 60, at: 33 };

const isTime = ({ every, at }: typeof INSTANCES, now: EpochMs): boolean =>
  Math.floor(now / MINUTE_MS) % every === at;

/**
 * The cluster's instances, where a NodeClaim raises the question whether it has one, and every few
 * minutes by the clock; then, more seldom, its launch templates, too. An instance that a NodeClaim
 * holds and the list does not show is asked for by its id before anything is concluded. Where EC2
 * does not answer, a part is left out: nothing is concluded from it, and all else goes on.
 */
export async function readAccount(
  aws: AwsCall,
  { nodeClaims, nodes, nodeClasses }: Pick<DecodedObjects, 'nodeClaims' | 'nodes' | 'nodeClasses'>,
  question: AccountQuestion,
): Promise<AccountObjects> {
  const { takenAt, clusterName } = question;
  const isAsked =
    question.listInstances ||
    isTime(INSTANCES, takenAt) ||
    nodeClaims.some(isUncertain) ||
    nodes.some(isLeavingSilently) ||
    nodeClaims.some(isMissing(nodes, takenAt)) ||
    isPartitionAwaited(nodeClaims, nodeClasses);
  if (!isAsked) return { leftOut: [] };
  const [instances, launchTemplates] = await Promise.all([
    answered('DescribeInstances', clusterName, instancesOf(aws, nodeClaims, question)),
    isTime(TEMPLATES, takenAt)
      ? answered('DescribeLaunchTemplates', clusterName, listLaunchTemplates(aws, clusterName))
      : undefined,
  ]);
  return {
    ...(instances.answer && { instances: instances.answer }),
    ...(launchTemplates?.answer && { launchTemplates: launchTemplates.answer }),
    leftOut: [...instances.leftOut, ...(launchTemplates?.leftOut ?? [])],
  };
}

/** The answer, or that there was none as something that was left out. */
async function answered<T>(
  operation: string,
  name: string,
  asking: Promise<T>,
): Promise<{ readonly answer?: T; readonly leftOut: readonly LeftOut[] }> {
  try {
    return { answer: await asking, leftOut: [] };
  } catch (error) {
    const object = { apiVersion: 'ec2', kind: 'what EC2 has of', name };
    return { leftOut: [{ object, field: operation, problem: describeAwsError(error) }] };
  }
}

async function instancesOf(
  aws: AwsCall,
  claims: readonly NodeClaim[],
  { takenAt, clusterName }: AccountQuestion,
): Promise<readonly Instance[]> {
  const listed = await listInstances(aws, clusterName);
  const seen = new Set(listed.map(({ id }) => id));
  const unseen = claims
    .filter(({ status }) => isOlder(conditionOf(status.conditions, LAUNCHED)?.changedAt, takenAt))
    .flatMap(({ status }) => status.providerId?.split('/').at(-1) ?? [])
    .filter((id) => id.startsWith('i-') && !seen.has(id));
  return unseen.length === 0 ? listed : [...listed, ...(await findInstances(aws, unseen))];
}

/** Nodes come up within it; EC2 lists an instance by then, so that its absence means something. */
const USUAL_START_MS = 60_000;

const isOlder = (instant: EpochMs | undefined, now: EpochMs): boolean =>
  instant !== undefined && now - instant >= USUAL_START_MS;

/** Whether a NodeClaim has to be told its partition of a placement group. */
function isPartitionAwaited(
  claims: readonly NodeClaim[],
  nodeClasses: readonly NodeClass[],
): boolean {
  const byName = new Map(nodeClasses.map((each) => [each.meta.name, each]));
  return claims.some((claim) => awaitsPartition(claim, byName.get(claim.spec.nodeClassRef.name)));
}

/** It is being deleted, or a launch was begun for it whose result is not written down. */
const isUncertain = ({ meta, status }: NodeClaim): boolean =>
  meta.deletedAt !== undefined ||
  (meta.annotations[LAUNCH_GROUP] !== undefined && status.providerId === undefined);

/** It is being deleted and its kubelet is not heard of: if its machine is gone, so may it be. */
const isLeavingSilently = ({ meta, ready }: Node): boolean =>
  meta.deletedAt !== undefined &&
  meta.finalizers.includes(TERMINATION_FINALIZER) &&
  ready?.status !== 'True';

/** Tells of a NodeClaim that was launched a while ago whether its Node is not there, or not Ready. */
function isMissing(nodes: readonly Node[], now: EpochMs): (claim: NodeClaim) => boolean {
  const ready = new Set(
    nodes.flatMap(({ providerId, ready: is }) => (is?.status === 'True' ? (providerId ?? []) : [])),
  );
  return ({ status: { providerId, conditions } }) => {
    const launched = conditionOf(conditions, LAUNCHED);
    return (
      providerId !== undefined &&
      launched?.status === 'True' &&
      isOlder(launched.changedAt, now) &&
      !ready.has(providerId)
    );
  };
}
