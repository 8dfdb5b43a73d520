/**
 * Kubernetes' own rules about labels, taints, ports and amounts, on plain values: nothing of what
 * the solver is made of.
 */
import type { HostPort } from '#lib/constraints/host-ports.ts';
import type { LabelSelector } from '#lib/constraints/label-selector.ts';
import type { RequirementSpec } from '#lib/constraints/requirement.ts';
import type { Resources } from '#lib/constraints/resources.ts';
import type { Taint, Toleration } from '#lib/constraints/taints.ts';
import type { InstanceType } from '#lib/model/instance-type.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { Pod, PodAffinityTerm } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';

/** For each label key the values that a node may turn out to have; undefined is its absence. */
export type Labels = ReadonlyMap<string, readonly (string | undefined)[]>;

export const ZONE = 'topology.kubernetes.io/zone';
export const CAPACITY_TYPE = 'karpenter.sh/capacity-type';
export const INSTANCE_TYPE = 'node.kubernetes.io/instance-type';
export const NODEPOOL = 'karpenter.sh/nodepool';
export const NODECLASS = 'karpenter.k8s.aws/ec2nodeclass';
export const RESERVATION = 'karpenter.k8s.aws/capacity-reservation-id';
export const HOSTNAME = 'kubernetes.io/hostname';

/** A pod as plans name it. */
export const nameOf = ({ meta }: Pod): string => `${meta.namespace}/${meta.name}`;

/** Whether a label of this value, or none, satisfies one line, as kube-scheduler judges it. */
export function allows(
  operator: string,
  values: readonly string[],
  value: string | undefined,
): boolean {
  const [bound = '0'] = values;
  const isNumber = value !== undefined && /^[+-]?\d+$/.test(value);
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return isNumber && BigInt(value) > BigInt(bound);
    case 'Gte':
      return isNumber && BigInt(value) >= BigInt(bound);
    case 'Lt':
      return isNumber && BigInt(value) < BigInt(bound);
    case 'Lte':
      return isNumber && BigInt(value) <= BigInt(bound);
    default:
      throw new Error(`expected an operator, found ${operator}`);
  }
}

/** Beta names of labels mean the stable ones. */
const STABLE: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': ZONE,
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/instance-type': INSTANCE_TYPE,
};

/** The key that a line is about. */
export const keyOf = ({ key }: RequirementSpec): string => STABLE[key] ?? key;

const valuesIn = (labels: Labels, line: RequirementSpec): readonly (string | undefined)[] =>
  labels.get(keyOf(line)) ?? [undefined];

/** Whether every node with one of these label values satisfies the line. */
export const meets = (labels: Labels, line: RequirementSpec): boolean =>
  valuesIn(labels, line).every((value) => allows(line.operator, line.values ?? [], value));

/**
 * The ways in which a pod's node selector and required node affinity can be met, as lines. A term
 * that is empty is no way: it holds for no node.
 */
function waysOf({ nodeSelector, nodeAffinity }: Pod): readonly (readonly RequirementSpec[])[] {
  const selector = Object.entries(nodeSelector).map(
    ([key, value]): RequirementSpec => ({ key, operator: 'In', values: [value] }),
  );
  const { required } = nodeAffinity;
  if (required.length === 0) return [selector];
  return required
    .filter(({ matchExpressions }) => matchExpressions.length > 0)
    .map(({ matchExpressions }) => [...selector, ...matchExpressions]);
}

/** Whether the pod's own node selector and affinity let this label have this value. */
export const allowsOnKey = (pod: Pod, key: string, value: string): boolean =>
  waysOf(pod).some((lines) => allowsIn(lines, key, value));

/**
 * The values of a key that each way allows by which a node surely takes the pod, whatever comes of
 * its labels; where no way is sure, those that all ways allow by which it may.
 */
export function allowedFrom(
  pod: Pod,
  outcomes: readonly Labels[],
  key: string,
  values: readonly string[],
): readonly (readonly string[])[] {
  const ways = waysOf(pod);
  const allowedBy = (lines: readonly RequirementSpec[]): readonly string[] =>
    values.filter((value) => allowsIn(lines, key, value));
  const sure = ways.filter((lines) =>
    outcomes.every((labels) => lines.every((line) => meets(labels, line))),
  );
  if (sure.length > 0) return sure.map(allowedBy);
  const possible = ways.filter((lines) => outcomes.some((labels) => mightMeet(labels, lines)));
  return [possible.flatMap(allowedBy)];
}

const allowsIn = (lines: readonly RequirementSpec[], key: string, value: string): boolean =>
  lines
    .filter((line) => keyOf(line) === key)
    .every(({ operator, values }) => allows(operator, values ?? [], value));

/** Whether every node with one of these label values would take the pod, as far as labels go. */
export const selectsNode = (pod: Pod, labels: Labels): boolean =>
  waysOf(pod).some((lines) => lines.every((line) => meets(labels, line)));

/** Whether some node with one of these label values would take the pod, as far as labels go. */
export const mightSelect = (pod: Pod, labels: Labels): boolean =>
  waysOf(pod).some((lines) => mightMeet(labels, lines));

