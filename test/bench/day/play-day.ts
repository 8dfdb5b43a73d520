import { compareText } from '#lib/constraints/order.ts';
import { decideConsolidate } from '#lib/decide/consolidate.ts';
import { creationsOf } from '#lib/decide/creations.ts';
import { nameClaims, namesIn } from '#lib/decide/new-node-claim.ts';
import { place } from '#lib/decide/place.ts';
import { nominatedNodes } from '#lib/decide/placement-events.ts';
import { podsToPlace } from '#lib/decide/pods-to-place.ts';
import { decideProvision } from '#lib/decide/provision.ts';
import { inFlightOf } from '#lib/disruption/commands/in-flight.ts';
import { rememberOn } from '#lib/disruption/commands/steps.ts';
import { openLedger } from '#lib/disruption/consent-ledger.ts';
import type { DraftCommand } from '#lib/disruption/draft-command.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { Action } from '#lib/model/plan.ts';
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
import { bought, joined, launched } from './cluster.ts';
import { karpenterCommand } from './karpenter-model.ts';
import { type Market, openMarket } from './market.ts';
import { bindAll, movedWith, waitingPod } from './pods.ts';
import { type Workload, workloadsOf } from './workload.ts';

/** Who consolidates. */
export type Consolidator = 'nobody' | 'Karpenter' | 'Joinery';

/** What kind of day is played. */
export interface DayOptions {
  readonly pods: number;
  readonly minutes: number;
  readonly seed: number;
  readonly consolidator: Consolidator;
  readonly capacityTypes: readonly ('on-demand' | 'spot')[];
  /** Told of everything that is written. */
  readonly hear?: (minute: number, actions: readonly Action[]) => void;
}

/** What a day came to; the first two hours, in which the cluster fills, are not counted. */
export interface DayFigures {
  readonly usd: number;
  readonly lowerBoundUsd: number;
  /** Pods that consolidation moved, and those of them that it had moved within the hour before. */
  readonly podsMoved: number;
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
/** In minutes: both consolidators get as many passes. */
const CONSOLIDATED_EVERY = 5;
/** Spot nodes that EC2 takes back, a day. */
const RECLAIMED_SHARE = 0.05;

/** Plays one day, minute by minute; the same options give the same figures. */
export function playDay(options: DayOptions): DayFigures {
  const random = seededRandom(options.seed, 'day');
  const day = createDay(options, random);
  for (let minute = 0; minute < options.minutes; minute++) day.play(minute);
  return day.figures();
}

function createDay(options: DayOptions, random: Random) {
  const market = openMarket(random.fork('market'));
  const workloads = workloadsOf(options.pods, random.fork('workloads'));
  const reclaims = random.fork('reclaims');
  const tally = { usd: 0, bound: 0, moved: 0, again: 0, removed: 0, pending: 0, nodes: 0, pods: 0 };
  let counted = 0;
  let world = emptyWorld(options, market);
  let waiting: readonly Pod[] = [];
  let serial = 0;
  const movedAt = new Map<string, number>();
  const fresh = (workload: Workload): Pod => {
    serial += 1;
    return waitingPod(workload, serial, world.takenAt);
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
      const next = fresh(workload);
      waiting = [...waiting, next];
      if (!counts) continue;
      const before = movedAt.get(pod.meta.uid);
      if (minute >= WARM_UP) tally.moved += 1;
      if (minute >= WARM_UP && before !== undefined && minute - before < 60) tally.again += 1;
      movedAt.set(next.meta.uid, minute);
    }
    const names = new Set(gone.map(({ name }) => name));
    world = { ...world, nodes: world.nodes.filter(({ name }) => !names.has(name)) };
  };
  const provision = (minute: number, afterMs: number): void => {
    for (let round = 0; round < ROUNDS; round++) {
      const takenAt = NOON + minute * MINUTE_MS + afterMs + round * 500;
      world = { ...world, takenAt, pods: waiting };
      const actions = decideProvision(world).actions.filter(({ kind }) => WRITES.has(kind));
      if (actions.length === 0) return;
      options.hear?.(minute, actions);
      const reasons = new Map(
        actions.flatMap((action) =>
          action.kind === 'delete' ? [[action.object.uid, action.because] as const] : [],
        ),
      );
      world = launched(withCreations(applied(world, actions), actions));
      const gone = world.nodes.filter(({ claim }) => claim?.meta.deletedAt !== undefined);
      if (minute >= WARM_UP) tally.removed += gone.length;
      const counts = (state: StateNode): boolean =>
        reasons.get(state.claim?.meta.uid ?? '') === 'Underutilized';
      evict(gone.filter(counts), minute, true);
      evict(
        gone.filter((state) => !counts(state)),
        minute,
        false,
      );
      bind(minute);
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
      if (minute % CONSOLIDATED_EVERY === 0) consolidate(minute);
      if (inFlightOf(world).commands.length > 0) provision(minute, LATER_MS);
      if (minute >= WARM_UP) count(minute);
    },
    figures: (): DayFigures => ({
      usd: tally.usd,
      lowerBoundUsd: tally.bound,
      podsMoved: tally.moved,
      movedAgain: tally.again,
      nodesRemoved: tally.removed,
      podSecondsPending: tally.pending,
      meanNodes: tally.nodes / counted,
      meanPods: tally.pods / counted,
      hours: counted / 60,
    }),
  };

