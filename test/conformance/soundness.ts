/**
 * Whether a placing can be believed, judged from Kubernetes' rules alone. It shares no code with
 * the solver: labels are plain values here, requirements are asked value by value, and every node
 * that a NodeClaim could become is built and filled.
 */
import type { HostPort } from '#lib/constraints/host-ports.ts';
import type { RequirementSpec } from '#lib/constraints/requirement.ts';
import type { Resources } from '#lib/constraints/resources.ts';
import type { Taint } from '#lib/constraints/taints.ts';
import type { Placing } from '#lib/decide/place.ts';
import type { InstanceType, Offering } from '#lib/model/instance-type.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import type { PlannedNodeClaim } from '#lib/model/plan.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';

/** For each label key the values that a node may turn out to have; 'none' is its absence. */
type Labels = ReadonlyMap<string, readonly (string | undefined)[]>;

const nameOf = ({ meta }: Pod): string => `${meta.namespace}/${meta.name}`;

/** Everything that is wrong with a placing, in words; empty for a sound one. */
export function unsoundness(snapshot: Snapshot, placing: Placing): readonly string[] {
  const pods = new Map(
    [...snapshot.pods, ...snapshot.nodes.flatMap((node) => node.pods)].map((pod) => [
      nameOf(pod),
      pod,
    ]),
  );
  return [
    ...onceEach(snapshot, placing),
    ...placing.claims.flatMap((claim) => claimProblems(snapshot, placing, claim, pods)),
    ...hostProblems(snapshot, placing, pods),
    ...limitProblems(snapshot, placing),
    ...priceProblems(placing),
  ];
}

/** Every pending pod is placed or refused, once, and no other pod but from nodes that go. */
function onceEach(snapshot: Snapshot, placing: Placing): readonly string[] {
  const told = [
    ...placing.claims.flatMap(({ pods }) => pods),
    ...placing.placements.map(({ pod }) => pod),
    ...placing.refused.map(({ pod }) => pod),
  ];
  const counts = new Map<string, number>();
  for (const pod of told) counts.set(pod, (counts.get(pod) ?? 0) + 1);
  const live = new Set(
    snapshot.nodes
      .filter(({ node, claim }) => !(claim ?? node)?.meta.deletedAt)
      .flatMap(({ name, claim }) => [name, ...(claim ? [claim.meta.name] : [])]),
  );
  const waits = snapshot.pods.filter(
    (pod) =>
      pod.scheduled?.reason === 'Unschedulable' &&
      !pod.nodeName &&
      !live.has(pod.nominatedNodeName ?? '') &&
      !pod.meta.owners.some(({ kind }) => kind === 'DaemonSet' || kind === 'Node'),
  );
  const leftAlone = new Set(
    snapshot.pods.filter((pod) => !waits.includes(pod)).map((pod) => nameOf(pod)),
  );
  return [
    ...[...counts].filter(([, count]) => count > 1).map(([pod]) => `${pod} is told of twice`),
    ...waits.filter((pod) => !counts.has(nameOf(pod))).map((pod) => `${nameOf(pod)} is forgotten`),
    ...told.filter((pod) => leftAlone.has(pod)).map((pod) => `${pod} should be left alone`),
  ];
}

