import type { LabelSelector } from '#lib/constraints/label-selector.ts';
import type { Toleration } from '#lib/constraints/taints.ts';
import type { LabelAsk } from '../pods/ask.ts';

/**
 * How pods that a selector selects may stand over the domains of a node label: evenly (spread),
 * together (affinity), or apart from its owner (antiAffinity). Owners are the pods that ask for it.
 */
export interface TopologyRule {
  readonly kind: 'spread' | 'affinity' | 'antiAffinity';
  readonly topologyKey: string;
  /** Whom the rule selects: pods that all of these describe; never empty. */
  readonly whom: readonly Whom[];
  /**
   * Of an affinity: the topology keys of all terms of its pod. Who stands where one of them is keeps
   * others from being the first of their kind elsewhere.
   */
  readonly termKeys: readonly string[];
  /** Of a spread: how many more pods a domain may have than the emptiest one. */
  readonly maxSkew: number;
  /** Of a spread: with fewer domains than this, the emptiest one counts as empty. */
  readonly minDomains: number;
  /** Of a spread: on which nodes pods count. */
  readonly filter: NodeFilter;
}

/** A description of pods. */
export interface Whom {
  readonly namespaces: ReadonlySet<string> | 'all';
  /** Absent: selects nobody. */
  readonly selector: LabelSelector | undefined;
}

/** Which nodes a spread looks at. */
interface NodeFilter {
  /** One of them must hold; absent: every node's labels will do. */
  readonly alternatives?: readonly LabelAsk[];
  /** They must put up with every taint; absent: taints do not matter. */
  readonly tolerations?: readonly Toleration[];
  /** Domains are compared whether or not their pods may go there; absent: where they may. */
  readonly looksEverywhere?: true;
}
