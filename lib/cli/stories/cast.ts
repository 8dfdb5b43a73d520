import { ARCH, CAPACITY_TYPE, INSTANCE_TYPE, NODEPOOL, ZONE } from '#lib/model/labels.ts';
import type { PodObject } from '#lib/sim/kubernetes/wire.ts';
import type { World } from '#lib/sim/world.ts';
import type { NodeSeen, PodSeen } from './seen.ts';

const FINISHED = ['Succeeded', 'Failed'];

/** The nodes that stand in the world now, as a person would describe them, by name. */
export function nodesOf(world: World): readonly NodeSeen[] {
  const prices = new Map(world.aws.machines().map(({ id, usdPerHour }) => [id, usdPerHour]));
  const pods = podsByNode(world);
  return world.kubernetes.all('Node').map(({ metadata, spec }) => {
    const labels = metadata.labels ?? {};
    return {
      name: metadata.name,
      nodePool: labels[NODEPOOL] ?? '',
      instanceType: labels[INSTANCE_TYPE] ?? '',
      zone: labels[ZONE] ?? '',
      capacityType: labels[CAPACITY_TYPE] ?? '',
      arch: labels[ARCH] ?? '',
      usdPerHour: prices.get(spec?.providerID?.split('/').at(-1) ?? '') ?? 0,
      labels,
      pods: pods.get(metadata.name) ?? [],
    };
  });
}

function podsByNode(world: World): ReadonlyMap<string, readonly string[]> {
  const byNode = new Map<string, string[]>();
  for (const { metadata, spec } of livePods(world)) {
    const node = spec?.nodeName;
    if (node === undefined) continue;
    const names = byNode.get(node);
    if (names === undefined) byNode.set(node, [metadata.name]);
    else names.push(metadata.name);
  }
  return byNode;
}

/** The pods of the workload `app` (its label), or of every workload, that have not ended. */
export function podsOf(world: World, app?: string): readonly PodSeen[] {
  const nodes = new Map(nodesOf(world).map((node) => [node.name, node]));
  return livePods(world)
    .filter(({ metadata }) => app === undefined || metadata.labels?.app === app)
    .map(({ metadata, spec, status }) => {
      const node = nodes.get(spec?.nodeName ?? '');
      return {
        name: metadata.name,
        app: metadata.labels?.app ?? '',
        phase: status?.phase ?? 'Pending',
        ready: isReady(status?.conditions),
        ...(node ? { node } : {}),
      };
    });
}

/** How many pods of `app` run and are ready: what a story waits for, so cheaper than podsOf. */
export const countReady = (world: World, app?: string): number =>
  livePods(world).filter(
    ({ metadata, status }) =>
      (app === undefined || metadata.labels?.app === app) && isReady(status?.conditions),
  ).length;

const livePods = (world: World): readonly PodObject[] =>
  world.kubernetes
    .all('Pod')
    .filter(
      ({ metadata, status }) =>
        metadata.deletionTimestamp === undefined && !FINISHED.includes(status?.phase ?? ''),
    );

/** Whether these conditions of a pod say that it is ready. */
export const isReady = (conditions: unknown): boolean =>
  Array.isArray(conditions) &&
  conditions.some((one) => at(one, 'type') === 'Ready' && at(one, 'status') === 'True');

/** Whether every pod that has not ended runs and is ready, and there is one. */
export function doAllRun(world: World): boolean {
  const pods = livePods(world);
  return pods.length > 0 && pods.every(({ status }) => isReady(status?.conditions));
}

/** Of each NodePool that is not ready: its name and why. */
export const unreadyPools = (world: World): readonly string[] =>
  world.kubernetes.list('NodePool').flatMap((pool) => {
    if (isTrue(pool, 'Ready')) return [];
    return [`NodePool ${pool.metadata.name} is not ready: ${whyNot(pool) ?? 'no word of it yet'}`];
  });

/** Whether the status of `object` has this condition, and it is True. */
export const isTrue = (object: unknown, type: string): boolean =>
  conditionsOf(object).some((one) => at(one, 'type') === type && at(one, 'status') === 'True');

/** What conditions of `object` are False, each with its reason; undefined where none is. */
export function whyNot(object: unknown): string | undefined {
  const amiss = conditionsOf(object).filter(
    (one) => at(one, 'status') === 'False' && at(one, 'type') !== 'Ready',
  );
  if (amiss.length === 0) return undefined;
  return amiss
    .map((one) => `${at(one, 'type')}=False (${at(one, 'reason')}: ${at(one, 'message')})`)
    .join(', ');
}

function conditionsOf(object: unknown): readonly unknown[] {
  const conditions: unknown = at(object, 'status', 'conditions');
  return Array.isArray(conditions) ? conditions : [];
}

/** The names of the pods about which Joinery wrote an event with `reason`. */
export const podsTold = (world: World, reason: string): ReadonlySet<string> =>
  new Set(
    world.kubernetes
      .list('Event')
      .filter(
        (event) => at(event, 'reportingComponent') === 'joinery' && at(event, 'reason') === reason,
      )
      .map((event) => String(at(event, 'involvedObject', 'name'))),
  );

/** The texts of Joinery's own events with `reason` about pods of these names. */
export function eventsAbout(
  world: World,
  pods: readonly string[],
  reason: string,
): readonly string[] {
  const wanted = new Set(pods);
  return world.kubernetes.list('Event').flatMap((event) => {
    const about = at(event, 'involvedObject', 'name');
    const isOurs = at(event, 'reportingComponent') === 'joinery' && at(event, 'reason') === reason;
    return isOurs && wanted.has(String(about)) ? [String(at(event, 'message'))] : [];
  });
}

/** What stands under `path` in a JSON object, undefined where nothing does. */
export const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce((inner, key) => Object(inner)[key], value);
