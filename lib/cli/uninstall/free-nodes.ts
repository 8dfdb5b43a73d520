import type { KubeTransport } from '#lib/kube/transport.ts';
import {
  DISRUPTED,
  JOINING,
  NODECLASS_FINALIZER,
  TERMINATION_FINALIZER,
  UNREGISTERED,
} from '#lib/model/labels.ts';
import { allOf, changeTo, type Found } from './objects.ts';

/** Finalizers that only Joinery or Karpenter takes off again. */
const FINALIZERS: ReadonlySet<string> = new Set([TERMINATION_FINALIZER, NODECLASS_FINALIZER]);
/** Taints that wait for Joinery; Karpenter knows all but the first. */
const TAINTS: ReadonlySet<string> = new Set([JOINING, DISRUPTED, UNREGISTERED]);

/** What became of the nodes, and what somebody must look after from now on. */
export interface Freed {
  readonly changed: number;
  /** NodeClaims without a node: an instance of theirs may be starting. */
  readonly nodeless: readonly string[];
  /** NodeClaims and Nodes that were being deleted: without finalizers they are gone at once. */
  readonly leaving: readonly string[];
}

/**
 * Leaves nodes running that nobody looks after any more: takes off the taints that wait for Joinery,
 * and unless `handOver` the finalizers, at which every later deletion would hang, and what ties a
 * Node to its NodeClaim: whoever deleted that later would lose the Node, and its pods. Throws
 * KubeFailure.
 *
 * To Karpenter everything is handed over as it would have made it: its own taints and finalizers
 * stay, only what it does not know is taken off.
 */
export async function freeNodes(kube: KubeTransport, handOver: boolean): Promise<Freed> {
  const nodes = await allOf(kube, 'Node');
  const claims = await allOf(kube, 'NodeClaim');
  let changed = 0;
  // Nodes come first: a NodeClaim that goes must not take its Node along.
  for (const node of nodes)
    changed += await change(kube, 'Node', node, nodeWithout(node, handOver));
  if (!handOver) {
    for (const claim of claims) changed += await change(kube, 'NodeClaim', claim, unbound(claim));
    for (const nodeClass of await allOf(kube, 'EC2NodeClass')) {
      changed += await change(kube, 'EC2NodeClass', nodeClass, unbound(nodeClass));
    }
  }
  return {
    changed,
    nodeless: claims.filter(({ status }) => !status?.nodeName).map(nameOf),
    leaving: handOver ? [] : claims.filter(isLeaving).map(nameOf),
  };
}

type Change = Parameters<typeof changeTo>[3];

async function change(
  kube: KubeTransport,
  kind: 'EC2NodeClass' | 'Node' | 'NodeClaim',
  object: Found,
  wanted: Change,
): Promise<number> {
  if (Object.keys(wanted).length === 0) return 0;
  return Number(await changeTo(kube, kind, object, wanted));
}

function nodeWithout(node: Found, handOver: boolean): Change {
  const taints = node.spec?.taints ?? [];
  const kept = taints.filter(({ key }) => (handOver ? key !== JOINING : !TAINTS.has(key)));
  const untainted = kept.length < taints.length && { spec: { taints: kept } };
  return { ...untainted, ...(!handOver && { ...unbound(node), ...unowned(node) }) };
}

function unbound({ metadata: { finalizers = [] } }: Found): Change {
  const kept = finalizers.filter((each) => !FINALIZERS.has(each));
  return kept.length < finalizers.length ? { finalizers: kept } : {};
}

function unowned({ metadata: { ownerReferences = [] } }: Found): Change {
  const kept = ownerReferences.filter(({ kind }) => kind !== 'NodeClaim');
  return kept.length < ownerReferences.length ? { ownerReferences: kept } : {};
}

const nameOf = ({ metadata }: Found): string => metadata.name;
const isLeaving = ({ metadata }: Found): boolean => metadata.deletionTimestamp !== undefined;
