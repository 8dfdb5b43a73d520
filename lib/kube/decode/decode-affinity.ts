import type {
  Pod,
  PodAffinity,
  PodAffinityTerm,
  TopologySpreadConstraint,
  Weighted,
} from '#lib/model/pod.ts';
import {
  decodeLabelSelector,
  decodeNodeSelector,
  decodeNodeSelectorTerm,
} from './decode-scheduling.ts';
import {
  type Decoder,
  list,
  optional,
  present,
  required,
  type Wire,
  wire,
  withDefault,
} from './field.ts';
import { integer, name, oneOf, text } from './scalar.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const nodePolicy = oneOf('Honor', 'Ignore');
const whenUnsatisfiable = oneOf('DoNotSchedule', 'ScheduleAnyway');

const NONE = Object.freeze({ required: Object.freeze([]), preferred: Object.freeze([]) });
const NO_POD_AFFINITY: PodAffinity = NONE;
const NO_NODE_AFFINITY: Pod['nodeAffinity'] = NONE;

/** The three affinities under a pod's `spec`; those that are absent share one empty value. */
export function decodeAffinities(
  spec: Wire,
): Pick<Pod, 'nodeAffinity' | 'podAffinity' | 'podAntiAffinity'> {
  return required(spec, 'affinity', (value) => {
    const affinity = value === undefined || value === null ? {} : wire(value);
    return {
      nodeAffinity: withDefault(affinity, 'nodeAffinity', NO_NODE_AFFINITY, decodeNodeAffinity),
      podAffinity: withDefault(affinity, 'podAffinity', NO_POD_AFFINITY, decodePodAffinity),
      podAntiAffinity: withDefault(affinity, 'podAntiAffinity', NO_POD_AFFINITY, decodePodAffinity),
    };
  });
}

const decodeNodeAffinity: Decoder<Pod['nodeAffinity']> = (value) => {
  const affinity = wire(value);
  return {
    required: decodeNodeSelector(affinity, REQUIRED),
    preferred: list(affinity, PREFERRED, weighted('preference', decodeNodeSelectorTerm)),
  };
};

const decodePodAffinity: Decoder<PodAffinity> = (value) => {
  const affinity = wire(value);
  return {
    required: list(affinity, REQUIRED, decodePodAffinityTerm),
    preferred: list(affinity, PREFERRED, weighted('podAffinityTerm', decodePodAffinityTerm)),
  };
};

const decodePodAffinityTerm: Decoder<PodAffinityTerm> = (value) => {
  const term = wire(value);
  return {
    topologyKey: required(term, 'topologyKey', name),
    namespaces: list(term, 'namespaces', text),
    ...present({
      selector: optional(term, 'labelSelector', decodeLabelSelector),
      namespaceSelector: optional(term, 'namespaceSelector', decodeLabelSelector),
    }),
  };
};

function weighted<Term>(key: string, decode: Decoder<Term>): Decoder<Weighted<Term>> {
  return (value) => {
    const preference = wire(value);
    return {
      weight: required(preference, 'weight', integer),
      term: required(preference, key, decode),
    };
  };
}

/** A spread constraint of a pod. Node affinity is honoured and taints ignored unless it says so. */
export const decodeTopologySpread: Decoder<TopologySpreadConstraint> = (value) => {
  const constraint = wire(value);
  return {
    topologyKey: required(constraint, 'topologyKey', name),
    maxSkew: required(constraint, 'maxSkew', integer),
    whenUnsatisfiable: required(constraint, 'whenUnsatisfiable', whenUnsatisfiable),
    matchLabelKeys: list(constraint, 'matchLabelKeys', text),
    nodeAffinityPolicy: withDefault(constraint, 'nodeAffinityPolicy', 'Honor', nodePolicy),
    nodeTaintsPolicy: withDefault(constraint, 'nodeTaintsPolicy', 'Ignore', nodePolicy),
    ...present({
      selector: optional(constraint, 'labelSelector', decodeLabelSelector),
      minDomains: optional(constraint, 'minDomains', integer),
    }),
  };
};