function claimProblems(
  snapshot: Snapshot,
  placing: Placing,
  claim: PlannedNodeClaim,
  pods: ReadonlyMap<string, Pod>,
): readonly string[] {
  const pool = snapshot.nodePools.find(({ meta }) => meta.name === claim.nodePool);
  const created = placing.creations
    .flatMap((action) => (action.kind === 'createNodeClaim' ? [action.claim] : []))
    .find(({ name }) => name === claim.name);
  if (!pool || !created) return [`${claim.name} has no NodePool or is not created`];
  const members = claim.pods.flatMap((name) => pods.get(name) ?? []);
  const problems: string[] = [];
  if (!pool.status.conditions.some(({ type, status }) => type === 'Ready' && status === 'True')) {
    problems.push(`its NodePool ${pool.meta.name} is not ready`);
  }
  if (pool.replicas !== undefined) problems.push('its NodePool is static');
  const types = snapshot.catalog.byNodeClass.get(pool.template.nodeClassRef.name) ?? [];
  const prices: number[] = [];
  for (const name of claim.instanceTypes) {
    const type = types.find((each) => each.name === name);
    const offerings = type ? admitted(type, claim.requirements) : [];
    if (!type || offerings.length === 0) {
      problems.push(`${name} has no available offering`);
      continue;
    }
    for (const offering of offerings) {
      prices.push(offering.usdPerHour);
      const labels = labelsOf(type, offering, created.labels, claim.requirements);
      problems.push(
        ...nodeProblems(snapshot, pool, { type, labels, members }).map(
          (problem) => `${name} ${offering.capacityType} ${offering.zone}: ${problem}`,
        ),
      );
    }
  }
  if (Math.abs(Math.min(...prices) - claim.usdPerHour) > 1e-12) {
    problems.push(`it costs ${Math.min(...prices)}, not ${claim.usdPerHour}`);
  }
  problems.push(...minValuesProblems(pool, claim, types));
  return problems.map((problem) => `${claim.name}: ${problem}`);
}

/** The offerings that a launch by these requirements could end in. */
function admitted(
  type: InstanceType,
  requirements: readonly RequirementSpec[],
): readonly Offering[] {
  return type.offerings.filter((offering) => {
    if (!offering.available) return false;
    const labels: Record<string, string> = {
      'topology.kubernetes.io/zone': offering.zone,
      'karpenter.sh/capacity-type': offering.capacityType,
      'topology.k8s.aws/zone-id': offering.zoneId,
      'karpenter.k8s.aws/capacity-reservation-id': offering.reservationId ?? '',
    };
    return requirements.every(({ key, operator, values }) => {
      const value = labels[key];
      return (
        value === undefined || allows(operator, values ?? [], value === '' ? undefined : value)
      );
    });
  });
}

function labelsOf(
  type: InstanceType,
  offering: Offering,
  claimLabels: Readonly<Record<string, string>>,
  requirements: readonly RequirementSpec[],
): Labels {
  const labels = new Map<string, readonly (string | undefined)[]>();
  for (const [key, { complement, values }] of type.requirements) {
    if (!complement) labels.set(key, values.size === 0 ? [undefined] : [...values]);
  }
  for (const [key, value] of Object.entries(claimLabels)) labels.set(key, [value]);
  for (const [key, { values }] of offering.requirements) labels.set(key, [...values]);
  labels.set('topology.kubernetes.io/zone', [offering.zone]);
  labels.set('karpenter.sh/capacity-type', [offering.capacityType]);
  labels.set('node.kubernetes.io/instance-type', [type.name]);
  if (offering.reservationId === undefined) {
    labels.set('karpenter.k8s.aws/capacity-reservation-id', [undefined]);
  }
  // A launch settles what a type leaves open within the NodeClaim's requirements.
  for (const [key, values] of labels) {
    const lines = requirements.filter((line) => line.key === key);
    labels.set(
      key,
      values.filter((value) =>
        lines.every(({ operator, values: listed }) => allows(operator, listed ?? [], value)),
      ),
    );
  }
  return labels;
}

/** Whether a label of this value, or none, satisfies one line, as kube-scheduler judges it. */
function allows(operator: string, values: readonly string[], value: string | undefined): boolean {
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
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
};

const meets = (labels: Labels, { key, operator, values = [] }: RequirementSpec): boolean =>
  (labels.get(STABLE[key] ?? key) ?? [undefined]).every((value) => allows(operator, values, value));

/** Whether every node with one of these label values would take the pod, as far as labels go. */
function selectsNode(pod: Pod, labels: Labels): boolean {
  const selector = Object.entries(pod.nodeSelector).every(([key, value]) =>
    meets(labels, { key, operator: 'In', values: [value] }),
  );
  const { required } = pod.nodeAffinity;
  const affinity =
    required.length === 0 ||
    required.some(({ matchExpressions }) => matchExpressions.every((line) => meets(labels, line)));
  return selector && affinity;
}

