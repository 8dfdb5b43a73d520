import { type Rejection, reject } from '#lib/constraints/rejection.ts';
import { DO_NOT_WAKE_FOR } from '#lib/model/labels.ts';
import { isServed, type NodePool } from '#lib/model/node-pool.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { isGoing } from '#lib/solver/hosts/hosts.ts';

/**
 * Tells why a waiting pod is no reason to wake a cluster that sleeps, having no node of ours: every
 * NodePool names its namespace (joinery.dev/do-not-wake-for), and nobody else waits. Once somebody
 * does, or a node is there, all pods count alike.
 */
export function wakeRule(
  { nodes, nodePools }: Snapshot,
  waiting: readonly Pod[],
): (pod: Pod) => Rejection | undefined {
  const sources = nodePools.filter(
    ({ replicas, template }) => replicas === undefined && isServed(template.nodeClassRef),
  );
  const sleepy = sources.map(namespacesOf);
  const isSleepy = ({ meta }: Pod): boolean =>
    sleepy.length > 0 && sleepy.every((names) => names.has(meta.namespace ?? ''));
  const isAwake =
    nodes.some((state) => state.claim !== undefined && !isGoing(state)) ||
    waiting.some((pod) => !isSleepy(pod));
  if (isAwake) return () => undefined;
  return ({ meta }) =>
    reject(
      'eligibility',
      `the cluster sleeps, and no node is made for pods of namespace ${meta.namespace} alone (${DO_NOT_WAKE_FOR})`,
    );
}

const namespacesOf = ({ meta }: NodePool): ReadonlySet<string> =>
  new Set(
    (meta.annotations[DO_NOT_WAKE_FOR] ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  );
