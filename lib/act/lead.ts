import { isGone, KubeFailure } from '#lib/kube/errors.ts';
import {
  bindPod,
  findTaint,
  nominationsNow,
  podsOn,
  removeTaint,
  writeNomination,
} from '#lib/kube/lead-pod.ts';
import type { Action } from '#lib/model/plan.ts';
import type { LimitedPorts } from './ports.ts';
import { DONE, type Result } from './result.ts';

type Of<Kind extends Action['kind']> = Extract<Action, { readonly kind: Kind }>;
type Ports = Pick<LimitedPorts, 'kube'>;

/** So often a taint is looked for anew: others write a Node's taints while it comes up. */
const MOST_TRIES = 3;

/** Names a pod its node, or takes that back; a pod that is gone or bound needs neither. */
export async function nominate({ kube }: Ports, action: Of<'nominate'>): Promise<Result> {
  try {
    await writeNomination(kube, action.pod, action.nodeName);
  } catch (error) {
    if (!isGone(error) && !isBound(error)) throw error;
  }
  return DONE;
}

/** Writing fewer takes no longer than looking whether they are still there. */
const WORTH_A_LOOK = 50;

/**
 * Names those pods their nodes again that have lost them since: writing a thousand nominations takes
 * seconds, in which kube-scheduler tries, in vain, some of the pods that were named theirs first.
 * Never throws: what cannot be written now is a pod that may go elsewhere.
 */
export async function nominateLost({ kube }: Ports, actions: readonly Action[]): Promise<void> {
  const written = actions.flatMap((action) =>
    action.kind === 'nominate' && action.nodeName !== null ? [action] : [],
  );
  if (written.length < WORTH_A_LOOK) return;
  try {
    const now = await nominationsNow(kube);
    const lost = written.filter(({ pod }) => now.get(pod.uid) === '');
    await Promise.allSettled(lost.map((action) => nominate({ kube }, action)));
  } catch (error) {
    if (!(error instanceof KubeFailure)) throw error;
  }
}

/** Source: kubernetes v1.36, core/validation, ValidatePodStatusUpdate. */
const isBound = (error: unknown): boolean =>
  error instanceof KubeFailure && error.message.includes('already bound to a node');

/**
 * Binds pods to a node, all at once; none where other pods have come since it was seen. What cannot
 * be bound is left to kube-scheduler.
 */
export async function bindPods({ kube }: Ports, action: Of<'bind'>): Promise<Result> {
  const { node, pods, podsSeen } = action;
  const now = await podsOn(kube, node);
  if (now.join() !== podsSeen.join()) {
    return { result: 'lost', because: `other pods are on ${node.name} than were seen` };
  }
  const bound = await Promise.allSettled(pods.map((pod) => bindPod(kube, pod, node)));
  for (const each of bound) {
    if (each.status === 'rejected' && !isLost(each.reason)) throw each.reason;
  }
  return DONE;
}

const isLost = (error: unknown): boolean =>
  error instanceof KubeFailure && (error.kind === 'conflict' || error.kind === 'gone');

/** Takes a taint off a Node, wherever it stands by now; one that is gone needs no lifting. */
export async function liftTaint({ kube }: Ports, action: Of<'liftTaint'>): Promise<Result> {
  const { node, taint } = action;
  let place: { readonly at: number } | undefined = action;
  for (let tries = 1; place !== undefined; tries += 1) {
    try {
      await removeTaint(kube, node, { taint, at: place.at });
      return DONE;
    } catch (error) {
      if (isGone(error)) return DONE;
      const isMoved = error instanceof KubeFailure && error.kind === 'conflict';
      if (!isMoved || tries === MOST_TRIES) throw error;
    }
    place = await findTaint(kube, node, taint);
  }
  return DONE;
}
