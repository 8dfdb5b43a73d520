import type { Taint } from '#lib/constraints/taints.ts';
import { standsSince } from '#lib/lifecycle/launch/launched.ts';
import { partitionStep } from '#lib/lifecycle/launch/partition-label.ts';
import { type ClaimStep, NO_STEP } from '#lib/lifecycle/step.ts';
import { nodesOf, type Surroundings } from '#lib/lifecycle/surroundings.ts';
import { LAUNCHED, REGISTERED as REGISTERED_CONDITION } from '#lib/model/condition-types.ts';
import { isTrue } from '#lib/model/conditions.ts';
import {
  DO_NOT_SYNC_TAINTS,
  REGISTERED,
  TERMINATION_FINALIZER,
  UNREGISTERED,
} from '#lib/model/labels.ts';
import type { Node } from '#lib/model/node.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import { claimRef, nodeRef } from '#lib/model/object-ref.ts';
import type { Action, MetaChange } from '#lib/model/plan.ts';
import { joiningLookMs } from './joining.ts';

/** Annotations that say something about a NodeClaim and nothing about its Node. */
const OURS = 'joinery.dev/';
const TAINT_MISSING =
  'Missing karpenter.sh/unregistered taint which prevents registration related race conditions on Karpenter-managed nodes';

/**
 * Brings a launched NodeClaim and the Node of its instance together. First the Node gets, in one
 * update, all that its NodeClaim says of it; the NodeClaim is registered at a later look, when
 * the Node is seen to have it.
 *
 * Source: karpenter v1.14, nodeclaim/lifecycle/registration.go. Unlike there, two Nodes with one
 * provider id are no dead end: when one of them is gone, registration goes on.
 */
export function registrationStep(claim: NodeClaim, around: Surroundings): ClaimStep {
  const { conditions } = claim.status;
  if (!isTrue(conditions, LAUNCHED) || isTrue(conditions, REGISTERED_CONDITION)) return NO_STEP;
  const awaited = partitionStep(claim, around);
  if (awaited !== undefined) return awaited;
  const lookAgain = joiningLookMs(around.now - standsSince(claim, LAUNCHED));
  const nodes = nodesOf(around, claim).flatMap(({ node }) => node ?? []);
  const [node, ...others] = nodes;
  if (!node) {
    return {
      conditions: [registered('Unknown', 'NodeNotFound', 'Node not registered with cluster')],
      ...lookAgain,
    };
  }
  if (others.length > 0) {
    const names = nodes.map(({ meta }) => meta.name).sort();
    const message = `${nodes.length} Nodes have the provider id of this NodeClaim: ${names.join(', ')}`;
    return { conditions: [registered('False', 'MultipleNodesFound', message)], ...lookAgain };
  }
  if (!isInStep(node)) return { actions: bringIntoStep(node, claim), lookAgainInMs: 1_000 };
  return {
    conditions: [{ type: REGISTERED_CONDITION, status: 'True' }],
    status: { nodeName: node.meta.name },
    ...lookAgain,
  };
}

const registered = (status: 'Unknown' | 'False', reason: string, message: string) =>
  ({ type: REGISTERED_CONDITION, status, reason, message }) as const;

const isUnregistered = ({ key, effect }: Taint): boolean =>
  key === UNREGISTERED && effect === 'NoExecute';

/** Whether the Node carries what registration gives it. */
const isInStep = ({ meta, taints }: Node): boolean =>
  meta.labels[REGISTERED] === 'true' && !taints.some(isUnregistered);

function bringIntoStep(node: Node, claim: NodeClaim): readonly Action[] {
  const isProper = node.taints.some(isUnregistered) || node.meta.labels[REGISTERED] === 'true';
  const warning: Action = {
    kind: 'recordEvent',
    about: claimRef(claim),
    type: 'Warning',
    reason: 'UnregisteredTaintMissing',
    message: TAINT_MISSING,
  };
  return [
    ...(isProper ? [] : [warning]),
    {
      kind: 'update',
      object: nodeRef(node),
      meta: metaFor(node, claim),
      taints: taintsFor(node, claim),
      seen: { finalizers: node.meta.finalizers, owners: node.meta.owners, taints: node.taints },
    },
  ];
}

/** The NodeClaim's labels and annotations win over the kubelet's. */
function metaFor(node: Node, claim: NodeClaim): MetaChange {
  const owner = {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    name: claim.meta.name,
    uid: claim.meta.uid,
    controller: false,
  };
  const { owners, finalizers } = node.meta;
  return {
    labels: { ...claim.meta.labels, [REGISTERED]: 'true' },
    annotations: Object.fromEntries(
      Object.entries(claim.meta.annotations).filter(([key]) => !key.startsWith(OURS)),
    ),
    owners: owners.some(({ uid }) => uid === owner.uid) ? owners : [...owners, owner],
    finalizers: finalizers.includes(TERMINATION_FINALIZER)
      ? finalizers
      : [...finalizers, TERMINATION_FINALIZER],
  };
}

/** Startup taints are given once, here: whoever takes them off later is not contradicted. */
function taintsFor(node: Node, claim: NodeClaim): readonly Taint[] {
  const present = node.taints.filter((taint) => !isUnregistered(taint));
  if (node.meta.labels[DO_NOT_SYNC_TAINTS] === 'true') return present;
  const wanted = [...claim.spec.taints, ...claim.spec.startupTaints];
  const missing = wanted.filter(
    (taint, at) =>
      !present.some((each) => isSameTaint(each, taint)) &&
      wanted.findIndex((each) => isSameTaint(each, taint)) === at,
  );
  return [...present, ...missing];
}

/** Whether two taints are the same but for their value. Source: kubernetes v1.36, MatchTaint. */
export const isSameTaint = (a: Taint, b: Taint): boolean =>
  a.key === b.key && a.effect === b.effect;
