import { decideConsolidate } from '#lib/decide/consolidate.ts';
import { decideProvision } from '#lib/decide/provision.ts';
import { inFlightOf } from '#lib/disruption/commands/in-flight.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { Action, Plan } from '#lib/model/plan.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { type Random, seededRandom } from '#lib/sim/random.ts';
import { priceOfNode } from '#lib/solver/opening/node-price.ts';
import { solve } from '#lib/solver/solve.ts';
import { withCreations } from '#test/build/command-world.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { NOON } from '#test/build/objects.ts';
import { applied } from '#test/build/quiet-world.ts';
import { aSnapshot, someSettings } from '#test/build/snapshots.ts';
import { breathe } from './breathe.ts';
import { bought, joined, launched } from './cluster.ts';
import type { Solver } from './karpenter-model.ts';
import { forgetful, startedByKarpenter } from './karpenter-pass.ts';
import { provisionedByKarpenter } from './karpenter-provision.ts';
import { type Market, openMarket } from './market.ts';
import { stateOf } from './memo.ts';
import { bindAll, guardedPod, movedWith, waitingPod } from './pods.ts';
import { type Workload, workloadsOf } from './workload.ts';

/** Who consolidates. */
export type Consolidator = 'nobody' | 'Karpenter' | 'Joinery';

/** What kind of day is played. */
export interface DayOptions {
  readonly pods: number;
  readonly minutes: number;
  readonly seed: number;
  readonly consolidator: Consolidator;
  /** Whose scheduler Karpenter provisions and consolidates with; its own where absent. */
  readonly solver?: Solver;
  /** Whether Karpenter leaves pods that it moved alone for an hour, as Joinery does. */
  readonly rests?: true;
  readonly capacityTypes: readonly ('on-demand' | 'spot')[];
  /** What a move must save, as a share of what a pod is worth; Joinery's own where absent. */
  readonly moveShare?: number;
  /** How many writes of a plan are made before the function dies; all where undefined. */
  readonly diesAfter?: (minute: number) => number | undefined;
  /** From which minute on figures are taken; the cluster fills first where absent. */
  readonly countedFrom?: number;
  /** The minute that it begins with; 0 where absent. Most workloads are largest at 720. */
  readonly beginsAt?: number;
  /** Minutes before that which are played as well, with nothing in between; none where absent. */
  readonly fillsAt?: readonly number[];
  /** Every so manieth pod is not to be disturbed; none where absent. */
  readonly guardedEvery?: number;
  /** What a look sees besides, such as PodDisruptionBudgets and what they allow; nothing if absent. */
  readonly alsoSeen?: (world: Snapshot) => Partial<Snapshot>;
  /** Told of every look of Joinery's. */
  readonly hear?: (look: Look) => void;
}

/** What a look at the cluster came to. */
export interface Look {
  readonly seen: Snapshot;
  readonly plan: Plan;
  /** The writes that were made, and what they made of the cluster. */
  readonly done: readonly Action[];
  readonly left: Snapshot;
}

/** What a day came to; the first two hours, in which the cluster fills, are not counted. */
export interface DayFigures {
  readonly usd: number;
  readonly lowerBoundUsd: number;
  /** Pods that consolidation moved, and those of them that it had moved within the hour before. */
  readonly podsMoved: number;
  /** Of those moved, the ones that no node had room for. */
  readonly movedWithoutRoom: number;
  readonly movedAgain: number;
  readonly nodesRemoved: number;
  readonly podSecondsPending: number;
  readonly meanNodes: number;
  readonly meanPods: number;
  readonly hours: number;
}

const MINUTE_MS = 60_000;
const WARM_UP = 120;
/** Provision acts on a proposal when it is 15 seconds old. */
const LATER_MS = 25_000;
const SOON_MS = 4_000;
const ROUNDS = 6;
/**
 * Passes a minute. Karpenter finds a command, waits 15 s, validates it and begins anew after 10 s;
 * Joinery is woken once a minute.
 */
const PASSES = { nobody: 0, Karpenter: 2, Joinery: 1 };
/**
 * Where nothing has changed since nothing was found, nothing is looked for.
 * Source: karpenter v1.14, state/cluster.go, ConsolidationState.
 */
const MEMO_MINUTES = 5;
/** Minutes between two looks at what all would cost at the very least. */
const BOUND_EACH = 30;
/** Spot nodes that EC2 takes back, a day. */
const RECLAIMED_SHARE = 0.05;

const minuteOf = ({ takenAt }: Snapshot): number => Math.floor((takenAt - NOON) / MINUTE_MS);

