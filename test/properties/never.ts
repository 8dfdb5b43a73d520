/**
 * What no command may ever do, judged from the objects alone by rules written down a second time:
 * consent, budgets, replacements and room.
 */
import type { StateNode } from '#lib/model/node.ts';
import type { Action, Plan } from '#lib/model/plan.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { PodDisruptionBudget } from '#lib/model/pod-disruption-budget.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { movedWith } from '#test/bench/day/pods.ts';
import { MINUTE, SECOND } from '#test/build/objects.ts';

const BY_COMMAND = ['Empty', 'Underutilized', 'Drifted', 'Expired'];

/** What was wrong with what was deleted, in words: consent, replacements, room. */
export function wrongsOf(world: Snapshot, plan: Plan, done: readonly Action[]): readonly string[] {
  const ended = done.flatMap((action) =>
    action.kind === 'delete' && BY_COMMAND.includes(action.because)
      ? world.nodes.filter(({ claim }) => claim?.meta.uid === action.object.uid)
      : [],
  );
  return ended.flatMap((state) => [
    ...guardedBy(state, world.takenAt).map((pod) => `${state.name} is deleted under ${pod}`),
    ...heldBy(state, world).map((budget) => `${state.name} is deleted against ${budget}`),
    ...notUpFor(state, world).map((name) => `${state.name} is deleted before ${name} is up`),
    ...homeless(state, world, plan).map((pod) => `${state.name} is deleted, ${pod} has no place`),
  ]);
}

const ANNOTATION = 'karpenter.sh/do-not-disrupt';
const MINUTES: Readonly<Record<string, number>> = { '5m': 5, '2h': 120 };

/** The pods of a node that must not be disturbed; the node itself where it must not be. */
function guardedBy({ node, pods }: StateNode, now: number): readonly string[] {
  const guarded = pods.filter(({ meta, phase, startedAt }) => {
    const value = meta.annotations[ANNOTATION] ?? '';
    const isOver = phase === 'Succeeded' || phase === 'Failed' || meta.deletedAt !== undefined;
    const until = (startedAt ?? now) + (MINUTES[value] ?? 0) * MINUTE;
    return !isOver && (value === 'true' || now < until);
  });
  const own = node?.meta.annotations[ANNOTATION] === 'true' ? ['its own word'] : [];
  return [...own, ...guarded.map(({ meta }) => meta.name)];
}

/** Budgets that let no pod go now, of pods that would have to. */
const heldBy = ({ pods }: StateNode, world: Snapshot): readonly string[] =>
  world.podDisruptionBudgets
    .filter(({ disruptionsAllowed }) => disruptionsAllowed === 0)
    .filter((budget) => pods.some((pod) => drawsOn(budget, pod)))
    .map(({ meta }) => meta.name);

/** Whether an eviction of the pod is charged to the budget. */
const drawsOn = (budget: PodDisruptionBudget, pod: Pod): boolean =>
  isRunning(pod) &&
  pod.meta.deletedAt === undefined &&
  Object.entries(budget.selector?.matchLabels ?? {}).every(
    ([key, value]) => pod.meta.labels[key] === value,
  ) &&
  !(budget.unhealthyPodEvictionPolicy === 'AlwaysAllow' && pod.ready === 'False');

/**
 * PodDisruptionBudgets on which commands decided between two Snapshots draw beyond what they allowed
 * before, with all that was decided earlier. Pods of a single node may: they go one after the other.
 */
export function wornDown(before: Snapshot, after: Snapshot): readonly string[] {
  const known = goingIn(before);
  const decided = goingIn(after);
  return before.podDisruptionBudgets.flatMap((budget) => {
    const drawn = after.nodes
      .filter(({ name }) => decided.has(name))
      .map(({ name, pods }) => ({ name, count: pods.filter((pod) => drawsOn(budget, pod)).length }))
      .filter(({ count }) => count > 0);
    if (drawn.every(({ name }) => known.has(name))) return [];
    const count = drawn.reduce((sum, each) => sum + each.count, 0);
    const allowed = budget.disruptionsAllowed;
    const isFine = count <= allowed || (drawn.length === 1 && allowed > 0);
    const names = drawn.map(({ name }) => name).join(', ');
    return isFine ? [] : [`${budget.meta.name}: ${count} pods of ${names} go, ${allowed} allowed`];
  });
}

/**
 * Nodes that commands decided on between two Snapshots, with what was wrong at that moment: somebody
 * forbids it, or it is not the second look that found them, 15 seconds at least after the first.
 */
export function decidedAgainst(before: Snapshot, after: Snapshot): readonly string[] {
  const known = decidedIn(before);
  const decided = decidedIn(after);
  return before.nodes
    .filter(({ name }) => decided.has(name) && !known.has(name))
    .flatMap((state) => [
      ...guardedBy(state, before.takenAt).map((pod) => `${state.name} is to go under ${pod}`),
      ...(isSecondLook(state, before, after) ? [] : [`${state.name} is to go after one look`]),
    ]);
}

const LEAST_AGE = 15 * SECOND;

