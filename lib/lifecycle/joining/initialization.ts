import type { Taint } from '#lib/constraints/taints.ts';
import { standsSince } from '#lib/lifecycle/launch/launched.ts';
import { type ClaimStep, NO_STEP } from '#lib/lifecycle/step.ts';
import { nodesOf, type Surroundings } from '#lib/lifecycle/surroundings.ts';
import { INITIALIZED, REGISTERED } from '#lib/model/condition-types.ts';
import { isTrue } from '#lib/model/conditions.ts';
import { INITIALIZED as INITIALIZED_LABEL, UNREGISTERED } from '#lib/model/labels.ts';
import type { Node } from '#lib/model/node.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import { nodeRef } from '#lib/model/object-ref.ts';
import { joiningLookMs } from './joining.ts';
import { isSameTaint } from './registration.ts';

/** Taints that go by themselves while a node comes up. Source: karpenter v1.14, scheduling/taints.go. */
const EPHEMERAL: readonly Omit<Taint, 'value'>[] = [
  { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' },
  { key: 'node.cloudprovider.kubernetes.io/uninitialized', effect: 'NoSchedule' },
  { key: UNREGISTERED, effect: 'NoExecute' },
];
const READINESS_PREFIX = 'readiness.k8s.io/';

/**
 * Marks a registered NodeClaim as ready for pods once its Node is: first the Node's label, then,
 * when that is seen, the condition. Once initialized, always initialized. Devices that are
 * claimed through resource claims are not waited for.
 *
 * Source: karpenter v1.14, nodeclaim/lifecycle/initialization.go, Reconcile.
 */
export function initializationStep(claim: NodeClaim, around: Surroundings): ClaimStep {
  const { conditions } = claim.status;
  if (!isTrue(conditions, REGISTERED) || isTrue(conditions, INITIALIZED)) return NO_STEP;
  const lookAgain = joiningLookMs(around.now - standsSince(claim, REGISTERED));
  const node = nodesOf(around, claim)[0]?.node;
  const obstacle = node
    ? obstacleOf(node, claim)
    : { reason: 'NodeNotFound', message: 'Node not registered with cluster' };
  if (obstacle) {
    return {
      conditions: [{ type: INITIALIZED, status: 'Unknown', ...obstacle }],
      ...lookAgain,
    };
  }
  if (node && node.meta.labels[INITIALIZED_LABEL] !== 'true') {
    const meta = { labels: { [INITIALIZED_LABEL]: 'true' } };
    const { finalizers, owners } = node.meta;
    const seen = { finalizers, owners, taints: node.taints };
    return {
      actions: [{ kind: 'update', object: nodeRef(node), meta, seen }],
      lookAgainInMs: 1_000,
    };
  }
  return { conditions: [{ type: INITIALIZED, status: 'True' }] };
}

/** The first thing that keeps pods from a Node, in upstream's order and with its reasons. */
function obstacleOf(
  node: Node,
  { spec }: NodeClaim,
): { readonly reason: string; readonly message: string } | undefined {
  if (node.ready?.status !== 'True') {
    return { reason: 'NodeNotReady', message: `Node status is ${node.ready?.status ?? 'Unknown'}` };
  }
  const startup = spec.startupTaints.find((taint) => has(node, taint));
  if (startup) {
    return {
      reason: 'StartupTaintsExist',
      message: `StartupTaint ${describe(startup)} still exists`,
    };
  }
  const ephemeral = node.taints.find(isEphemeral);
  if (ephemeral) {
    const message = `KnownEphemeralTaint ${describe(ephemeral)} still exists`;
    return { reason: 'KnownEphemeralTaintsExist', message };
  }
  const missing = Object.entries(spec.requests)
    .filter(([name, amount]) => amount > 0 && (node.allocatable[name] ?? 0) === 0)
    .map(([name]) => name)
    .sort()[0];
  if (missing === undefined) return undefined;
  return {
    reason: 'ResourceNotRegistered',
    message: `Resource ${missing} was requested but not registered`,
  };
}

/** Whether a Node is not Ready yet, or still bears one of these taints or one that goes by itself. */
export const isComingUp = (node: Node, startupTaints: readonly Taint[]): boolean =>
  node.ready?.status !== 'True' ||
  startupTaints.some((taint) => has(node, taint)) ||
  node.taints.some(isEphemeral);

const has = ({ taints }: Node, taint: Taint): boolean =>
  taints.some((each) => isSameTaint(each, taint));

const isEphemeral = (taint: Taint): boolean =>
  taint.key.startsWith(READINESS_PREFIX) ||
  EPHEMERAL.some(({ key, effect }) => key === taint.key && effect === taint.effect);

const describe = ({ key, effect }: Taint): string => `${key}:${effect}`;