/** Plays one day, minute by minute; the same options give the same figures. */
export function playDay(options: DayOptions): DayFigures {
  const random = seededRandom(options.seed, 'day');
  const day = createDay(options, random);
  const { beginsAt = 0, minutes, fillsAt = [] } = options;
  for (const minute of fillsAt) day.play(minute);
  for (let minute = beginsAt; minute < beginsAt + minutes; minute++) day.play(minute);
  return day.figures();
}

function createDay(options: DayOptions, random: Random) {
  const market = openMarket(random.fork('market'));
  const workloads = workloadsOf(options.pods, random.fork('workloads'));
  const reclaims = random.fork('reclaims');
  const tally = {
    homeless: 0,
    usd: 0,
    moved: 0,
    again: 0,
    removed: 0,
    pending: 0,
    nodes: 0,
    pods: 0,
  };
  const { solver = 'Karpenter' } = options;
  const isForgetful = options.consolidator === 'Karpenter' && options.rests === undefined;
  const countedFrom = options.countedFrom ?? WARM_UP;
  let counted = 0;
  const bounds: number[] = [];
  let world = emptyWorld(options, market);
  let waiting: readonly Pod[] = [];
  let serial = 0;
  let fruitless = { state: '', at: 0 };
  const movedAt = new Map<string, number>();
  const fresh = (workload: Workload): Pod => {
    serial += 1;
    const pod = waitingPod(workload, serial, world.takenAt);
    return serial % (options.guardedEvery ?? Number.POSITIVE_INFINITY) === 0
      ? guardedPod(pod)
      : pod;
  };
  const byName = new Map(workloads.map((each) => [each.name, each]));

  const bind = (minute: number): void => {
    const done = bindAll(world.nodes, waiting, minute);
    world = { ...world, nodes: done.nodes };
    waiting = done.waiting;
  };
  const evict = (gone: readonly StateNode[], minute: number, counts: boolean): void => {
    for (const pod of gone.flatMap(movedWith)) {
      const workload = byName.get(pod.meta.labels.app ?? '');
      if (!workload) continue;
      // Who made it makes it anew, even while a rollout is under way.
      const { owners } = pod.meta;
      const made = fresh(workload);
      const next = { ...made, meta: { ...made.meta, owners } };
      waiting = [...waiting, next];
      if (!counts) continue;
      const before = movedAt.get(pod.meta.uid);
      if (minute >= countedFrom) tally.moved += 1;
      if (minute >= countedFrom && before !== undefined && minute - before < 60) tally.again += 1;
      movedAt.set(next.meta.uid, minute);
    }
    const names = new Set(gone.map(({ name }) => name));
    world = { ...world, nodes: world.nodes.filter(({ name }) => !names.has(name)) };
  };
  const look = (plan: Plan): { readonly done: readonly Action[]; readonly isDead: boolean } => {
    const seen = world;
    const writes = plan.actions.filter(({ kind }) => WRITES.has(kind));
    const done = writes.slice(0, options.diesAfter?.(minuteOf(seen)));
    const after = launched(withCreations(applied(seen, done), done));
    const isMove = done.some(({ kind }) => kind === 'delete');
    world = isMove && isForgetful ? forgetful(after) : after;
    options.hear?.({ seen, plan, done, left: world });
    return { done, isDead: done.length < writes.length };
  };
  const openEyes = (takenAt: number): void => {
    world = { ...world, takenAt, pods: waiting };
    world = { ...world, ...options.alsoSeen?.(world) };
  };
  const provision = (minute: number, afterMs: number): void => {
    for (let round = 0; round < ROUNDS; round++) {
      openEyes(NOON + minute * MINUTE_MS + afterMs + round * 500);
      const { done: actions, isDead } = look(provisioned());
      if (actions.length === 0) return;
      const reasons = new Map(
        actions.flatMap((action) =>
          action.kind === 'delete' ? [[action.object.uid, action.because] as const] : [],
        ),
      );
      const gone = world.nodes.filter(({ claim }) => claim?.meta.deletedAt !== undefined);
      if (minute >= countedFrom) tally.removed += gone.length;
      const counts = (state: StateNode): boolean =>
        reasons.get(state.claim?.meta.uid ?? '') === 'Underutilized';
      const before = new Set(waiting.map(({ meta }) => meta.uid));
      evict(gone.filter(counts), minute, true);
      evict(
        gone.filter((state) => !counts(state)),
        minute,
        false,
      );
      bind(minute);
      if (minute >= countedFrom) {
        const isNew = ({ meta }: Pod) => !before.has(meta.uid) && movedAt.has(meta.uid);
        tally.homeless += waiting.filter(isNew).length;
      }
      if (isDead) return;
    }
  };
  return {
    play: (minute: number): void => {
      world = {
        ...world,
        takenAt: NOON + minute * MINUTE_MS,
        catalog: market.catalogAt(minute),
      };
      // A node that comes up is looked at within seconds, before pods of the next minute find it.
      const now = NOON + minute * MINUTE_MS;
      world = { ...world, nodes: world.nodes.map((state) => upIfDue(state, world, now)) };
      bind(minute);
      if (inFlightOf(world).commands.length > 0) provision(minute, 0);
      const changed = breathe({ world, waiting, workloads, minute, fresh });
      world = changed.world;
      waiting = changed.waiting;
      const reclaimed = world.nodes.filter(
        ({ node }) =>
          node?.meta.labels['karpenter.sh/capacity-type'] === 'spot' &&
          reclaims.next() < RECLAIMED_SHARE / 1440,
      );
      evict(reclaimed, minute, false);
      bind(minute);
      provision(minute, SOON_MS);
      consolidate(minute);
      if (inFlightOf(world).commands.length > 0) provision(minute, LATER_MS);
      if (minute >= countedFrom) count(minute);
    },
    figures: (): DayFigures => ({
      usd: tally.usd,
      lowerBoundUsd: (meanOf(bounds) * counted) / 60,
      podsMoved: tally.moved,
      movedWithoutRoom: tally.homeless,
      movedAgain: tally.again,
      nodesRemoved: tally.removed,
      podSecondsPending: tally.pending,
      meanNodes: tally.nodes / counted,
      meanPods: tally.pods / counted,
      hours: counted / 60,
    }),
  };

  function provisioned(): Plan {
    const plan = decideProvision(world);
    if (options.consolidator !== 'Karpenter' || solver === 'Joinery') return plan;
    return { ...plan, actions: provisionedByKarpenter(world, plan.actions) };
  }

  function consolidate(minute: number): void {
    for (let pass = 0; pass < PASSES[options.consolidator]; pass++) {
      const known = stateOf(world, waiting);
      if (known === fruitless.state && minute - fruitless.at < MEMO_MINUTES) return;
      openEyes(NOON + minute * MINUTE_MS + 8_000 + pass);
      const actions = consolidated();
      if (actions.length === 0) fruitless = { state: known, at: minute };
    }
  }

  function consolidated(): readonly Action[] {
    if (options.consolidator === 'Joinery') return look(decideConsolidate(world)).done;
    const actions = startedByKarpenter(world, solver);
    world = applied(world, actions);
    return actions;
  }

  function count(minute: number): void {
    counted += 1;
    const prices = world.nodes.map((state) => priceOfNode(state, world.catalog) ?? 0);
    tally.usd += prices.reduce((sum, each) => sum + each, 0) / 60;
    tally.pending += waiting.length * 60;
    const running = world.nodes.flatMap(({ pods }) => pods);
    tally.nodes += world.nodes.length;
    tally.pods += running.length + waiting.length;
    if (minute % BOUND_EACH === 0) bounds.push(boundOf(world, [...running, ...waiting]));
  }
}

