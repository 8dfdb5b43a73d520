import { setTimeout as delay } from 'node:timers/promises';
import type { Manifest } from '#lib/cli/stories/apply-manifests.ts';
import { counted } from '#lib/cli/stories/counted.ts';
import { matchInstances } from '#lib/cli/stories/match-instances.ts';
import type { Check, NodeSeen, PodSeen } from '#lib/cli/stories/seen.ts';
import type { Stage, StoryKind } from '#lib/cli/stories/story.ts';
import { pathOf } from '#lib/kube/kinds.ts';
import { ARCH, CAPACITY_TYPE, INSTANCE_TYPE, NODEPOOL, ZONE } from '#lib/model/labels.ts';
import { SPOT_SHARE } from './aws-account.ts';
import type { KubeObject } from './cluster-client.ts';
import type { RealWorld } from './real-world.ts';
import { weatherIn } from './weather.ts';

/** A stage in the real world, and what a story left behind there. */
export interface RealStage extends Stage {
  readonly checks: readonly Check[];
  readonly peak: () => readonly NodeSeen[];
  /** From the last thing that a person did until all pods of the last wait ran. */
  readonly runningAfterMs: () => number;
}

/** What is settled otherwise here than in a world whose clock can be wound on. */
export interface Pace {
  /** The story's pauses last this long at most. */
  readonly longestPauseMs: number;
  /** Between two looks. */
  readonly glanceMs: number;
}

const USUAL_PACE: Pace = { longestPauseMs: 30_000, glanceMs: 400 };
/** This machine may be busy with other things; a story's own checks know how long it may take. */
const PATIENCE = 1.5;

/** What stood there when the last wait ended. */
interface Mirror {
  objects: Readonly<Record<StoryKind, readonly KubeObject[]>>;
  told: readonly KubeObject[];
  instances: readonly string[];
  calls: Readonly<Record<string, number>>;
}

/**
 * Plays the same stories as the embedded world does. What a person does is done one after the
 * other, before the next wait; what is seen is what stood there when the last wait ended.
 */
export function realStage(
  world: RealWorld,
  manifests: readonly Manifest[],
  pace: Partial<Pace> = {},
): RealStage {
  const { longestPauseMs, glanceMs } = { ...USUAL_PACE, ...pace };
  const checks: Check[] = [];
  let mirror: Mirror = { objects: NOTHING, told: [], instances: [], calls: {} };
  let deeds: Promise<unknown> = Promise.resolve();
  let failure: unknown;
  let actedAt = Date.now();
  let runningAfterMs = Number.NaN;
  let peak: readonly NodeSeen[] | undefined;
  const firstSeen = () => Math.min(...world.bridge.seenAt.values());
  const does = (deed: () => Promise<unknown>): void => {
    deeds = deeds
      .then(deed)
      .then(() => {
        actedAt = Date.now();
      })
      .catch((error: unknown) => {
        failure ??= error;
      });
  };
  const look = async () => {
    await deeds;
    if (failure !== undefined) throw failure;
    mirror = await mirrored(world);
  };
  const until = async (holds: () => boolean, withinMs: number): Promise<boolean> => {
    const end = Date.now() + withinMs * PATIENCE;
    for (;;) {
      await look();
      if (holds()) return true;
      if (Date.now() > end) return false;
      await delay(glanceMs);
    }
  };
  const check: Stage['check'] = (name, ok, found) => checks.push({ name, ok, found });
  const nodes = () => nodesSeen(mirror, world);
  const pods = (app?: string) => podsSeen(mirror, nodes(), app);
  const ready = (app?: string) => pods(app).filter((pod) => pod.ready).length;
  const isGroundwork = ({ object }: Manifest) => GROUNDWORK.has(String(object.kind));
  const stage: RealStage = {
    checks,
    check,
    now: Date.now,
    until,
    setUp: async () => {
      for (const { object } of manifests.filter(isGroundwork)) {
        does(() => world.cluster.apply(object));
      }
      await until(() => mirror.objects.NodePool.length > 0 && unready(mirror).length === 0, 60_000);
    },
    deploy: () => {
      for (const manifest of manifests) {
        if (!isGroundwork(manifest)) does(() => world.cluster.apply(manifest.object));
      }
    },
    scale: (deployment, replicas) => {
      const path = `${pathOf('Deployment', { namespace: 'default', name: deployment })}/scale`;
      does(() => world.cluster.patch(path, { spec: { replicas } }));
    },
    limit: (nodePool, limits) =>
      does(() => world.cluster.patch(pathOf('NodePool', { name: nodePool }), { spec: { limits } })),
    apply: (manifest) => does(() => world.cluster.apply(manifest)),
    remove: (kind, name) => does(() => world.cluster.remove(pathOf(kind, { name }))),
    sellOut: (pools) =>
      does(() =>
        world.account.sellsNot(
          pools.map(({ capacityType, type, zone }) => [capacityType, type, zone] as const),
        ),
      ),
    ...weatherIn(world, does, () => mirror),
    untilRunning: async (app, amount, withinMs) => {
      if (await until(() => ready(app) >= amount, withinMs)) runningAfterMs = Date.now() - actedAt;
      else check(`${amount} pods of ${app} run`, false, `${ready(app)} of ${amount}`);
    },
    untilAllRun: async (withinMs) => {
      const isDone = await until(() => pods().length > 0 && ready() === pods().length, withinMs);
      if (isDone) runningAfterMs = Date.now() - actedAt;
      return isDone;
    },
    untilNoNodes: (withinMs) =>
      until(
        () => mirror.objects.Node.length === 0 && mirror.objects.NodeClaim.length === 0,
        withinMs,
      ),
    pass: async (ms) => {
      await deeds;
      await delay(Math.min(ms, longestPauseMs));
      await look();
    },
    nodes,
    pods,
    objects: (kind) => mirror.objects[kind].map(asStoryObject),
    nodeClaims: () => mirror.objects.NodeClaim.map(asStoryObject),
    nodePoolResources: (name) =>
      mirror.objects.NodePool.find(({ metadata }) => metadata.name === name)?.status?.resources ??
      {},
    eventsAbout: (names, reason) =>
      mirror.told
        .filter((event) => event.reason === reason && names.includes(event.involvedObject.name))
        .map(({ message }) => message),
    podsTold: (reason) =>
      new Set(
        mirror.told
          .filter((event) => event.reason === reason)
          .map(({ involvedObject }) => involvedObject.name),
      ),
    unreadyPools: () => unready(mirror),
    calls: () => mirror.calls,
    // As with every limit, this machine is given half as long again.
    ourMilliseconds: () => (firstSeen() - actedAt) / PATIENCE,
    markPeak: () => {
      peak = nodes();
    },
    peak: () => peak ?? nodes(),
    runningAfterMs: () => runningAfterMs,
    checkOneInstancePerNodeClaim: () => {
      const machines = mirror.instances.map((id) => ({ id, state: 'running' as const }));
      const { ok, found } = matchInstances(machines, mirror.objects.NodeClaim);
      check('every NodeClaim has one instance, every instance one NodeClaim', ok, found);
    },
    checkNothingLeft: () => {
      const [instances, claims] = [mirror.instances.length, mirror.objects.NodeClaim.length];
      const found = `${counted(instances, 'instance')}, ${counted(claims, 'NodeClaim')}`;
      check('nothing is left behind', instances === 0 && claims === 0, found);
    },
    checkNoFunctionFailed: () => {
      const failed = world.joinery().lines.filter(({ level }) => level === 'error');
      check('no function failed', failed.length === 0, JSON.stringify(failed[0] ?? 'none'));
    },
  };
  return stage;
}

