import type { DaemonSet } from '#lib/model/daemon-set.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { type Axes, axesOf } from './amounts.ts';
import { representativeDaemons } from './daemons.ts';
import { type HostMemo, memoOfHosts } from './hosts/hosts.ts';
import { type Sources, sourcesOf } from './sources.ts';
import { type Domains, domainsOf } from './topology/domains.ts';

/** What many solves over one cluster have in common, found once. */
export interface Ground extends Sources {
  /** Those of all pods that any of the solves may be about. */
  readonly axes: Axes;
  readonly daemonSets: readonly DaemonSet[];
  readonly domains: Domains;
  /** Remembers what each node has left while nothing is promised on it. */
  readonly hosts: HostMemo;
}

/**
 * The common ground of solves over the nodes of `snapshot`, or some of them, for some of `pods`.
 * NodePools, catalogue, DaemonSets and PriorityClasses must be the same in all of them.
 *
 * Cost: every type of every NodePool, once.
 */
export function groundOf(snapshot: Snapshot, pods: Iterable<Pod>): Ground {
  const daemonSets = representativeDaemons(snapshot);
  const axes = axesOf([...pods].map(({ requests }) => requests));
  const sources = sourcesOf({ ...snapshot, daemonSets }, axes);
  return {
    ...sources,
    axes,
    daemonSets,
    domains: domainsOf(sources.sources),
    hosts: memoOfHosts(),
  };
}

// Validations of one look ask for the same several times; losing it costs only time.
const grounds = new WeakMap<
  Snapshot['catalog'],
  Pick<Snapshot, 'nodePools' | 'daemonSets' | 'takenAt'> & { readonly ground: Ground }
>();

/**
 * The common ground of all solves over one Snapshot and over what it becomes as a decision goes
 * on, whichever pods they are about; the same as long as the catalogue is.
 */
export function groundFor(snapshot: Snapshot): Ground {
  const { catalog, nodePools, daemonSets, takenAt } = snapshot;
  const known = grounds.get(catalog);
  const isSame =
    known?.nodePools === nodePools && known.daemonSets === daemonSets && known.takenAt === takenAt;
  if (known && isSame) return known.ground;
  const ground = groundOf(snapshot, everyPodOf(snapshot));
  grounds.set(catalog, { nodePools, daemonSets, takenAt, ground });
  return ground;
}

/** Every pod of a Snapshot, bound or not. */
export const everyPodOf = ({ nodes, pods }: Snapshot): readonly Pod[] => [
  ...nodes.flatMap((stateNode: StateNode) => stateNode.pods),
  ...pods,
];
