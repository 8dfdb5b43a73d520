import { JOINING } from '#lib/model/labels.ts';
import { type AuditedCall, auditedCalls } from './audit.ts';
import type { KubeObject } from './cluster-client.ts';
import type { RealWorld } from './real-world.ts';

/** What a cluster looked like at one moment of a burst. */
export interface Moment {
  /** Since the burst began. */
  readonly seconds: number;
  readonly pods: number;
  /** Pods that kube-scheduler has looked at and given up on. */
  readonly marked: number;
  readonly bound: number;
  readonly ready: number;
  readonly claims: number;
  readonly nodes: number;
  readonly readyNodes: number;
  /** Nodes that are kept from kube-scheduler until their plan's others are up. */
  readonly heldNodes: number;
}

/** One look at what a burst has come to. */
export function momentOf(
  seconds: number,
  { pods, claims, nodes }: Readonly<Record<'pods' | 'claims' | 'nodes', readonly KubeObject[]>>,
): Moment {
  return {
    seconds,
    pods: pods.length,
    marked: pods.filter((pod) => says(pod, 'PodScheduled', 'False')).length,
    bound: pods.filter(({ spec }) => spec.nodeName !== undefined).length,
    ready: pods.filter((pod) => says(pod, 'Ready', 'True')).length,
    claims: claims.length,
    nodes: nodes.length,
    readyNodes: nodes.filter((node) => says(node, 'Ready', 'True')).length,
    heldNodes: nodes.filter(isHeld).length,
  };
}

/** Whether a condition of an object has this status. */
export const says = ({ status }: KubeObject, type: string, value: string): boolean =>
  Array.isArray(status?.conditions) &&
  status.conditions.some(
    (one: { readonly type: string; readonly status: string }) =>
      one.type === type && one.status === value,
  );

const isHeld = ({ spec }: KubeObject): boolean =>
  Array.isArray(spec.taints) &&
  spec.taints.some(({ key }: { readonly key: string }) => key === JOINING);

/** What the seconds of a burst went into, one after the other. */
export interface Parts {
  /** Until the last pod was made. */
  readonly making: number;
  /** Until the last instance that was needed was there: ours. */
  readonly launching: number;
  /** Until the last of them was a Node that is Ready: EC2's and the kubelet's. */
  readonly booting: number;
  /** Until the first node was given to kube-scheduler: ours. */
  readonly leading: number;
  /** Until all pods ran: kube-scheduler's. */
  readonly binding: number;
}

/** The parts of a burst. Latecomers after the first pod was bound count as binding. */
export function partsOf(
  moments: readonly Moment[],
  seenAt: readonly number[],
  beganAt: number,
): Parts {
  const when = (isReached: (moment: Moment) => boolean): number =>
    moments.find(isReached)?.seconds ?? Number.NaN;
  const made = when(({ pods }) => pods === moments.at(-1)?.pods);
  const led = when(({ bound }) => bound > 0);
  const needed = seenAt.map((at) => (at - beganAt) / 1_000).filter((at) => at < led);
  const launched = Math.max(made, ...needed);
  const up = when(({ readyNodes }) => readyNodes >= needed.length);
  const ready = Math.min(Math.max(launched, up), led);
  return {
    making: made,
    launching: launched - made,
    booting: ready - launched,
    leading: led - ready,
    binding: (moments.at(-1)?.seconds ?? Number.NaN) - led,
  };
}

/** A burst as a table: every moment at which something had changed, and when our calls came. */
export function tellTimeline(
  world: RealWorld,
  beganAt: number,
  moments: readonly Moment[],
): readonly string[] {
  const shown = moments.filter((moment, at) => isNew(moment, moments[at - 1]));
  const calls = auditedCalls(world.plane);
  const instances = [...world.bridge.seenAt.values()];
  const span = (what: string, times: readonly number[]): string => {
    const since = times.filter((at) => at >= beganAt).map((at) => (at - beganAt) / 1_000);
    return `  ${what}: ${since.length}, ${Math.min(...since).toFixed(1)}–${Math.max(...since).toFixed(1)} s`;
  };
  const at = (isMeant: (call: AuditedCall) => boolean) =>
    calls.filter(isMeant).map(({ receivedAt }) => receivedAt);
  return [
    '  s: pods marked bound ready | claims nodes ready held',
    ...shown.map((one) => {
      const pods = [one.pods, one.marked, one.bound, one.ready];
      const nodes = [one.claims, one.nodes, one.readyNodes, one.heldNodes];
      return `  ${one.seconds.toFixed(1)}: ${pods.join(' ')} | ${nodes.join(' ')}`;
    }),
    span(
      'NodeClaims made',
      at(({ verb, resource }) => verb === 'create' && resource === 'nodeclaims'),
    ),
    span('instances seen', instances),
    span(
      'pods named a node',
      at(({ verb, resource }) => verb === 'patch' && resource === 'pods/status'),
    ),
    span(
      'writes of nodes',
      at(({ verb, resource }) => verb === 'patch' && resource === 'nodes'),
    ),
  ];
}

const isNew = ({ seconds: _, ...moment }: Moment, last: Moment | undefined): boolean =>
  last === undefined ||
  Object.entries(moment).some(([name, value]) => Reflect.get(last, name) !== value);
