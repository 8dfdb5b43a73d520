/** What may be wrong with pods on nodes that are there or on their way. */
import type { Resources } from '#lib/constraints/resources.ts';
import type { Taint } from '#lib/constraints/taints.ts';
import type { Placing } from '#lib/decide/place.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import {
  allows,
  INSTANCE_TYPE,
  isAlive,
  isKeptAway,
  isLeaving,
  keyOf,
  type Labels,
  labelsOfType,
  mightSelect,
  nameOf,
  portsClash,
  selectsNode,
  shortOf,
  sum,
  toleratesAll,
} from './rules.ts';

/** Everything that is wrong with the pods that go on nodes which are not new. */
export function hostProblems(
  snapshot: Snapshot,
  { placements }: Placing,
  pods: ReadonlyMap<string, Pod>,
): readonly string[] {
  const names = new Set(snapshot.nodes.map(({ name }) => name));
  const strangers = placements
    .filter(({ node, nodeClaim }) => !names.has(node ?? nodeClaim ?? ''))
    .map(({ pod }) => `${pod} is put on a node that nobody knows`);
  const problems = snapshot.nodes.flatMap((host) => {
    const newcomers = placements
      .filter(({ node, nodeClaim }) => (node ?? nodeClaim) === host.name)
      .flatMap(({ pod }) => pods.get(pod) ?? []);
    if (newcomers.length === 0) return [];
    return problemsWith(host, newcomers, snapshot).map((problem) => `${host.name} ${problem}`);
  });
  return [...strangers, ...problems];
}

/** What is wrong with `newcomers` on `host`, with all that runs there or is about to. */
export function problemsWith(
  host: StateNode,
  newcomers: readonly Pod[],
  snapshot: Snapshot,
): readonly string[] {
  if (isLeaving(host)) return ['is being deleted'];
  const taints = lastingTaints(host);
  const names = [host.name, host.claim?.meta.name];
  const coming = snapshot.pods.filter(
    ({ nominatedNodeName, nodeName, meta }) =>
      nodeName === undefined &&
      nominatedNodeName !== undefined &&
      names.includes(nominatedNodeName) &&
      meta.deletedAt === undefined,
  );
  const there = [...host.pods, ...coming].filter(isAlive);
  const problems = newcomers.flatMap((pod) => [
    ...(toleratesAll(pod, taints) ? [] : [`${nameOf(pod)} minds a taint`]),
    ...(pod.resourceClaims.length > 0 ? [`${nameOf(pod)} needs devices`] : []),
  ]);
  if (portsClash(newcomers, there)) problems.push('two pods want one host port');
  const shapes = shapesOf(host, snapshot);
  if (shapes.length === 0) problems.push('may become nothing that is known');
  for (const { labels, allocatable } of shapes) {
    for (const pod of newcomers) {
      if (!selectsNode(pod, labels)) problems.push(`${nameOf(pod)} asks for other labels`);
      if (isKeptAway(pod, host.name, labels, snapshot)) {
        problems.push(`a pod keeps ${nameOf(pod)} away`);
      }
    }
    const due = daemonsDue(snapshot, labels, taints, there);
    const asked = sum([due, ...[...there, ...newcomers].map(({ requests }) => requests)]);
    for (const name of shortOf(asked, allocatable)) problems.push(`has too little ${name}`);
  }
  return problems;
}

const labelled = ({ node, claim }: StateNode, label: string): boolean =>
  node !== undefined && (claim === undefined || node.meta.labels[label] === 'true');

/** One thing that a node may turn out to be. */
export interface Shape {
  readonly labels: Labels;
  readonly allocatable: Resources;
}

