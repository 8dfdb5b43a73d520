import { pathOf } from '#lib/cli/install/apply.ts';
import { type Manifest, manifests } from '#lib/cli/install/manifests.ts';
import type { Io } from '#lib/cli/io.ts';
import { KubeFailure } from '#lib/kube/errors.ts';
import type { KubeTransport } from '#lib/kube/transport.ts';
import { drainNodes } from './drain-nodes.ts';
import { type Freed, freeNodes } from './free-nodes.ts';
import { removeAt, sayRefused } from './objects.ts';

/** What becomes of the nodes; exactly one is to be true. */
export interface UninstallOptions {
  readonly drain?: boolean;
  readonly keepNodes?: boolean;
  readonly handOver?: boolean;
  readonly timeoutMinutes?: number;
}

/** What the command needs of the world. */
export interface UninstallPorts {
  readonly connect: () => Promise<KubeTransport>;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

const MINUTE_MS = 60_000;
/** As long as a drain takes that waits for no PodDisruptionBudget, many times over. */
const PATIENCE_MINUTES = 30;

/**
 * Takes Joinery out of a cluster, while its stack still stands. With `drain` its nodes go first, by
 * its own hands; with `keepNodes` they stay, and nothing is left at which a deletion would hang; with
 * `handOver` they stay as Karpenter would have made them. Gives the exit status: 2 for wrong usage,
 * 1 where nodes are left or the API server refuses.
 */
export async function uninstallCommand(
  options: UninstallOptions,
  io: Io,
  { connect, now, sleep }: UninstallPorts,
): Promise<number> {
  const { drain, keepNodes, handOver, timeoutMinutes = PATIENCE_MINUTES } = options;
  if ([drain, keepNodes, handOver].filter(Boolean).length !== 1) {
    io.err(
      'say what becomes of the nodes: --drain, --keep-nodes, or --hand-over (to Karpenter), one of them',
    );
    return 2;
  }
  if (!(timeoutMinutes > 0)) {
    io.err('--timeout-minutes is to be a number of minutes above 0');
    return 2;
  }
  try {
    const kube = await connect();
    if (drain) {
      const say = (line: string) => io.out(line);
      const left = await drainNodes({ kube, now, sleep, say }, timeoutMinutes * MINUTE_MS);
      if (left.length > 0) return refuse(io, left);
    }
    await takeAway(kube, io);
    if (!drain) say(io, await freeNodes(kube, Boolean(handOver)));
  } catch (error) {
    if (!(error instanceof KubeFailure)) throw error;
    io.err(sayRefused(error));
    return 1;
  }
  io.out(handOver ? HANDED_OVER : drain ? DRAINED : KEPT);
  return 0;
}

function refuse(io: Io, left: readonly string[]): number {
  io.err(
    `still there: ${left.join(', ')}. Nothing of Joinery was removed, and it goes on draining. What holds a node is told by its events (kubectl describe nodeclaims): a PodDisruptionBudget whose pods have nowhere else to go, karpenter.sh/do-not-disrupt, a volume. The same command goes on waiting.`,
  );
  return 1;
}

/** Everything that is installed, the webhook first and the rights next: from then on nothing acts. */
async function takeAway(kube: KubeTransport, io: Io): Promise<void> {
  for (const each of installed().toReversed()) {
    const was = await removeAt(kube, pathOf(each));
    if (was) io.out(`${each.kind} ${each.metadata.name}: removed`);
  }
}

/** The definitions of kinds stay: with them would go every object that a person wrote. */
const installed = (): readonly Manifest[] =>
  manifests({ webhookUrl: 'https://joinery.invalid/', bind: true, keepNominations: true }).filter(
    ({ kind }) => kind !== 'CustomResourceDefinition',
  );

function say(io: Io, { changed, nodeless, leaving }: Freed): void {
  io.out(`finalizers and taints taken off ${changed} objects`);
  if (nodeless.length > 0) {
    io.out(
      `NodeClaims without a node, whose instances may be starting: ${nodeless.join(', ')}. Look for instances that carry one of these names as tag karpenter.sh/nodeclaim, or joinery.dev/launch-group.`,
    );
  }
  if (leaving.length > 0) {
    io.out(
      `NodeClaims that were being deleted; their instances are yours to end: ${leaving.join(', ')}`,
    );
  }
}

const STACK = 'Next: delete the stack (sam delete, npm run cdk -- destroy).';
const KINDS =
  'The kinds stay; kubectl delete -f infra/cluster/crds removes them with all their objects.';
const DRAINED = `${STACK} The node role, its instance profile and its access entry outlive it: delete them when nothing uses them.\n${KINDS}`;
const KEPT = `${STACK} Nodes run on: their role, its instance profile and its access entry outlive the stack. From now on nothing replaces or ends them: kubectl delete node and terminate-instances are yours. NodePools, NodeClaims and EC2NodeClasses remain as a record, and can be deleted; that ends no instance.\n${KINDS}`;
const HANDED_OVER = `Next: scale Karpenter up, then delete the stack (sam delete, npm run cdk -- destroy). NodePools, NodeClaims, EC2NodeClasses and nodes are as Karpenter would have made them; tags of instances too. The node role outlives the stack.`;
