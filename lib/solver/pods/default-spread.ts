import type { LabelExpression, LabelSelector, Labels } from '#lib/constraints/label-selector.ts';
import { selects } from '#lib/constraints/label-selector.ts';
import { compareText } from '#lib/constraints/order.ts';
import type { Pod, TopologySpreadConstraint } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import type { WorkloadSelector } from '#lib/model/workload.ts';

/**
 * Makes the copies of pods that scheduling looks at, in which nothing about spread is left to be
 * worked out: a pod without constraints has the cluster's defaults, and the selector of each
 * constraint holds what its matchLabelKeys stand for, which are empty. Pods that need neither are
 * themselves.
 */
export function schedulingCopies(snapshot: Snapshot): (pod: Pod) => Pod {
  const defaultsOf = createDefaults(snapshot);
  return (pod) => {
    const own = pod.topologySpread;
    if (own.length > 0) {
      return own.every(({ matchLabelKeys }) => matchLabelKeys.length === 0)
        ? pod
        : { ...pod, topologySpread: own.map((each) => withLabelKeys(each, pod.meta.labels)) };
    }
    const topologySpread = defaultsOf(pod);
    return topologySpread.length === 0 ? pod : { ...pod, topologySpread };
  };
}

/**
 * A constraint that counts only pods which share the pod's own values of `matchLabelKeys`. Keys that
 * the pod does not have mean nothing, and a missing selector goes on selecting nothing.
 *
 * Source: kubernetes v1.36, scheduler/framework/plugins/podtopologyspread/common.go,
 * filterTopologySpreadConstraints.
 */
function withLabelKeys(
  constraint: TopologySpreadConstraint,
  labels: Labels,
): TopologySpreadConstraint {
  const { selector, matchLabelKeys } = constraint;
  if (selector === undefined) return { ...constraint, matchLabelKeys: [] };
  const expressions = matchLabelKeys
    .filter((key) => Object.hasOwn(labels, key))
    .map((key): LabelExpression => ({ key, operator: 'In', values: [labels[key] ?? ''] }));
  const matchExpressions = [...selector.matchExpressions, ...expressions];
  return { ...constraint, matchLabelKeys: [], selector: { ...selector, matchExpressions } };
}

/**
 * The default constraints for pods that have none of their own, each with the selector that the
 * scheduler would deduce; none where it deduces nothing.
 *
 * Source: karpenter v1.14, provisioning/scheduling, the defaults of podTopologySpread;
 * kubernetes v1.36, scheduler/framework/plugins/helper/spread.go, DefaultSelector.
 * Cost: the services of a pod's namespace, once for each owner and set of labels.
 */
function createDefaults(snapshot: Snapshot): (pod: Pod) => readonly TopologySpreadConstraint[] {
  const defaults = snapshot.settings.defaultSpread ?? [];
  if (defaults.length === 0) return () => [];
  const services = Map.groupBy(
    snapshot.workloadSelectors.filter(({ kind }) => kind === 'Service'),
    ({ meta }) => meta.namespace,
  );
  const owners = new Map(
    snapshot.workloadSelectors
      .filter(({ kind }) => kind !== 'Service')
      .map((each) => [`${each.kind} ${each.meta.namespace}/${each.meta.name}`, each]),
  );
  const known = new Map<string, readonly TopologySpreadConstraint[]>();
  return (pod) => {
    const key = shapeKey(pod);
    const found = known.get(key);
    if (found) return found;
    const owner = owners.get(ownerKey(pod));
    const selector = deducedSelector(pod, services.get(pod.meta.namespace) ?? [], owner);
    const constraints = selector ? defaults.map((each) => ({ ...each, selector })) : [];
    known.set(key, constraints);
    return constraints;
  };
}

/** The kinds of owners whose selectors count, with the API versions they are known by. */
const OWNERS: ReadonlyMap<string, string> = new Map([
  ['ReplicationController', 'v1'],
  ['ReplicaSet', 'apps/v1'],
  ['StatefulSet', 'apps/v1'],
]);

function ownerKey({ meta }: Pod): string {
  const owner = meta.owners.find(({ controller }) => controller);
  if (!owner || OWNERS.get(owner.kind) !== owner.apiVersion) return '';
  return `${owner.kind} ${meta.namespace}/${owner.name}`;
}

const shapeKey = (pod: Pod): string =>
  JSON.stringify([
    pod.meta.namespace,
    ownerKey(pod),
    Object.entries(pod.meta.labels).sort(([a], [b]) => compareText(a, b)),
  ]);

/** What the services that select the pod ask for, and what its owner does; undefined if nothing. */
function deducedSelector(
  { meta }: Pod,
  services: readonly WorkloadSelector[],
  owner: WorkloadSelector | undefined,
): LabelSelector | undefined {
  const merged: Record<string, string> = {};
  for (const { matchLabels } of services) {
    if (!matchLabels || !selects({ matchLabels, matchExpressions: [] }, meta.labels)) continue;
    Object.assign(merged, matchLabels);
  }
  Object.assign(merged, owner?.matchLabels);
  const matchExpressions = owner?.selector ? asExpressions(owner.selector) : [];
  if (Object.keys(merged).length === 0 && matchExpressions.length === 0) return undefined;
  return { matchLabels: inOrder(merged), matchExpressions };
}

const inOrder = (labels: Labels): Labels =>
  Object.fromEntries(Object.entries(labels).sort(([a], [b]) => compareText(a, b)));

const asExpressions = ({ matchLabels, matchExpressions }: LabelSelector): LabelExpression[] => [
  ...Object.entries(inOrder(matchLabels)).map(
    ([key, value]): LabelExpression => ({ key, operator: 'In', values: [value] }),
  ),
  ...matchExpressions,
];
