import { type LabelSelector, selects } from '#lib/constraints/label-selector.ts';
import { byNamespacedName } from '#lib/constraints/order.ts';
import { HOSTNAME } from '#lib/model/labels.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { Pod, PodAffinityTerm } from '#lib/model/pod.ts';
import type { Namespace } from '#lib/model/workload.ts';

/** A term of required anti-affinity of a pod that runs: whom it keeps away, and from where. */
export interface Repeller {
  /** The pod that will not have others near it, as namespace/name. */
  readonly pod: string;
  readonly node: string;
  readonly topologyKey: string;
  readonly namespaces: ReadonlySet<string> | 'all';
  readonly selector: LabelSelector | undefined;
}

/**
 * Everybody on `nodes` who keeps others away, in the order of the nodes, then by name. A node
 * without a term's label is in none of its domains: there the term keeps nobody away.
 *
 * Source: karpenter v1.14, provisioning/scheduling/topology.go, updateInverseAntiAffinity.
 */
export function repellersOn(
  nodes: readonly StateNode[],
  namespaces: readonly Namespace[],
): readonly Repeller[] {
  return nodes.flatMap((stateNode) =>
    stateNode.pods
      .filter(({ phase }) => phase !== 'Succeeded' && phase !== 'Failed')
      .toSorted(byNamespacedName)
      .flatMap((pod) =>
        pod.podAntiAffinity.required
          .filter(({ topologyKey }) => isInDomain(stateNode, topologyKey))
          .map(
            (term): Repeller => ({
              pod: `${pod.meta.namespace}/${pod.meta.name}`,
              node: stateNode.name,
              topologyKey: term.topologyKey,
              namespaces: namespacesOf(term, pod, namespaces),
              selector: term.selector,
            }),
          ),
      ),
  );
}

const isInDomain = ({ node, claim }: StateNode, topologyKey: string): boolean =>
  topologyKey === HOSTNAME ||
  node?.meta.labels[topologyKey] !== undefined ||
  claim?.meta.labels[topologyKey] !== undefined;

/** Listed and selected namespaces together; without either, the pod's own. */
function namespacesOf(
  term: PodAffinityTerm,
  pod: Pod,
  namespaces: readonly Namespace[],
): ReadonlySet<string> | 'all' {
  const selector = term.namespaceSelector;
  if (!selector) {
    return new Set(term.namespaces.length > 0 ? term.namespaces : [pod.meta.namespace]);
  }
  const selectsAll =
    selector.matchExpressions.length === 0 && Object.keys(selector.matchLabels).length === 0;
  if (selectsAll) return 'all';
  const selected = namespaces.filter(({ meta }) => selects(selector, meta.labels));
  return new Set([...term.namespaces, ...selected.map(({ meta }) => meta.name)]);
}

/** Whether the pod behind `repeller` keeps `pod` away. */
export const repels = (repeller: Repeller, { meta }: Pod): boolean =>
  (repeller.namespaces === 'all' || repeller.namespaces.has(meta.namespace)) &&
  selects(repeller.selector, meta.labels);

/** Whether a repeller keeps others off its own node only: then any other node will do. */
export const repelsFromItsNodeOnly = ({ topologyKey }: Repeller): boolean =>
  topologyKey === HOSTNAME;