/** Each thing that a node may turn out to be. */
export function shapesOf(host: StateNode, snapshot: Snapshot): readonly Shape[] {
  const { node, claim, name } = host;
  const isLaunched = claim?.status.conditions.some(
    ({ type, status }) => type === 'Launched' && status === 'True',
  );
  if (claim && !node && !isLaunched) return unlaunchedShapes(claim, snapshot);
  const from = labelled(host, 'karpenter.sh/registered') ? node : claim;
  const labels = new Map(
    Object.entries({
      ...(node && { 'kubernetes.io/hostname': name }),
      ...from?.meta.labels,
      ...(node?.meta.labels['kubernetes.io/hostname'] && {
        'kubernetes.io/hostname': node.meta.labels['kubernetes.io/hostname'],
      }),
    }).map(([key, value]) => [key, [value]] as const),
  );
  const reported = node?.allocatable ?? {};
  if (labelled(host, 'karpenter.sh/initialized')) return [{ labels, allocatable: reported }];
  const allocatable: Record<string, number> = { ...claim?.status.allocatable };
  for (const [key, amount] of Object.entries(reported)) if (amount > 0) allocatable[key] = amount;
  return [{ labels, allocatable }];
}

/** One shape for each type that the NodeClaim may be launched as. */
function unlaunchedShapes(
  { meta, spec }: NonNullable<StateNode['claim']>,
  { catalog }: Snapshot,
): readonly Shape[] {
  const own = Object.entries(meta.labels).map(([key, value]) => [key, [value]] as const);
  const types = catalog.byNodeClass.get(spec.nodeClassRef.name) ?? [];
  return types.flatMap((type) => {
    const labels = new Map([...labelsOfType(type), ...own, [INSTANCE_TYPE, [type.name]] as const]);
    for (const [key, values] of labels) {
      const lines = spec.requirements.filter((line) => keyOf(line) === key);
      const left = values.filter((value) =>
        lines.every(({ operator, values: listed }) => allows(operator, listed ?? [], value)),
      );
      labels.set(key, left);
    }
    const isOut = (labels.get(INSTANCE_TYPE) ?? []).length === 0;
    return isOut ? [] : [{ labels, allocatable: type.allocatable }];
  });
}

/** What Kubernetes and Karpenter take off a young node by themselves. */
const PASSING: readonly string[] = [
  'node.kubernetes.io/not-ready:NoSchedule',
  'node.kubernetes.io/not-ready:NoExecute',
  'node.kubernetes.io/unreachable:NoSchedule',
  'node.cloudprovider.kubernetes.io/uninitialized:NoSchedule',
  'karpenter.sh/unregistered:NoExecute',
];

/** The taints that a node still has when it is ready for pods. */
export function lastingTaints(host: StateNode): readonly Taint[] {
  const { node, claim } = host;
  const isRegistered = labelled(host, 'karpenter.sh/registered');
  const taints = isRegistered ? (node?.taints ?? []) : (claim?.spec.taints ?? []);
  const cordon: Taint = {
    key: 'node.kubernetes.io/unschedulable',
    value: '',
    effect: 'NoSchedule',
  };
  const all = isRegistered && node?.unschedulable ? [...taints, cordon] : taints;
  if (labelled(host, 'karpenter.sh/initialized')) return all;
  const started = claim?.spec.startupTaints.map(({ key, effect }) => `${key}:${effect}`) ?? [];
  return all.filter(
    ({ key, effect }) =>
      !key.startsWith('readiness.k8s.io/') &&
      ![...PASSING, ...started].includes(`${key}:${effect}`),
  );
}

/** What DaemonSets will still put there, beyond the daemons that are there. */
function daemonsDue(
  { daemonSets }: Snapshot,
  labels: Labels,
  taints: readonly Taint[],
  there: readonly Pod[],
): Resources {
  const due = sum(
    daemonSets
      .map(({ pod }) => pod)
      .filter(
        (pod) =>
          pod.resourceClaims.length === 0 && toleratesAll(pod, taints) && mightSelect(pod, labels),
      )
      .map(({ requests }) => requests),
  );
  const running = sum(
    there
      .filter(({ meta }) => meta.owners.some(({ kind }) => kind === 'DaemonSet'))
      .map(({ requests }) => requests),
  );
  return Object.fromEntries(
    Object.entries(due).map(([name, amount]) => [name, Math.max(0, amount - (running[name] ?? 0))]),
  );
}
