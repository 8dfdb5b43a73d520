import { pathOf } from '#lib/kube/kinds.ts';
import type { KubeTransport } from '#lib/kube/transport.ts';
import { allOf, type Found, removeAt } from './objects.ts';

/** How often the cluster is asked what is left. */
const LOOK_EVERY_MS = 5_000;

/** What draining needs of the world. */
export interface DrainPorts {
  readonly kube: KubeTransport;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly say: (line: string) => void;
}

/**
 * Deletes every NodePool, NodeClaim and EC2NodeClass and waits until Joinery, which still runs, has
 * drained the nodes and ended their instances. Gives what is left at the end of `withinMs`: nothing
 * where all is done.
 *
 * Pools go first, so that nothing makes new nodes for the pods that are evicted; NodeClasses last,
 * for a node is ended by what its class says.
 */
export async function drainNodes(ports: DrainPorts, withinMs: number): Promise<readonly string[]> {
  const until = ports.now() + withinMs;
  for (const kind of ['NodePool', 'NodeClaim', 'EC2NodeClass'] as const) {
    const gone = await removeAll(ports, kind, until);
    if (gone.length > 0) return gone;
  }
  return [];
}

async function removeAll(
  ports: DrainPorts,
  kind: 'NodePool' | 'NodeClaim' | 'EC2NodeClass',
  until: number,
): Promise<readonly string[]> {
  const { kube, now, sleep, say } = ports;
  let told = -1;
  for (;;) {
    const left = await allOf(kube, kind);
    for (const { metadata } of left.filter(isStaying)) {
      await removeAt(kube, pathOf(kind, { name: metadata.name }));
    }
    if (left.length === 0) {
      say(`${kind}s: none is left`);
      return [];
    }
    if (left.length !== told) say(`${kind}s: ${left.length} left`);
    told = left.length;
    if (now() >= until) return left.map((each) => `${kind} ${each.metadata.name}${whereOf(each)}`);
    await sleep(LOOK_EVERY_MS);
  }
}

const isStaying = ({ metadata }: Found): boolean => metadata.deletionTimestamp === undefined;

const whereOf = ({ status }: Found): string =>
  status?.nodeName === undefined ? '' : ` (node ${status.nodeName})`;
