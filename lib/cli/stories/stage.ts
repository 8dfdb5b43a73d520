import { embeddedTable } from '#lib/aws/embedded-table.ts';
import type { CallFaults } from '#lib/sim/call-faults.ts';
import type { Entry } from '#lib/sim/journal.ts';
import { createWorld, type World } from '#lib/sim/world.ts';
import { crdTexts } from '../crds.ts';
import { connectEmbedded } from '../embedded.ts';
import { countReady, eventsAbout, nodesOf, podsOf } from './cast.ts';
import { machineTypes } from './machine-types.ts';
import type { Check, NodeSeen, PodSeen } from './story.ts';

/** When every story begins. */
export const START = Date.UTC(2026, 10, 20, 12, 0, 0);
/** The network of the embedded account is tagged for a cluster of this name. */
const CLUSTER = 'demo';

/** What a story can do, see and claim. */
export interface Stage {
  readonly world: World;
  readonly now: () => number;
  /** Applies the story's manifests; throws RefusedManifests, once all were tried. */
  readonly apply: () => Promise<void>;
  readonly scale: (deployment: string, replicas: number) => void;
  readonly patchNodePool: (name: string, patch: unknown) => void;
  /** Waits until so many pods of a workload run and are ready; a check that fails if they don't. */
  readonly untilRunning: (app: string, pods: number, withinMs: number) => Promise<void>;
  readonly untilNoNodes: (withinMs: number) => Promise<boolean>;
  /** Lets time pass. */
  readonly pass: (ms: number) => Promise<void>;
  readonly nodes: () => readonly NodeSeen[];
  readonly pods: (app?: string) => readonly PodSeen[];
  readonly nodeClaims: () => readonly unknown[];
  readonly nodePoolResources: (name: string) => Readonly<Record<string, string>>;
  readonly eventsAbout: (pods: readonly string[], reason: string) => readonly string[];
  readonly calls: () => Readonly<Record<string, number>>;
  /** From the first unschedulable pod to the first launch: the part that is Joinery's own. */
  readonly ourMilliseconds: () => number;
  /** Remembers nodes and price as they stand now for the closing table. */
  readonly markPeak: () => void;
  readonly check: (name: string, ok: boolean, found: string) => void;
  readonly checkOneInstancePerNodeClaim: () => void;
  readonly checkNothingLeft: () => void;
}

/** A stage with what a story left behind. */
export interface SetStage extends Stage {
  readonly checks: readonly Check[];
  readonly peak: () => readonly NodeSeen[];
  readonly allRunningAfterMs: () => number | undefined;
}

/** A manifest, and where it stands, for the case that it is refused. */
export interface Manifest {
  readonly where: string;
  readonly object: Readonly<Record<string, unknown>>;
}

/** The manifests that the embedded API server refused, each with where it stands and why. */
export class RefusedManifests extends Error {
  readonly refusals: readonly string[];

  constructor(refusals: readonly string[]) {
    super(refusals.join('\n'));
    this.name = 'RefusedManifests';
    this.refusals = refusals;
  }
}

/** What a stage is set with. */
export interface StageOptions {
  readonly seed: number;
  readonly region: string;
  readonly manifests: readonly Manifest[];
  readonly networkTags?: Readonly<Record<string, string>>;
  readonly faults?: CallFaults;
  readonly listen?: (entry: Entry) => void;
}

/** An embedded world with an EKS cluster, ready for a story. */
export function setStage(options: StageOptions): SetStage {
  const world = createWorld({
    seed: options.seed,
    start: START,
    region: options.region,
    types: machineTypes(tableOf(options.region)),
    crds: crdTexts(),
    clusterName: CLUSTER,
    connect: connectEmbedded,
    ...(options.networkTags ? { networkTags: options.networkTags } : {}),
    ...(options.faults ? { faults: options.faults } : {}),
    ...(options.listen ? { listen: options.listen } : {}),
  });
  const checks: Check[] = [];
  const check: Stage['check'] = (name, ok, found) => checks.push({ name, ok, found });
  let peak: readonly NodeSeen[] | undefined;
  let allRunningAt: number | undefined;
  return {
    world,
    checks,
    check,
    now: world.clock.now,
    ...actsOf(world, options.manifests),
    ...sightsOf(world),
    untilRunning: async (app, pods, withinMs) => {
      const running = await world.runUntil(() => countReady(world, app) >= pods, withinMs);
      if (running) allRunningAt = world.clock.now();
      else check(`${pods} pods of ${app} run`, false, `${countReady(world, app)} of ${pods}`);
    },
    markPeak: () => {
      peak = nodesOf(world);
    },
    peak: () => peak ?? nodesOf(world),
    allRunningAfterMs: () => (allRunningAt === undefined ? undefined : allRunningAt - START),
    checkOneInstancePerNodeClaim: () => checkInstances(world, check),
    checkNothingLeft: () => checkNothingLeft(world, check),
  };
}

