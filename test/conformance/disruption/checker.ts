/**
 * Whether a consolidation can be believed, judged from the rules of consent, room and price alone. It
 * shares no code with what decides: budgets, prices and pods are looked at afresh, and the cluster
 * after all commands is judged as any placing is.
 */
import type { Placing } from '#lib/decide/place.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import type { Plan } from '#lib/model/plan.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { isAlive, isLeaving, nameOf } from '../soundness/rules.ts';
import { unsoundness } from '../soundness.ts';
import { consentProblems, isBudgetedPod } from './consent.ts';
import { priceProblems } from './prices.ts';

type Command = Plan['commands'][number];

/** Everything that is wrong with a consolidation, in words; empty for a fair one. */
export function unfairness(
  snapshot: Snapshot,
  plan: Plan,
  creations: Placing['creations'],
): readonly string[] {
  const nodes = new Map(snapshot.nodes.map((state) => [state.name, state]));
  const removed = plan.commands.flatMap(({ remove }) => remove);
  const unknown = removed.filter((name) => !nodes.has(name));
  if (unknown.length > 0) return unknown.map((name) => `${name} is removed but not there`);
  const gone = removed.flatMap((name) => nodes.get(name) ?? []);
  return [
    ...twice(removed).map((name) => `${name} is removed twice`),
    ...onceKeptOrRemoved(snapshot, plan),
    ...gone.flatMap((state) => nodeProblems(state, snapshot)),
    ...plan.commands.flatMap((command) => commandProblems(command, plan, nodes)),
    ...consentProblems(snapshot, plan),
    ...placeProblems(snapshot, { plan, creations }, gone),
    ...priceProblems(snapshot, plan),
  ];
}

const twice = (names: readonly string[]): readonly string[] =>
  names.filter((name, at) => names.indexOf(name) !== at);

function onceKeptOrRemoved({ nodes }: Snapshot, { commands, kept }: Plan): readonly string[] {
  const removed = new Set(commands.flatMap(({ remove }) => remove));
  const told = new Set(kept.map(({ node }) => node));
  const ours = nodes.filter(({ claim }) => claim !== undefined).map(({ name }) => name);
  return [
    ...ours
      .filter((name) => !removed.has(name) && !told.has(name))
      .map((name) => `${name} is forgotten`),
    ...kept
      .filter(({ node }) => removed.has(node))
      .map(({ node }) => `${node} is kept and removed`),
    ...kept
      .filter(({ because }) => because === '')
      .map(({ node }) => `${node} is kept without a reason`),
  ];
}

const NODEPOOL = 'karpenter.sh/nodepool';

const poolOf = (state: StateNode, { nodePools }: Snapshot): NodePool | undefined =>
  nodePools.find(({ meta }) => meta.name === state.claim?.meta.labels[NODEPOOL]);