const meanOf = (numbers: readonly number[]): number =>
  numbers.reduce((sum, each) => sum + each, 0) / Math.max(1, numbers.length);

const WRITES: ReadonlySet<string> = new Set([
  'update',
  'updateStatus',
  'delete',
  'createNodeClaim',
]);

function emptyWorld({ capacityTypes, moveShare }: DayOptions, market: Market): Snapshot {
  const line = (key: string, values: readonly string[]) => ({
    key,
    operator: 'In' as const,
    values,
  });
  const pool = aNodePool({
    template: {
      requirements: [
        line('kubernetes.io/arch', ['amd64']),
        line('karpenter.sh/capacity-type', capacityTypes),
        line('karpenter.k8s.aws/instance-category', ['c', 'm', 'r']),
        { key: 'karpenter.k8s.aws/instance-generation', operator: 'Gt', values: ['4'] },
        { key: 'karpenter.k8s.aws/instance-cpu', operator: 'Lt', values: ['33'] },
      ],
    },
  });
  return aSnapshot({
    nodePools: [pool],
    catalog: market.catalogAt(0),
    settings: someSettings({
      placement: 'none',
      ...(moveShare !== undefined && { consolidationMoveShare: moveShare }),
    }),
  });
}

/** A NodeClaim that was made a minute ago is a node now. */
function upIfDue(state: StateNode, { catalog }: Snapshot, now: number): StateNode {
  const { claim, node } = state;
  if (!claim || node || now - claim.meta.createdAt < 45_000) return state;
  const found = bought(claim, catalog);
  return found ? joined(claim, found, now) : state;
}

/** What the pods of now would cost at the very least. */
function boundOf(snapshot: Snapshot, pods: readonly Pod[]): number {
  const unbound = pods.map(({ nodeName: _, ...pod }) => pod);
  return solve({
    snapshot: { ...snapshot, nodes: [] },
    pods: unbound,
    promised: new Map(),
    expected: new Map(),
  }).lowerBoundUsdPerHour;
}
