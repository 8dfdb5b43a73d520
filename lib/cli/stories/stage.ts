import { embeddedTable } from '#lib/aws/embedded-table.ts';
import type { Ec2Table } from '#lib/ec2/catalog/table.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import type { CallFaults } from '#lib/sim/call-faults.ts';
import type { Entry } from '#lib/sim/journal.ts';
import { createWorld, type World } from '#lib/sim/world.ts';
import { crdTexts } from '../crds.ts';
import { embeddedWith } from '../embedded.ts';
import { announcerIn } from './announcer.ts';
import { type Manifest, noteOfUser, rehearse } from './apply-manifests.ts';
import {
  at,
  countReady,
  doAllRun,
  eventsAbout,
  nodesOf,
  podsOf,
  podsTold,
  unreadyPools,
} from './cast.ts';

import { counted } from './counted.ts';
import { machineTypes } from './machine-types.ts';
import { matchInstances } from './match-instances.ts';
import { tellMilestones } from './milestones.ts';
import type { Check, NodeSeen } from './seen.ts';
import type { SoldOutPool, Stage, StoryKind } from './story.ts';
import { uninstallerIn } from './uninstaller.ts';

/** When every story begins. */
export const START = Date.UTC(2026, 10, 20, 12, 0, 0);
/** The network of the embedded account is tagged for a cluster of this name. */
const CLUSTER = 'demo';
/** The other cluster of an account that holds two. */
const OTHER_CLUSTER = 'till';

/** A stage with what a story left behind. */
export interface SetStage extends Stage {
  readonly world: World;
  readonly checks: readonly Check[];
  readonly peak: () => readonly NodeSeen[];
  /** Where the prices come from, for the closing table. */
  readonly pricesAre: string;
  readonly allRunningAfterMs: () => number | undefined;
}

/** What a stage is set with. */
export interface StageOptions {
  readonly seed: number;
  readonly region: string;
  readonly manifests: readonly Manifest[];
  readonly networkTags?: Readonly<Record<string, string>>;
  readonly settings?: Partial<ClusterSettings>;
  readonly faults?: CallFaults;
  readonly listen?: (entry: Entry) => void;
  /** Whose account it shares. */
  readonly beside?: SetStage;
}

/** An embedded world with an EKS cluster, ready for a story. */
export function setStage(options: StageOptions): SetStage {
  const table = tableOf(options.region);
  const world = worldOf(options, table);
  if (options.listen) tellMilestones(world, options.listen);
  const onPodChange = podChanges(world);
  const rehearsed = rehearse(world, options.manifests);
  const checks: Check[] = [];
  let triggeredAt = START;
  const trigger = <Given extends readonly unknown[]>(act: (...given: Given) => void) => {
    return (...given: Given) => {
      triggeredAt = world.clock.now();
      act(...given);
    };
  };
  const check: Stage['check'] = (name, ok, found) =>
    options.beside
      ? options.beside.check(`${OTHER_CLUSTER}: ${name}`, ok, found)
      : checks.push({ name, ok, found });
  let peak: readonly NodeSeen[] | undefined;
  let allRunningAfterMs: number | undefined;
  const waitFor = async (isRunning: () => boolean, withinMs: number): Promise<boolean> => {
    const askedAt = world.clock.now();
    const running = await world.runUntil(onPodChange(isRunning), withinMs);
    const now = world.clock.now();
    // Pods that run already when they are waited for are no news.
    if (running && now > askedAt) allRunningAfterMs = now - triggeredAt;
    return running;
  };
  const stage: SetStage = {
    world,
    checks,
    check,
    pricesAre: whereFrom(table),
    now: world.clock.now,
    ...actsOf(world),
    ...sightsOf(world),
    announcer: announcerIn(world),
    uninstall: uninstallerIn(world),
    setUp: rehearsed.setUp,
    deploy: trigger(rehearsed.deploy),
    scale: trigger((name, replicas) => {
      noteOfUser(world, `scales Deployment ${name} to ${replicas}`);
      world.scale({ kind: 'Deployment', name }, replicas);
    }),
    untilRunning: async (app, pods, withinMs) => {
      if (await waitFor(() => countReady(world, app) >= pods, withinMs)) return;
      check(`${pods} pods of ${app} run`, false, `${countReady(world, app)} of ${pods}`);
    },
    untilAllRun: (withinMs) => waitFor(() => doAllRun(world), withinMs),
    markPeak: () => {
      peak = nodesOf(world);
    },
    peak: () => peak ?? nodesOf(world),
    allRunningAfterMs: () => allRunningAfterMs,
    checkOneInstancePerNodeClaim: () => checkInstances(world, check),
    checkNothingLeft: () => checkNothingLeft(world, check),
    checkNoFunctionFailed: () => {
      checkNoFunctionFailed(world, check);
      checkNoTrespass(world, check);
    },
    neighbour: () => neighbourOf(stage, options),
  };
  return stage;
}

const worldOf = (
  { seed, region, beside, settings, networkTags, faults, listen }: StageOptions,
  table: Ec2Table,
): World =>
  createWorld({
    seed,
    start: START,
    region,
    types: machineTypes(table),
    crds: crdTexts(),
    clusterName: beside ? OTHER_CLUSTER : CLUSTER,
    ...(beside && { beside: beside.world }),
    connect: embeddedWith(settings ?? {}),
    ...(networkTags ? { networkTags } : {}),
    ...(faults ? { faults } : {}),
    ...(listen ? { listen } : {}),
  });

