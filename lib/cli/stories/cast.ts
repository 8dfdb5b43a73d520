import { ARCH, CAPACITY_TYPE, INSTANCE_TYPE, NODEPOOL, ZONE } from '#lib/model/labels.ts';
import type { PodObject } from '#lib/sim/kubernetes/wire.ts';
import type { World } from '#lib/sim/world.ts';
import type { NodeSeen, PodSeen } from './seen.ts';

const FINISHED = ['Succeeded', 'Failed'];

/** The nodes that stand in the world now, as a person would describe them, by name. */
export function nodesOf(world: World): readonly NodeSeen[] {
  const prices = new Map(world.aws.machines().map((machine) => [machine.id, priceOf(machine)]));
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

type Machine = ReturnType<World['aws']['machines']>[number];

/** What the embedded EC2 charges for a machine, in USD an hour. */
const priceOf = ({ capacityType, type, zone }: Machine): number =>
  (capacityType === 'spot' ? type.spotUsd : type.onDemandUsd)[zone] ?? 0;

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

const isReady = (
  conditions: readonly { readonly type: string; readonly status: string }[] = [],
): boolean => conditions.some(({ type, status }) => type === 'Ready' && status === 'True');

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