const mightMeet = (labels: Labels, lines: readonly RequirementSpec[]): boolean =>
  lines.every((line) =>
    valuesIn(labels, line).some((value) =>
      lines
        .filter((other) => keyOf(other) === keyOf(line))
        .every((other) => allows(other.operator, other.values ?? [], value)),
    ),
  );

const puts = (taint: Taint, { key, operator, value = '', effect }: Toleration): boolean =>
  (effect === undefined || effect === taint.effect) &&
  (key === undefined || key === '' || key === taint.key) &&
  (operator === 'Exists' || (operator === 'Equal' && value === taint.value));

/** Whether the pod puts up with every taint that binds; PreferNoSchedule never does. */
export const toleratesAll = (pod: Pod, taints: readonly Taint[]): boolean =>
  taints.every(
    (taint) =>
      taint.effect === 'PreferNoSchedule' || pod.tolerations.some((each) => puts(taint, each)),
  );

/** The labels of a type; what it cannot have is absent. */
export function labelsOfType(type: InstanceType): Map<string, readonly (string | undefined)[]> {
  const labels = new Map<string, readonly (string | undefined)[]>();
  for (const [key, { complement, values }] of type.requirements) {
    if (!complement) labels.set(key, values.size === 0 ? [undefined] : [...values]);
  }
  return labels.set(INSTANCE_TYPE, [type.name]);
}

/** What pods ask for that only other rules can judge: topology, volumes, devices. */
export const needsMore = (pod: Pod): boolean =>
  pod.topologySpread.some(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule') ||
  pod.podAffinity.required.length > 0 ||
  pod.podAntiAffinity.required.length > 0 ||
  pod.volumes.length > 0 ||
  pod.resourceClaims.length > 0;

/** Amounts added up, resource by resource. */
export function sum(list: readonly Resources[]): Readonly<Record<string, number>> {
  const total: Record<string, number> = {};
  for (const each of list) {
    for (const [name, amount] of Object.entries(each)) total[name] = (total[name] ?? 0) + amount;
  }
  return total;
}

/** The resources of which more is asked than there is. */
export const shortOf = (asked: Resources, there: Resources): readonly string[] =>
  Object.entries(asked)
    .filter(([name, amount]) => amount > (there[name] ?? 0))
    .map(([name]) => name);

/** Whether one of `newcomers` wants what another pod has; clashes of old are not ours. */
export function portsClash(newcomers: readonly Pod[], others: readonly Pod[]): boolean {
  const ports: HostPort[] = newcomers.flatMap(({ hostPorts }) => hostPorts);
  const taken: HostPort[] = others.flatMap(({ hostPorts }) => hostPorts);
  const isAny = (ip: string) => ip === '' || ip === '0.0.0.0' || ip === '::';
  return ports.some((a, at) =>
    [...ports.slice(at + 1), ...taken].some(
      (b) =>
        a.port === b.port &&
        a.protocol === b.protocol &&
        (a.ip === b.ip || isAny(a.ip) || isAny(b.ip)),
    ),
  );
}

/** Whether a node, or the claim that stands for it, is on its way out. */
export const isLeaving = ({ node, claim }: StateNode): boolean =>
  claim
    ? claim.meta.deletedAt !== undefined ||
      claim.status.conditions.some(
        ({ type, status }) => type === 'InstanceTerminating' && status === 'True',
      )
    : node?.meta.deletedAt !== undefined;

/** Whether a pod still holds what it asked for. */
export const isAlive = ({ phase }: Pod): boolean => phase !== 'Succeeded' && phase !== 'Failed';

/** Whether a selector selects these labels. */
export const matches = (
  { matchLabels, matchExpressions }: LabelSelector,
  labels: Readonly<Record<string, string>>,
): boolean =>
  Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
  matchExpressions.every(({ key, operator, values }) => allows(operator, values, labels[key]));

/** Whether the term of `owner` is about the other pod. */
export function reaches(
  term: PodAffinityTerm,
  owner: Pod,
  { meta }: Pod,
  snapshot: Snapshot,
): boolean {
  const { namespaces, namespaceSelector, selector } = term;
  if (!selector || !matches(selector, meta.labels)) return false;
  if (namespaces.includes(meta.namespace)) return true;
  if (!namespaceSelector) {
    return namespaces.length === 0 && meta.namespace === owner.meta.namespace;
  }
  const space = snapshot.namespaces.find((each) => each.meta.name === meta.namespace);
  return matches(namespaceSelector, space?.meta.labels ?? {});
}

/** Whether a pod that runs keeps `pod` off a node called `name` that may have these labels. */
export const isKeptAway = (
  pod: Pod,
  name: string | undefined,
  labels: Labels,
  snapshot: Snapshot,
): boolean =>
  snapshot.nodes
    .filter((host) => !isLeaving(host))
    .some((host) =>
      host.pods.filter(isAlive).some((owner) =>
        owner.podAntiAffinity.required.some((term) => {
          if (!reaches(term, owner, pod, snapshot)) return false;
          if (term.topologyKey === HOSTNAME) return host.name === name;
          const there = (host.node ?? host.claim)?.meta.labels[term.topologyKey];
          return there !== undefined && (labels.get(term.topologyKey) ?? []).includes(there);
        }),
      ),
    );
