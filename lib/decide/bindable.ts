import { isForDefaultScheduler } from '#lib/consent/pods.ts';
import { selects } from '#lib/constraints/label-selector.ts';
import type { Pod, PodAffinityTerm } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';

/**
 * Which of `pods` may be bound without asking kube-scheduler, by uid: those for which it would look
 * at nothing but the node itself. Volumes that are not bound yet, resource claims, and rules that
 * other pods have a part in are its to judge, since it places pods of its own at the same time.
 *
 * Cost: pods × pods with required anti-affinity.
 */
export function bindableAmong(pods: readonly Pod[], snapshot: Snapshot): ReadonlySet<string> {
  const volumes = boundVolumesIn(snapshot);
  const everybody = [...snapshot.pods, ...snapshot.nodes.flatMap((each) => each.pods)];
  const wary = everybody.filter(({ podAntiAffinity }) => podAntiAffinity.required.length > 0);
  const isSimple = (pod: Pod): boolean =>
    isForDefaultScheduler(pod) &&
    pod.resourceClaims.length === 0 &&
    pod.topologySpread.length === 0 &&
    pod.podAffinity.required.length === 0 &&
    pod.podAntiAffinity.required.length === 0 &&
    pod.volumes.every(({ claimName }) => volumes.has(`${pod.meta.namespace}/${claimName}`)) &&
    !wary.some((other) => isShunned(pod, other));
  return new Set(pods.filter(isSimple).map(({ meta }) => meta.uid));
}

const boundVolumesIn = ({ persistentVolumeClaims }: Snapshot): ReadonlySet<string> =>
  new Set(
    persistentVolumeClaims
      .filter(({ phase }) => phase === 'Bound')
      .map(({ meta }) => `${meta.namespace}/${meta.name}`),
  );

/** Whether another pod may want this one kept away; namespaces chosen by label count as all. */
const isShunned = ({ meta }: Pod, other: Pod): boolean =>
  other.podAntiAffinity.required.some(
    (term) => mayConcern(term, meta.namespace, other) && selects(term.selector, meta.labels),
  );

const mayConcern = (term: PodAffinityTerm, namespace: string, { meta }: Pod): boolean =>
  term.namespaceSelector !== undefined ||
  (term.namespaces.length === 0
    ? meta.namespace === namespace
    : term.namespaces.includes(namespace));