  function consolidate(minute: number): void {
    if (options.consolidator === 'nobody') return;
    world = { ...world, takenAt: NOON + minute * MINUTE_MS + 8_000, pods: waiting };
    const actions =
      options.consolidator === 'Joinery'
        ? decideConsolidate(world).actions.filter(({ kind }) => WRITES.has(kind))
        : startedByKarpenter(world);
    options.hear?.(minute, actions);
    world = applied(world, actions);
  }

  function count(minute: number): void {
    counted += 1;
    const prices = world.nodes.map((state) => priceOfNode(state, world.catalog) ?? 0);
    tally.usd += prices.reduce((sum, each) => sum + each, 0) / 60;
    tally.pending += waiting.length * 60;
    const running = world.nodes.flatMap(({ pods }) => pods);
    tally.nodes += world.nodes.length;
    tally.pods += running.length + waiting.length;
    if (minute % 30 === 0) tally.bound += boundOf(world, [...running, ...waiting]) / 2;
  }
}

const WRITES: ReadonlySet<string> = new Set([
  'update',
  'updateStatus',
  'delete',
  'createNodeClaim',
]);

function emptyWorld({ capacityTypes }: DayOptions, market: Market): Snapshot {
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
    settings: someSettings({ placement: 'none' }),
  });
}

/** A NodeClaim that was made a minute ago is a node now. */
function upIfDue(state: StateNode, { catalog }: Snapshot, now: number): StateNode {
  const { claim, node } = state;
  if (!claim || node || now - claim.meta.createdAt < 45_000) return state;
  const found = bought(claim, catalog);
  return found ? joined(claim, found, now) : state;
}

interface Breath {
  readonly world: Snapshot;
  readonly waiting: readonly Pod[];
  readonly workloads: readonly Workload[];
  readonly minute: number;
  readonly fresh: (workload: Workload) => Pod;
}

/** Brings every workload to its number of pods, the youngest going first, and rolls out. */
function breathe({ world, waiting, workloads, minute, fresh }: Breath) {
  const running = Map.groupBy(
    [...waiting, ...world.nodes.flatMap(({ pods }) => pods)],
    ({ meta }) => meta.labels.app ?? '',
  );
  const gone = new Set<string>();
  const come: Pod[] = [];
  for (const workload of workloads) {
    const pods = (running.get(workload.name) ?? []).toSorted(
      (a, b) => b.meta.createdAt - a.meta.createdAt || compareText(b.meta.name, a.meta.name),
    );
    const wanted = workload.replicasAt(minute);
    const rolled = isRolling(workload, minute) ? Math.ceil(pods.length / 4) : 0;
    for (const { meta } of pods.slice(0, Math.max(0, pods.length - wanted))) gone.add(meta.uid);
    for (const { meta } of rolled > 0 ? pods.slice(-rolled) : []) gone.add(meta.uid);
    const left = pods.filter(({ meta }) => !gone.has(meta.uid)).length;
    for (let more = left; more < wanted; more++) come.push(fresh(workload));
  }
  const stays = ({ meta }: Pod): boolean => !gone.has(meta.uid);
  return {
    world: {
      ...world,
      nodes: world.nodes.map((state) => ({ ...state, pods: state.pods.filter(stays) })),
    },
    waiting: [...waiting.filter(stays), ...come],
  };
}

const isRolling = ({ rolloutsAt }: Workload, minute: number): boolean =>
  [0, 1, 2, 3].some((ago) => rolloutsAt.has((minute - ago) % 1440));

/** Karpenter validates after 15 seconds and starts: here it is started as found. */
function startedByKarpenter(snapshot: Snapshot): readonly Action[] {
  const inFlight = inFlightOf(snapshot);
  const facts = {
    snapshot,
    nominated: nominatedNodes(place(snapshot)),
    inFlight,
    toPlace: podsToPlace(snapshot),
  };
  const ledger = openLedger({ snapshot, inFlight: inFlight.members });
  const draft = karpenterCommand(facts, ledger);
  return draft ? started(draft, snapshot) : [];
}

function started(draft: DraftCommand, snapshot: Snapshot): readonly Action[] {
  const claims = draft.members.map(({ claim }) => claim);
  const members = claims.map(({ meta }) => meta.uid).sort(compareText);
  const id = `karpenter-${snapshot.takenAt}`;
  const named = nameClaims(draft.replacements, namesIn(snapshot));
  const replacements = creationsOf(named, snapshot).map(({ claim }) => ({
    ...claim,
    annotations: { ...claim.annotations, 'joinery.dev/replaces': id },
  }));
  const record = {
    id,
    reason: draft.reason,
    members,
    proposedAt: snapshot.takenAt,
    podsMoved: draft.podsMoved,
    savesUsdPerHour: draft.savesUsdPerHour,
    validated: { at: snapshot.takenAt, replacements: named.map(({ name }) => name) },
  };
  return rememberOn(claims, record, { replacements });
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
