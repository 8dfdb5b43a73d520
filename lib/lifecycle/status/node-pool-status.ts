import { addResources, type Resources } from '#lib/constraints/resources.ts';
import { metaDifference } from '#lib/lifecycle/step.ts';
import type { Surroundings } from '#lib/lifecycle/surroundings.ts';
import {
  DISRUPTION_REASON,
  INITIALIZED,
  INSTANCE_TERMINATING,
} from '#lib/model/condition-types.ts';
import {
  type ConditionChange,
  conditionOf,
  isTrue,
  withCondition,
  withRoot,
} from '#lib/model/conditions.ts';
import { NODEPOOL, REGISTRATIONS } from '#lib/model/labels.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import type { Condition } from '#lib/model/object.ts';
import { nodePoolRef } from '#lib/model/object-ref.ts';
import type { Action, StatusChange } from '#lib/model/plan.ts';
import { nodePoolProblems } from '#lib/model/validation/node-pool-validation.ts';
import { type PoolHealth, poolHealth } from './node-pool-health.ts';

/** Source: karpenter v1.14, apis/v1/nodepool_status.go. */
const VALIDATION_SUCCEEDED = 'ValidationSucceeded';
const NODE_CLASS_READY = 'NodeClassReady';
/** Resources that a pool counts even where it has none of them. */
const ZEROS: Resources = { cpu: 0, memory: 0, pods: 0, 'ephemeral-storage': 0, nodes: 0 };

/**
 * Brings a NodePool's status up to date: what its nodes add up to, and whether it may be used.
 *
 * Source: karpenter v1.14, nodepool/{counter,readiness,validation,registrationhealth}.
 */
export function nodePoolStatus(
  pool: NodePool,
  members: readonly StateNode[],
  around: Surroundings,
): readonly Action[] {
  if (pool.meta.deletedAt !== undefined) return [];
  const counted = members.filter((state) => !isLeaving(state));
  const resources = counted.map(capacityOf).reduce(addResources, zerosOf(pool));
  const health = poolHealth(pool, members, around);
  const conditions = conditionsOf(pool, health, around);
  const generation = around.nodeClasses.get(pool.template.nodeClassRef.name)?.meta.generation;
  const { status } = pool;
  const change: StatusChange = {
    ...(isSame(resources, status.resources) ? {} : { resources }),
    ...(counted.length === status.nodes ? {} : { nodes: counted.length }),
    ...(generation === undefined || generation === status.nodeClassObservedGeneration
      ? {}
      : { nodeClassObservedGeneration: generation }),
    ...(conditions === status.conditions ? {} : { conditions }),
  };
  const object = nodePoolRef(pool);
  const meta = metaDifference(pool.meta, { annotations: { [REGISTRATIONS]: health.annotation } });
  return [
    ...(meta ? [{ kind: 'update' as const, object, meta }] : []),
    ...(Object.keys(change).length > 0
      ? [{ kind: 'updateStatus' as const, object, status: change }]
      : []),
  ];
}

/** What was counted once is counted down to 0: a patch of a map cannot forget a key. */
const zerosOf = ({ status }: NodePool): Resources => ({
  ...Object.fromEntries(Object.keys(status.resources).map((name) => [name, 0])),
  ...ZEROS,
});

/** The name of the pool that a node belongs to. */
export const poolOf = ({ claim, node }: StateNode): string | undefined =>
  (claim ?? node)?.meta.labels[NODEPOOL];

function isLeaving({ claim, node }: StateNode): boolean {
  if (!claim) return node?.meta.deletedAt !== undefined;
  const { conditions } = claim.status;
  return (
    claim.meta.deletedAt !== undefined ||
    isTrue(conditions, INSTANCE_TERMINATING) ||
    isTrue(conditions, DISRUPTION_REASON)
  );
}

/** What a node adds: what was expected of it until it is initialized, then what it has. */
function capacityOf({ claim, node }: StateNode): Resources {
  const isInitialized = !claim || isTrue(claim.status.conditions, INITIALIZED);
  const capacity = (isInitialized ? node?.capacity : undefined) ?? claim?.status.capacity ?? {};
  return { ...capacity, nodes: 1 };
}

const isSame = (a: Resources, b: Resources): boolean =>
  [...Object.keys(a), ...Object.keys(b)].every((name) => a[name] === b[name]);

function conditionsOf(
  pool: NodePool,
  health: PoolHealth,
  around: Surroundings,
): readonly Condition[] {
  const { now } = around;
  const { generation, createdAt } = pool.meta;
  const changes = [validationOf(pool), nodeClassReadyOf(pool, around), health.condition];
  const changed = changes.reduce(
    (list, change) => withCondition(list, { ...change, observedGeneration: generation }, now),
    pool.status.conditions,
  );
  const dependents = [VALIDATION_SUCCEEDED, NODE_CLASS_READY];
  return withRoot(changed, { dependents, generation, createdAt }, now);
}

function validationOf(pool: NodePool): ConditionChange {
  const problems = nodePoolProblems(pool);
  if (problems.length === 0) return { type: VALIDATION_SUCCEEDED, status: 'True' };
  return {
    type: VALIDATION_SUCCEEDED,
    status: 'False',
    reason: 'NodePoolValidationFailed',
    message: problems.join('; '),
  };
}

function nodeClassReadyOf(pool: NodePool, { nodeClasses }: Surroundings): ConditionChange {
  const { name } = pool.template.nodeClassRef;
  const nodeClass = nodeClasses.get(name);
  const no = (reason: string, message: string): ConditionChange => ({
    type: NODE_CLASS_READY,
    status: 'False',
    reason,
    message,
  });
  if (!nodeClass) return no('NodeClassNotFound', 'NodeClass not found on cluster');
  if (nodeClass.meta.deletedAt !== undefined) {
    return no('NodeClassTerminating', 'NodeClass is Terminating');
  }
  const ready = conditionOf(nodeClass.status.conditions, 'Ready');
  if (ready?.status === 'False') return no(ready.reason, ready.message);
  if (ready?.status === 'True') return { type: NODE_CLASS_READY, status: 'True' };
  return no('NodeClassReadinessUnknown', 'Node Class Readiness Unknown');
}