function nodeProblems(state: StateNode, snapshot: Snapshot): readonly string[] {
  const { name, node, claim, pods } = state;
  const pool = poolOf(state, snapshot);
  const problems: string[] = [];
  const is = (type: string) =>
    claim?.status.conditions.some((each) => each.type === type && each.status === 'True') ?? false;
  if (!node || !claim || !pool) return [`${name} is not one of ours`];
  if (node.meta.labels['karpenter.sh/initialized'] !== 'true') problems.push('is not initialized');
  if (isLeaving(state)) problems.push('is going anyway');
  if (node.meta.annotations['karpenter.sh/do-not-disrupt'] === 'true')
    problems.push('is protected');
  if (pool.replicas !== undefined) problems.push('is of a static pool');
  if (pool.disruption.consolidateAfter === 'Never') problems.push('is never consolidated');
  if (!is('Consolidatable')) problems.push('has not settled');
  const guarded = pods.filter((pod) => isAlive(pod) && isGuarded(pod, snapshot.takenAt));
  return [...problems, ...guarded.map((pod) => `holds ${nameOf(pod)}, which is protected`)].map(
    (problem) => `${name} ${problem}`,
  );
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

function isGuarded({ meta, startedAt }: Pod, now: number): boolean {
  const value = meta.annotations['karpenter.sh/do-not-disrupt'];
  if (meta.deletedAt !== undefined) return false;
  if (value === 'true') return true;
  const [, amount, unit] = /^(\d+)([smh])$/.exec(value ?? '') ?? [];
  if (amount === undefined || unit === undefined || Number(amount) === 0) return false;
  return startedAt === undefined || now < startedAt + Number(amount) * (UNITS[unit] ?? 0);
}

/** Pods that lose their node and need another one. */
const movers = ({ pods }: StateNode): readonly Pod[] =>
  pods.filter(
    (pod) =>
      isBudgetedPod(pod) &&
      !pod.meta.owners.some(({ kind }) => kind === 'DaemonSet') &&
      (pod.meta.deletedAt === undefined ||
        pod.meta.owners.some(({ kind }) => kind === 'StatefulSet')),
  );

function commandProblems(
  { reason, remove, replaceWith, podsMoved }: Command,
  { nodeClaims }: Plan,
  nodes: ReadonlyMap<string, StateNode>,
): readonly string[] {
  const moved = remove.flatMap((name) => {
    const state = nodes.get(name);
    return state ? movers(state) : [];
  });
  const told = new Set(nodeClaims.map(({ name }) => name));
  const named = remove.join(', ');
  return [
    ...(moved.length === podsMoved
      ? []
      : [`${named}: ${moved.length} pods move, not ${podsMoved}`]),
    ...(reason === 'Empty' && moved.length > 0 ? [`${named} are not empty`] : []),
    ...(reason === 'Empty' && replaceWith.length > 0 ? [`${named} are empty, but replaced`] : []),
    ...(remove.length > 8 ? [`${named} are too many for one command`] : []),
    ...replaceWith.filter((name) => !told.has(name)).map((name) => `${name} is not told of`),
  ];
}

/** All pods of the nodes that go must stand soundly on what is there then. */
function placeProblems(
  snapshot: Snapshot,
  { plan, creations }: { readonly plan: Plan; readonly creations: Placing['creations'] },
  gone: readonly StateNode[],
): readonly string[] {
  const leaving = new Set(gone);
  const pods = gone.flatMap(movers).map(asPending);
  const after: Snapshot = {
    ...snapshot,
    nodes: snapshot.nodes
      .filter((state) => !leaving.has(state))
      .filter((state) => !isLeaving(state)),
    pods,
  };
  const placing = {
    claims: plan.nodeClaims,
    creations,
    placements: plan.placements,
    refused: [],
    warnings: [],
    buffers: [],
    held: [],
    usdPerHour: plan.usdPerHour,
    lowerBoundUsdPerHour: plan.lowerBoundUsdPerHour,
  };
  const hosts = new Map(snapshot.nodes.map((state) => [state.name, state]));
  const uncertain = plan.placements.flatMap(({ pod, node }) => {
    const host = hosts.get(node ?? '');
    return host && isSure(host, snapshot) ? [] : [`${pod} goes to ${node}, which takes nobody`];
  });
  return [...uncertain, ...unsoundness(after, placing).filter(isOfPlaces)];
}

/** Wishes may be given up for money, and pools are not chosen anew for pods that move. */
const isOfPlaces = (problem: string): boolean => !/wish|weight|heavier/.test(problem);

function isSure(host: StateNode, snapshot: Snapshot): boolean {
  const { claim, node } = host;
  if (!node || isLeaving(host)) return false;
  if (!claim) return true;
  if (node.meta.labels['karpenter.sh/initialized'] !== 'true') return false;
  const wait = poolOf(host, snapshot)?.disruption.consolidateAfter;
  if (wait === undefined || wait === 'Never') return true;
  const initialized = claim.status.conditions.find(({ type }) => type === 'Initialized');
  const since = claim.status.lastPodEventAt ?? initialized?.changedAt ?? snapshot.takenAt;
  return snapshot.takenAt - since >= wait;
}

function asPending(pod: Pod): Pod {
  const { nodeName: _, meta, ...rest } = pod;
  const { deletedAt: __, ...living } = meta;
  return {
    ...rest,
    meta: living,
    phase: 'Pending',
    scheduled: { status: 'False', reason: 'Unschedulable' },
  };
}