/** Whether the record of a node that was decided on was there, and as old as that. */
function isSecondLook(state: StateNode, { takenAt }: Snapshot, after: Snapshot): boolean {
  const { id, proposedAt } = recordOf(state);
  const now = after.nodes.find(({ name }) => name === state.name);
  const isSame = id !== undefined && now !== undefined && recordOf(now).id === id;
  return isSame && takenAt - Date.parse(proposedAt) >= LEAST_AGE;
}

/**
 * Nodes of commands that all their members know to be found sound again, or that bear its marks; not
 * those that are being given back, which remember none.
 */
function decidedIn({ nodes }: Snapshot): ReadonlySet<string> {
  const records = nodes.map((state) => ({ state, record: recordOf(state) }));
  const sound = Map.groupBy(
    records.filter(({ record }) => record.validatedAt !== undefined),
    ({ record }) => record.id,
  );
  return new Set(
    records
      .filter(({ state, record: { id, members = [] } }) => {
        const isAgreed = sound.get(id)?.length === members.length && members.length > 0;
        return id !== undefined && (isAgreed || isMarked(state));
      })
      .map(({ state }) => state.name),
  );
}

/** Those, and nodes that end. */
const goingIn = (world: Snapshot): ReadonlySet<string> =>
  new Set([
    ...decidedIn(world),
    ...world.nodes.filter(({ claim }) => claim?.meta.deletedAt !== undefined).map(nameOf),
  ]);

const nameOf = ({ name }: StateNode): string => name;

const recordOf = ({ claim }: StateNode) =>
  JSON.parse(claim?.meta.annotations['joinery.dev/disruption'] ?? '{}');

function notUpFor(state: StateNode, { nodes }: Snapshot): readonly string[] {
  const { replacements = [] } = recordOf(state);
  return replacements.filter(
    (name: string) =>
      !nodes.some(
        (each) =>
          each.claim?.meta.name === name &&
          each.claim.status.conditions.some(
            ({ type, status }) => type === 'Initialized' && status === 'True',
          ),
      ),
  );
}

/** Pods of a node that the plan puts on no node that is there, or on one that they overfill. */
function homeless(state: StateNode, { nodes }: Snapshot, plan: Plan): readonly string[] {
  const places = new Map(plan.placements.map(({ pod, node }) => [pod, node]));
  const hosts = new Map(nodes.map((each) => [each.name, each]));
  return movedWith(state)
    .filter(({ meta }) => meta.deletedAt === undefined)
    .map(({ meta }) => `${meta.namespace}/${meta.name}`)
    .filter((pod) => {
      const host = hosts.get(places.get(pod) ?? '');
      if (!host?.node) return true;
      const coming = [...places].filter(([, node]) => node === host.name).map(([name]) => name);
      const all = nodes.flatMap(({ pods }) => pods);
      const arriving = all.filter(({ meta }) => coming.includes(`${meta.namespace}/${meta.name}`));
      const cpu = [...host.pods.filter(isRunning), ...arriving].reduce(
        (sum, { requests }) => sum + (requests.cpu ?? 0),
        0,
      );
      return cpu > (host.node.allocatable.cpu ?? 0);
    });
}

const isRunning = ({ phase }: Pod): boolean => phase !== 'Succeeded' && phase !== 'Failed';

/** Pools of which commands decided on more nodes than their budgets let go at once. */
export function overBudget(before: Snapshot, after: Snapshot): readonly string[] {
  const known = decidedIn(before);
  const decided = decidedIn(after);
  return after.nodePools.flatMap(({ meta, disruption }) => {
    const members = after.nodes.filter(
      ({ node, claim }) =>
        node?.meta.labels['karpenter.sh/initialized'] === 'true' &&
        claim?.meta.labels['karpenter.sh/nodepool'] === meta.name,
    );
    const isNew = members.filter(({ name }) => decided.has(name) && !known.has(name));
    if (isNew.length === 0) return [];
    const away = members.filter(
      (state) =>
        decided.has(state.name) ||
        state.claim?.meta.deletedAt !== undefined ||
        state.node?.ready?.status !== 'True',
    );
    const reasons = isNew.map((state) => recordOf(state).reason ?? '');
    const limits = disruption.budgets
      .filter(({ schedule }) => schedule === undefined)
      .filter((budget) => reasons.some((reason) => speaksOf(budget.reasons, reason)))
      .map(({ nodes }) =>
        nodes.endsWith('%')
          ? Math.ceil((members.length * Number.parseInt(nodes, 10)) / 100)
          : Number(nodes),
      );
    const most = Math.min(Number.POSITIVE_INFINITY, ...limits);
    return away.length > most ? [`${meta.name}: ${away.length} away, ${most} allowed`] : [];
  });
}

const speaksOf = (reasons: readonly string[] | undefined, reason: string): boolean =>
  reasons === undefined || reasons.includes(reason);
const isMarked = ({ claim }: StateNode): boolean =>
  claim?.status.conditions.some(
    ({ type, status }) => type === 'DisruptionReason' && status === 'True',
  ) ?? false;

/** Nodes that bear the taint and are in no command, and records that nobody goes by. */
export const forgotten = ({ nodes }: Snapshot): readonly string[] =>
  nodes
    .filter(({ node, claim }) => {
      const isTainted = node?.taints.some(({ key }) => key === 'karpenter.sh/disrupted');
      return isTainted && claim?.meta.annotations['joinery.dev/disruption'] === undefined;
    })
    .map(({ name }) => name);