function toleratesAll(pod: Pod, taints: readonly Taint[]): boolean {
  return taints.every(
    (taint) =>
      taint.effect === 'PreferNoSchedule' ||
      pod.tolerations.some(
        ({ key, operator, value = '', effect }) =>
          (effect === undefined || effect === taint.effect) &&
          (key === undefined || key === '' || key === taint.key) &&
          (operator === 'Exists' || (operator === 'Equal' && value === taint.value)),
      ),
  );
}

function nodeProblems(
  snapshot: Snapshot,
  { template }: NodePool,
  {
    type,
    labels,
    members,
  }: { readonly type: InstanceType; readonly labels: Labels; readonly members: readonly Pod[] },
): readonly string[] {
  const problems: string[] = [];
  for (const line of template.requirements) {
    if (!meets(labels, line) && labels.has(line.key))
      problems.push(`breaks the pool's ${line.key}`);
  }
  for (const pod of members) {
    if (!toleratesAll(pod, template.taints)) problems.push(`${nameOf(pod)} minds a taint`);
    if (!selectsNode(pod, labels)) problems.push(`${nameOf(pod)} asks for other labels`);
    if (needsMore(pod)) problems.push(`${nameOf(pod)} needs topology or volumes`);
  }
  const withStatus: Labels = new Map([
    ...labels,
    ['karpenter.sh/registered', ['true']],
    ['karpenter.sh/initialized', ['true']],
  ]);
  const daemons = snapshot.daemonSets
    .map(({ pod }) => pod)
    .filter((pod) => toleratesAll(pod, template.taints) && selectsNode(pod, withStatus));
  const asked = sum([...members, ...daemons].map(({ requests }) => requests));
  for (const [name, amount] of Object.entries(asked)) {
    if (amount > (type.allocatable[name] ?? 0)) problems.push(`has too little ${name}`);
  }
  if (portsClash(members, daemons)) problems.push('two pods want one host port');
  return problems;
}