const NOTHING: Mirror['objects'] = {
  Pod: [],
  Node: [],
  NodeClaim: [],
  NodePool: [],
  EC2NodeClass: [],
};

/** What a person sets up before there is anything to run. */
const GROUNDWORK = new Set([
  'EC2NodeClass',
  'Namespace',
  'NodePool',
  'PriorityClass',
  'StorageClass',
]);

const asStoryObject = (object: KubeObject) => ({
  ...object,
  metadata: { ...object.metadata, uid: object.metadata.uid ?? '' },
});

/** Pods first: where one is seen to run, its node is seen as it is then or later. */
async function mirrored({ cluster, bridge, account }: RealWorld): Promise<Mirror> {
  const ours = { path: '/api/v1/events', query: { fieldSelector: 'reportingComponent=joinery' } };
  const Pod = await cluster.list('Pod');
  const [Node, NodeClaim, NodePool, EC2NodeClass, told, instances, calls] = await Promise.all([
    cluster.list('Node'),
    cluster.list('NodeClaim'),
    cluster.list('NodePool'),
    cluster.list('EC2NodeClass'),
    cluster.transport({ method: 'GET', ...ours }),
    bridge.living(),
    account.calls(),
  ]);
  const objects = { Pod, Node, NodeClaim, NodePool, EC2NodeClass };
  return { objects, told: Object(told.body).items, instances, calls };
}

function nodesSeen({ objects }: Mirror, { account }: RealWorld): readonly NodeSeen[] {
  const byNode = Map.groupBy(livePods(objects.Pod), ({ spec }) => spec.nodeName);
  return objects.Node.map(({ metadata }) => {
    const { labels = {}, name } = metadata;
    const capacityType = labels[CAPACITY_TYPE] ?? '';
    const onDemand = account.prices.get(labels[INSTANCE_TYPE] ?? '') ?? 0;
    return {
      name,
      nodePool: labels[NODEPOOL] ?? '',
      instanceType: labels[INSTANCE_TYPE] ?? '',
      zone: labels[ZONE] ?? '',
      capacityType,
      arch: labels[ARCH] ?? '',
      usdPerHour: capacityType === 'spot' ? onDemand * SPOT_SHARE : onDemand,
      labels,
      pods: (byNode.get(name) ?? []).map((pod) => pod.metadata.name),
    };
  });
}

function podsSeen(
  { objects }: Mirror,
  nodes: readonly NodeSeen[],
  app: string | undefined,
): readonly PodSeen[] {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  return livePods(objects.Pod)
    .filter(({ metadata }) => app === undefined || metadata.labels?.app === app)
    .map(({ metadata, spec, status }) => {
      const node = byName.get(spec.nodeName);
      return {
        name: metadata.name,
        app: metadata.labels?.app ?? '',
        phase: status?.phase ?? 'Pending',
        ready: holds(status?.conditions, 'Ready'),
        ...(node && { node }),
      };
    });
}

const livePods = (pods: readonly KubeObject[]): readonly KubeObject[] =>
  pods.filter(
    ({ metadata, status }) =>
      metadata.deletionTimestamp === undefined &&
      status?.phase !== 'Succeeded' &&
      status?.phase !== 'Failed',
  );

const holds = (conditions: unknown, type: string): boolean =>
  Array.isArray(conditions) &&
  conditions.some((each) => each.type === type && each.status === 'True');

const unready = ({ objects }: Mirror): readonly string[] =>
  objects.NodePool.filter(({ status }) => !holds(status?.conditions, 'Ready')).map(
    ({ metadata, status }) =>
      `NodePool ${metadata.name} is not ready: ${JSON.stringify(status?.conditions ?? 'no word')}`,
  );
