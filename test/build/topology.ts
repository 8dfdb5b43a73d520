import type { LabelSelector, Labels } from '#lib/constraints/label-selector.ts';
import type { Pod, PodAffinityTerm, TopologySpreadConstraint } from '#lib/model/pod.ts';

/** The label of the hostname. */
export const NODE_KEY = 'kubernetes.io/hostname';
/** The label of the zone. */
export const ZONE_KEY = 'topology.kubernetes.io/zone';

/** A selector of pods that carry these labels. */
export const labelled = (labels: Labels): LabelSelector => ({
  matchLabels: labels,
  matchExpressions: [],
});

/** A spread of pods labelled app=web over zones: one more at most, required. */
export const aSpread = (
  difference: Partial<TopologySpreadConstraint> = {},
): TopologySpreadConstraint => ({
  topologyKey: ZONE_KEY,
  maxSkew: 1,
  whenUnsatisfiable: 'DoNotSchedule',
  selector: labelled({ app: 'web' }),
  matchLabelKeys: [],
  nodeAffinityPolicy: 'Honor',
  nodeTaintsPolicy: 'Ignore',
  ...difference,
});

/** A term about pods labelled app=web over nodes. */
export const aTerm = (difference: Partial<PodAffinityTerm> = {}): PodAffinityTerm => ({
  topologyKey: NODE_KEY,
  selector: labelled({ app: 'web' }),
  namespaces: [],
  ...difference,
});

/** What a pod says that must be near pods of each term. */
export const near = (...terms: readonly PodAffinityTerm[]): Pick<Pod, 'podAffinity'> => ({
  podAffinity: { required: terms, preferred: [] },
});

/** What a pod says that must be apart from pods of each term. */
export const apart = (...terms: readonly PodAffinityTerm[]): Pick<Pod, 'podAntiAffinity'> => ({
  podAntiAffinity: { required: terms, preferred: [] },
});

/** What a pod says that would like to be apart from pods of a term. */
export const ratherApart = (term: PodAffinityTerm): Pick<Pod, 'podAntiAffinity'> => ({
  podAntiAffinity: { required: [], preferred: [{ weight: 1, term }] },
});
