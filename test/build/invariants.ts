import type { Instant } from '#lib/sim/clock.ts';
import type { Change } from '#lib/sim/kubernetes/store.ts';
import type { KubeObject } from '#lib/sim/kubernetes/wire.ts';
import type { World } from '#lib/sim/world.ts';
import { MINUTE } from './objects.ts';

/** Something that must never be, and when it was seen. */
export interface Violation {
  readonly at: Instant;
  readonly what: string;
}

/** What must hold in a world, noted at each write to the cluster and every ten seconds. */
export interface Invariants {
  readonly violations: () => readonly Violation[];
  /** What should be gone once nothing is wanted: instances, NodeClaims, Nodes, finalizers. */
  readonly left: () => readonly string[];
}

/** An instance of nobody is seen once in five minutes, and ended two minutes later. */
const ORPHAN_GRACE_MS = 9 * MINUTE;
/** A NodeClaim without an instance: launch and registration time out, then it drains and goes. */
const CLAIM_GRACE_MS = 25 * MINUTE;
const LOOK_MS = 10_000;
const GROUP = 'joinery.dev/launch-group';
const FUNCTIONS = /^(provision|consolidate|drift|interrupt)\//;

/** Watches over a world from now on. */
export function watchInvariants(world: World): Invariants {
  const seen = new Map<string, Violation>();
  const groups = new Map<string, Set<string>>();
  const since = new Map<string, Instant>();
  const blame = (what: string): void => {
    if (!seen.has(what)) seen.set(what, { at: world.clock.now(), what });
  };
  const lasting = (what: string, holds: boolean, graceMs: number): void => {
    if (!holds) {
      since.delete(what);
      return;
    }
    const began = since.get(what) ?? world.clock.now();
    since.set(what, began);
    if (world.clock.now() - began > graceMs) blame(what);
  };
  const look = (): void => {
    const claims = world.kubernetes.list('NodeClaim');
    for (const claim of claims) noteGroup(groups, claim);
    for (const problem of doubles(world, groups)) blame(problem);
    for (const touched of world.aws.trespasses()) blame(touched);
    const held = new Set(claims.map(instanceOf));
    for (const { id, state, tags } of world.aws.machines()) {
      const isLaunching = claims.some(
        (claim) => instanceOf(claim) === '' && groupOf(claim) === tags?.[GROUP],
      );
      const isLost = isLiving(state) && !held.has(id) && !isLaunching;
      lasting(`instance ${id} belongs to nobody`, isLost, ORPHAN_GRACE_MS);
    }
    const living = new Set(livingIds(world));
    for (const claim of claims) {
      const { name, uid } = claim.metadata;
      const isBare = !living.has(instanceOf(claim));
      lasting(`NodeClaim ${name} (${uid}) has no instance`, isBare, CLAIM_GRACE_MS);
    }
  };
  world.kubernetes.onChange((change) => {
    for (const problem of againstBudgets(world, change)) blame(problem);
    look();
  });
  const tick = (): void => {
    look();
    world.clock.after(LOOK_MS, tick);
  };
  tick();
  return {
    violations: () => [...seen.values()],
    left: () => [
      ...livingIds(world).map((id) => `instance ${id}`),
      ...['NodeClaim', 'Node'].flatMap((kind) =>
        world.kubernetes.list(kind).map(({ metadata }) => `${kind} ${metadata.name}`),
      ),
      ...['NodePool', 'EC2NodeClass', 'Pod', 'Lease', 'ConfigMap']
        .flatMap((kind) => world.kubernetes.list(kind))
        .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
        .map(({ kind, metadata }) => `${kind} ${metadata.name} on its way out`),
    ],
  };
}

const isLiving = (state: string): boolean => state === 'pending' || state === 'running';

const livingIds = (world: World): readonly string[] =>
  world.aws.machines().flatMap(({ id, state }) => (isLiving(state) ? [id] : []));

const instanceOf = (claim: KubeObject): string =>
  String(Object(claim.status).providerID ?? '')
    .split('/')
    .at(-1) ?? '';

/** The launch group that a NodeClaim is of; its annotation says its size, too. */
const groupOf = ({ metadata }: KubeObject): string | undefined =>
  metadata.annotations?.[GROUP]?.split('/')[0];

function noteGroup(groups: Map<string, Set<string>>, claim: KubeObject): void {
  const group = groupOf(claim);
  if (group === undefined) return;
  const members = groups.get(group) ?? new Set();
  groups.set(group, members.add(claim.metadata.uid));
}

/** Two NodeClaims of one instance, and more instances of a launch group than it has NodeClaims. */
function* doubles(world: World, groups: ReadonlyMap<string, ReadonlySet<string>>) {
  const holders = Map.groupBy(world.kubernetes.list('NodeClaim'), instanceOf);
  for (const [id, claims] of holders) {
    if (id !== '' && claims.length > 1) yield `instance ${id} has ${claims.length} NodeClaims`;
  }
  const living = world.aws.machines().filter(({ state }) => isLiving(state));
  for (const [group, machines] of Map.groupBy(living, ({ tags }) => tags?.[GROUP])) {
    if (group === undefined) continue;
    const wanted = groups.get(group)?.size ?? 0;
    if (machines.length > wanted) {
      yield `launch group ${group} of ${wanted} NodeClaims has ${machines.length} instances`;
    }
  }
}

/** A pod that Joinery sends away without the API server's leave while its budget allows none. */
function* againstBudgets(world: World, { object, old, actor, type }: Change) {
  if (object.kind !== 'Pod' || !FUNCTIONS.test(actor)) return;
  const isSentAway =
    type === 'deleted' ||
    (object.metadata.deletionTimestamp !== undefined &&
      old?.metadata.deletionTimestamp === undefined);
  // A pod that is not up yet is under nobody's protection.
  if (!isSentAway || !isUp(old)) return;
  for (const budget of world.kubernetes.all('PodDisruptionBudget')) {
    const { app } = budget.spec.selector?.matchLabels ?? {};
    if (app !== object.metadata.labels?.app) continue;
    const ready = world.kubernetes
      .all('Pod')
      .filter(
        (pod) =>
          pod.metadata.labels?.app === app &&
          pod.metadata.deletionTimestamp === undefined &&
          isUp(pod),
      ).length;
    const { desiredHealthy = 0, disruptedPods = {} } = Object(budget.status);
    // What the API server has allowed is written there; it may not have counted the latest yet.
    const isAllowed = object.metadata.name in disruptedPods;
    if (!isAllowed && ready < desiredHealthy) {
      yield `${actor} sent ${object.metadata.name} away: ${ready} healthy, ${desiredHealthy} wanted`;
    }
  }
}

const isUp = (pod: KubeObject | undefined): boolean =>
  Object(pod?.status).conditions?.some(
    ({ type, status }: { readonly type: string; readonly status: string }) =>
      type === 'Ready' && status === 'True',
  ) === true;