const needsMore = (pod: Pod): boolean =>
  pod.topologySpread.some(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule') ||
  pod.podAffinity.required.length > 0 ||
  pod.podAntiAffinity.required.length > 0 ||
  pod.volumes.length > 0 ||
  pod.resourceClaims.length > 0;

function sum(list: readonly Resources[]): Readonly<Record<string, number>> {
  const total: Record<string, number> = {};
  for (const each of list) {
    for (const [name, amount] of Object.entries(each)) total[name] = (total[name] ?? 0) + amount;
  }
  return total;
}

/** Whether one of `newcomers` wants what another pod has; clashes of old are not ours. */
function portsClash(newcomers: readonly Pod[], others: readonly Pod[]): boolean {
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

function minValuesProblems(
  pool: NodePool,
  claim: PlannedNodeClaim,
  types: readonly InstanceType[],
): readonly string[] {
  return claim.requirements.flatMap(({ key, minValues }) => {
    if (minValues === undefined) return [];
    const values = new Set(
      types
        .filter(({ name }) => claim.instanceTypes.includes(name))
        .flatMap(({ requirements }) => [...(requirements.get(key)?.values ?? [])]),
    );
    return values.size >= minValues ? [] : [`${pool.meta.name}: minValues of ${key} is not met`];
  });
}

/** Pods on nodes that are there: labels, taints, room and ports, with what runs there already. */
function hostProblems(
  snapshot: Snapshot,
  { placements }: Placing,
  pods: ReadonlyMap<string, Pod>,
): readonly string[] {
  return snapshot.nodes.flatMap(({ name, node, claim, pods: bound }) => {
    const newcomers = placements
      .filter((placement) => (placement.node ?? placement.nodeClaim) === name)
      .flatMap(({ pod }) => pods.get(pod) ?? []);
    if (newcomers.length === 0) return [];
    const problems: string[] = [];
    if ((claim ?? node)?.meta.deletedAt) problems.push('is being deleted');
    const isReady = node !== undefined && (claim === undefined || isLabelled(node.meta.labels));
    if (isReady) {
      const labels = new Map(
        Object.entries({ 'kubernetes.io/hostname': name, ...node.meta.labels }).map(
          ([key, value]) => [key, [value]] as const,
        ),
      );
      const repelling = bound.filter((pod) => repels(pod, newcomers));
      if (repelling.length > 0) problems.push('a pod there keeps a newcomer away');
      for (const pod of newcomers) {
        if (!selectsNode(pod, labels)) problems.push(`${nameOf(pod)} asks for other labels`);
        if (!toleratesAll(pod, node.taints)) problems.push(`${nameOf(pod)} minds a taint`);
        if (needsMore(pod)) problems.push(`${nameOf(pod)} needs topology or volumes`);
      }
    }
    const living = bound.filter(({ phase }) => phase !== 'Succeeded' && phase !== 'Failed');
    const asked = sum([...living, ...newcomers].map(({ requests }) => requests));
    const has = { ...claim?.status.allocatable, ...node?.allocatable };
    for (const [resource, amount] of Object.entries(asked)) {
      const there = has[resource] || claim?.status.allocatable[resource] || 0;
      if (Object.keys(has).length > 0 && amount > there)
        problems.push(`has too little ${resource}`);
    }
    if (portsClash(newcomers, living)) problems.push('two pods want one host port');
    return problems.map((problem) => `${name} ${problem}`);
  });
}

const isLabelled = (labels: Readonly<Record<string, string>>): boolean =>
  labels['karpenter.sh/initialized'] === 'true';

const repels = (pod: Pod, newcomers: readonly Pod[]): boolean =>
  pod.podAntiAffinity.required.some(({ selector, namespaces, namespaceSelector, topologyKey }) => {
    if (topologyKey !== 'kubernetes.io/hostname' || !selector || namespaceSelector) return false;
    const where = namespaces.length > 0 ? namespaces : [pod.meta.namespace];
    return newcomers.some(
      ({ meta }) =>
        where.includes(meta.namespace) &&
        Object.entries(selector.matchLabels).every(([key, value]) => meta.labels[key] === value) &&
        selector.matchExpressions.every(({ key, operator, values }) =>
          allows(operator, values, meta.labels[key]),
        ),
    );
  });

/** What a pool's nodes hold that stay, and the largest that each new one may become. */
function limitProblems(snapshot: Snapshot, { claims }: Placing): readonly string[] {
  return snapshot.nodePools.flatMap((pool) => {
    const mine = claims.filter(({ nodePool }) => nodePool === pool.meta.name);
    if (mine.length === 0) return [];
    const types = snapshot.catalog.byNodeClass.get(pool.template.nodeClassRef.name) ?? [];
    const stay = snapshot.nodes.filter(
      ({ node, claim }) =>
        !(claim ?? node)?.meta.deletedAt &&
        (claim ?? node)?.meta.labels['karpenter.sh/nodepool'] === pool.meta.name,
    );
    return Object.entries(pool.limits).flatMap(([name, limit]) => {
      const held = stay.map(({ node, claim }) =>
        name === 'nodes' ? 1 : node?.capacity[name] || claim?.status.capacity[name] || 0,
      );
      const made = mine.map(({ instanceTypes }) =>
        name === 'nodes'
          ? 1
          : Math.max(
              ...types
                .filter((type) => instanceTypes.includes(type.name))
                .map(({ capacity }) => capacity[name] ?? 0),
            ),
      );
      const total = [...held, ...made].reduce((all, amount) => all + amount, 0);
      return total > limit ? [`NodePool ${pool.meta.name} exceeds its limit of ${name}`] : [];
    });
  });
}

function priceProblems(placing: Placing): readonly string[] {
  const total = placing.claims.reduce((all, { usdPerHour }) => all + usdPerHour, 0);
  const problems: string[] = [];
  if (Math.abs(total - placing.usdPerHour) > 1e-9) problems.push('the sum of prices is wrong');
  if (placing.lowerBoundUsdPerHour > placing.usdPerHour + 1e-9) {
    problems.push('the lower bound is above the price');
  }
  return problems;
}
