import { embeddedTable } from '#lib/aws/embedded-table.ts';
import { crdTexts } from '#lib/cli/crds.ts';
import { embeddedWith } from '#lib/cli/embedded.ts';
import { isReady, unreadyPools } from '#lib/cli/stories/cast.ts';
import { machineTypes } from '#lib/cli/stories/machine-types.ts';
import { podDigest } from '#lib/decide/pods-to-place.ts';
import { FOR_PODS } from '#lib/model/labels.ts';
import type { ClusterSettings, PlacementMode } from '#lib/model/settings.ts';
import { createWorld, type World } from '#lib/sim/world.ts';
import { deployments, KEEPER, NODE_CLASS, NODE_POOL } from '#test/build/placement.ts';

/** How pods are led in a world. */
export interface Way {
  readonly name: string;
  readonly placement: PlacementMode;
  /** Whether a globalDefault PriorityClass keeps pods from preempting, and so their nominations. */
  readonly keepsNominations?: true;
}

const START = Date.UTC(2026, 10, 20, 12, 0, 0);
const REGION = 'us-east-1';
const MINUTE_MS = 60_000;

/** What became of a burst. */
export interface Seen {
  /** Pods for which a NodeClaim was made, and those on its node. */
  readonly planned: number;
  readonly asPlanned: number;
  readonly plannedUsd: number;
  readonly settledUsd: number;
  readonly seconds: number;
  readonly claims: number;
}

/** Plays a burst of pods in the embedded world until five minutes after all run. */
export async function playBurst(way: Way, pods: number, seed: number): Promise<Seen> {
  const table = embeddedTable(REGION);
  if (table === undefined) throw new Error(`expected an embedded region, found ${REGION}`);
  const settings: Partial<ClusterSettings> = { placement: way.placement };
  const world = createWorld({
    seed,
    start: START,
    region: REGION,
    types: machineTypes(table),
    crds: crdTexts(),
    clusterName: 'demo',
    connect: embeddedWith(settings),
  });
  world.apply([NODE_CLASS, NODE_POOL, ...(way.keepsNominations ? [KEEPER] : [])]);
  await world.runUntil(() => unreadyPools(world).length === 0, MINUTE_MS);
  await world.run(20_000);
  const plans = recordPlans(world);
  const beganAt = world.clock.now();
  world.apply(deployments(pods));
  const isAllRunning = (): boolean => {
    const all = world.kubernetes.all('Pod');
    return all.length >= pods && all.every(({ status }) => isReady(status.conditions));
  };
  const hasRun = await world.runUntil(isAllRunning, 15 * MINUTE_MS);
  const seconds = hasRun ? (world.clock.now() - beganAt) / 1_000 : Number.NaN;
  const { planned, asPlanned } = compare(world, plans.claimOf);
  await world.run(5 * MINUTE_MS);
  const running = world.aws.machines().filter(({ state }) => state === 'running');
  const usdOf = new Map(world.aws.machines().map(({ id, usdPerHour }) => [id, usdPerHour]));
  return {
    planned,
    asPlanned,
    claims: plans.firstClaims.size,
    plannedUsd: sum([...plans.firstClaims].map((name) => usdOf.get(plans.instanceOf(name)) ?? 0)),
    settledUsd: sum(running.map(({ usdPerHour }) => usdPerHour)),
    seconds,
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, each) => total + each, 0);

/** Hears of NodeClaims: for whom each was made, and which instance it got. */
function recordPlans(world: World) {
  const claimOf = new Map<string, string>();
  const instances = new Map<string, string>();
  const firstClaims = new Set<string>();
  world.kubernetes.onChange(({ type, object }) => {
    if (object.kind !== 'NodeClaim') return;
    const { name, annotations = {} } = object.metadata;
    const status: unknown = object.status;
    const id =
      typeof status === 'object' && status !== null && 'providerID' in status
        ? String(status.providerID).split('/').at(-1)
        : undefined;
    if (id !== undefined) instances.set(name, id);
    if (type !== 'added') return;
    firstClaims.add(name);
    for (const digest of (annotations[FOR_PODS] ?? '').split(' ')) claimOf.set(digest, name);
  });
  return { claimOf, firstClaims, instanceOf: (name: string) => instances.get(name) ?? '' };
}

function compare(world: World, claimOf: ReadonlyMap<string, string>) {
  const owners = new Map(
    world.kubernetes
      .all('Node')
      .map(({ metadata }) => [
        metadata.name,
        metadata.ownerReferences?.find(({ kind }) => kind === 'NodeClaim')?.name,
      ]),
  );
  const known = world.kubernetes.all('Pod').flatMap(({ metadata, spec }) => {
    const claim = claimOf.get(podDigest(metadata.uid));
    return claim === undefined ? [] : [owners.get(spec.nodeName ?? '') === claim];
  });
  return { planned: known.length, asPlanned: known.filter(Boolean).length };
}
