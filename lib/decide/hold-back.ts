import type { Taint } from '#lib/constraints/taints.ts';
import { shortDigest } from '#lib/model/digest.ts';
import { BATCH, JOINING } from '#lib/model/labels.ts';
import type { NewNodeClaim } from '#lib/model/node-claim.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import type { Creation } from './creations.ts';
import { podName } from './new-node-claim.ts';

const BARRIER: Taint = { key: JOINING, value: '', effect: 'NoSchedule' };
/** Published by a controller outside of the nodes. Source: amazon-vpc-resource-controller-k8s. */
const PUBLISHED_ELSEWHERE = 'vpc.amazonaws.com/';

/**
 * The NodeClaims of one plan, told to wait for each other: kubelet registers their nodes with a
 * taint that goes from all of them at once, so that kube-scheduler sees the plan's nodes together
 * and not as they come. It stands among the startup taints, so that Karpenter would know it, too.
 *
 * Not held back is a node for what a DaemonSet publishes there, such as GPUs: device plugins do not
 * tolerate the taint; nor one for pods that still run elsewhere, on nodes that are going: they cannot
 * be led anywhere yet, and may be in a hurry. One node has nobody to wait for, but pods are led to it
 * all the same.
 */
export function heldBack(
  creations: readonly Creation[],
  { takenAt, settings, nodes }: Pick<Snapshot, 'takenAt' | 'settings' | 'nodes'>,
): readonly Creation[] {
  if (settings.placement === 'none' || creations.length === 0) return creations;
  const running = new Set(nodes.flatMap(({ pods }) => pods.map(podName)));
  const isForMovers = ({ forPods }: Creation): boolean =>
    forPods.length > 0 && forPods.every((pod) => running.has(pod));
  const names = creations.map(({ claim }) => claim.name);
  const batch = shortDigest([takenAt, ...names].join(' '), 12);
  return creations.map((creation) =>
    waitsForDaemon(creation.claim) || isForMovers(creation)
      ? creation
      : { ...creation, claim: behindBarrier(creation.claim, batch) },
  );
}

const behindBarrier = (claim: NewNodeClaim, batch: string): NewNodeClaim => ({
  ...claim,
  annotations: { ...claim.annotations, [BATCH]: batch },
  spec: { ...claim.spec, startupTaints: [...claim.spec.startupTaints, BARRIER] },
});

const waitsForDaemon = ({ spec }: NewNodeClaim): boolean =>
  Object.keys(spec.requests).some(
    (name) => name.includes('/') && !name.startsWith(PUBLISHED_ELSEWHERE),
  );