function tableOf(region: string) {
  const table = embeddedTable(region);
  if (table === undefined) throw new Error(`expected an embedded region, found ${region}`);
  return table;
}

const actsOf = (world: World, manifests: readonly Manifest[]) => ({
  apply: async () => apply(world, manifests),
  scale: (name: string, replicas: number) => world.scale({ kind: 'Deployment', name }, replicas),
  patchNodePool: (name: string, patch: unknown) => world.kubernetes.patch('NodePool', name, patch),
  pass: world.run,
  untilNoNodes: (withinMs: number) =>
    world.runUntil(
      () =>
        world.kubernetes.list('Node').length === 0 &&
        world.kubernetes.list('NodeClaim').length === 0,
      withinMs,
    ),
});

const sightsOf = (world: World) => ({
  nodes: () => nodesOf(world),
  pods: (app?: string) => podsOf(world, app),
  nodeClaims: () => world.kubernetes.list('NodeClaim'),
  nodePoolResources: (name: string) => nodePoolResources(world, name),
  eventsAbout: (pods: readonly string[], reason: string) => eventsAbout(world, pods, reason),
  calls: world.calls,
  ourMilliseconds: () => ourMilliseconds(world),
});

function apply(world: World, manifests: readonly Manifest[]): void {
  const refusals: string[] = [];
  for (const { where, object } of manifests) {
    try {
      world.apply([object]);
    } catch (error) {
      refusals.push(`${where}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (refusals.length > 0) throw new RefusedManifests(refusals);
}

function nodePoolResources(world: World, name: string): Readonly<Record<string, string>> {
  const pool = world.kubernetes
    .list<NodePoolSeen>('NodePool')
    .find(({ metadata }) => metadata.name === name);
  return pool?.status?.resources ?? {};
}

interface NodePoolSeen {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly status?: { readonly resources?: Readonly<Record<string, string>> };
}

function ourMilliseconds(world: World): number {
  const firstPending = world.journal.entries.find(({ source }) => source === 'scheduler');
  const firstLaunch = world.aws.machines()[0];
  if (firstPending === undefined || firstLaunch === undefined) return Number.NaN;
  return firstLaunch.launchedAt - firstPending.at;
}

interface ClaimSeen {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly status?: { readonly providerID?: string };
}

/** Every running instance belongs to exactly one NodeClaim, and every NodeClaim has one. */
function checkInstances(world: World, check: Stage['check']): void {
  const living = world.aws
    .machines()
    .filter(({ state }) => state === 'pending' || state === 'running')
    .map(({ id }) => id)
    .sort();
  const claimed = world.kubernetes
    .list<ClaimSeen>('NodeClaim')
    .map(({ status }) => status?.providerID?.split('/').at(-1) ?? 'none')
    .sort();
  const same =
    living.length === claimed.length && living.every((id, index) => id === claimed[index]);
  check(
    'every NodeClaim has one instance, every instance one NodeClaim',
    same,
    `${living.length} instances, ${claimed.length} NodeClaims`,
  );
}

function checkNothingLeft(world: World, check: Stage['check']): void {
  const living = world.aws.machines().filter(({ state }) => state !== 'terminated').length;
  const claims = world.kubernetes.list('NodeClaim').length;
  check(
    'nothing is left behind',
    living === 0 && claims === 0,
    `${living} instances, ${claims} NodeClaims`,
  );
}