/** The same stage once more, on the same account; what it tells is told as the other cluster's. */
function neighbourOf(beside: SetStage, { listen, ...options }: StageOptions): Stage {
  const heard = listen && {
    listen: (entry: Entry) => listen({ ...entry, text: `${OTHER_CLUSTER}: ${entry.text}` }),
  };
  return setStage({ ...options, ...heard, beside });
}

/** Makes of a question about pods one that is asked again only once a pod has changed. */
function podChanges(world: World) {
  let changes = 0;
  world.kubernetes.onChange(({ object }) => {
    if (object.kind === 'Pod') changes += 1;
  });
  return (holds: () => boolean) => {
    let asked = -1;
    return () => {
      if (asked === changes) return false;
      asked = changes;
      return holds();
    };
  };
}

const whereFrom = ({ region, pricedAt, pricesBorrowedFrom }: Ec2Table): string =>
  `on-demand prices of ${pricesBorrowedFrom ?? region} on ${pricedAt}, spot prices estimated`;

function tableOf(region: string): Ec2Table {
  const table = embeddedTable(region);
  if (table === undefined) throw new Error(`expected an embedded region, found ${region}`);
  return table;
}

const actsOf = (world: World) => ({
  limit: (nodePool: string, limits: Readonly<Record<string, string>>) => {
    noteOfUser(world, `limits NodePool ${nodePool} to ${JSON.stringify(limits)}`);
    world.apply([
      {
        apiVersion: 'karpenter.sh/v1',
        kind: 'NodePool',
        metadata: { name: nodePool },
        spec: { limits },
      },
    ]);
  },
  apply: (manifest: Readonly<Record<string, unknown>>) => {
    const { kind, metadata } = manifest;
    noteOfUser(world, `changes ${kind} ${at(metadata, 'name')}`);
    world.apply([manifest]);
  },
  remove: (kind: StoryKind, name: string) => {
    noteOfUser(world, `deletes ${kind} ${name}`);
    world.kubernetes.remove(kind, '', name);
  },
  sellOut: soldOutSwitch(world),
  harm: {
    endInstance: (name: string) => {
      const id = String(at(world.kubernetes.get('Node', '', name), 'spec', 'providerID'));
      noteOfUser(world, `terminates the instance of ${name}`);
      world.aws.terminate(id.split('/').at(-1) ?? '');
    },
    silenceKubelet: (name: string) => {
      noteOfUser(world, `makes the kubelet of ${name} fall silent`);
      world.kubernetes.silenceKubelet(name);
    },
  },
  until: world.runUntil,
  pass: world.run,
  untilNoNodes: (withinMs: number) =>
    world.runUntil(
      () =>
        world.kubernetes.list('Node').length === 0 &&
        world.kubernetes.list('NodeClaim').length === 0,
      withinMs,
    ),
});

/** Pools that are sold out take the place of those that were before. */
function soldOutSwitch({ aws }: World): Stage['sellOut'] {
  let held: readonly { readonly lift: () => void }[] = [];
  return (pools: readonly SoldOutPool[]) => {
    for (const { lift } of held) lift();
    held = pools.map(aws.sellOut);
  };
}

const sightsOf = (world: World) => ({
  objects: (kind: StoryKind) => world.kubernetes.list(kind),
  nodes: () => nodesOf(world),
  pods: (app?: string) => podsOf(world, app),
  nodeClaims: () => world.kubernetes.list('NodeClaim'),
  nodePoolResources: (name: string) => nodePoolResources(world, name),
  eventsAbout: (pods: readonly string[], reason: string) => eventsAbout(world, pods, reason),
  podsTold: (reason: string) => podsTold(world, reason),
  unreadyPools: () => unreadyPools(world),
  calls: world.calls,
  ourMilliseconds: () => ourMilliseconds(world),
});

function nodePoolResources(world: World, name: string): Readonly<Record<string, string>> {
  return { ...Object(at(world.kubernetes.get('NodePool', '', name), 'status', 'resources')) };
}

function ourMilliseconds(world: World): number {
  const firstPending = world.journal.entries.find(({ source }) => source === 'scheduler');
  const firstLaunch = world.aws.machines()[0];
  if (firstPending === undefined || firstLaunch === undefined) return Number.NaN;
  return firstLaunch.launchedAt - firstPending.at;
}

/** The tag of everything that is made for a cluster. */
const OWNER = 'eks:eks-cluster-name';

function checkInstances({ aws, kubernetes, clusterName }: World, check: Stage['check']): void {
  const ours = aws.machines().filter(({ tags }) => (tags[OWNER] ?? clusterName) === clusterName);
  const { ok, found } = matchInstances(ours, kubernetes.list('NodeClaim'));
  check('every NodeClaim has one instance, every instance one NodeClaim', ok, found);
}

/** What Lambda says of an invocation that did not end as it should. */
const FAILED = /^\w+ (failed: |timed out)/;

function checkNoFunctionFailed({ journal }: World, check: Stage['check']): void {
  const failed = journal.entries.filter(
    ({ source, text }) => source === 'lambda' && FAILED.test(text),
  );
  check('no function failed', failed.length === 0, failed[0]?.text ?? 'none');
}

function checkNoTrespass({ aws }: World, check: Stage['check']): void {
  const touched = aws.trespasses();
  check('nothing of others was touched', touched.length === 0, touched[0] ?? 'nothing');
}

function checkNothingLeft(world: World, check: Stage['check']): void {
  const living = world.aws.machines().filter(({ state }) => state !== 'terminated').length;
  const claims = world.kubernetes.list('NodeClaim').length;
  check(
    'nothing is left behind',
    living === 0 && claims === 0,
    `${counted(living, 'instance')}, ${counted(claims, 'NodeClaim')}`,
  );
}
