import { setTimeout as delay } from 'node:timers/promises';
import { podDigest } from '#lib/decide/pods-to-place.ts';
import { FOR_PODS } from '#lib/model/labels.ts';
import type { KubeObject } from './cluster-client.ts';
import type { RealWorld } from './real-world.ts';
import { type Moment, momentOf, type Parts, partsOf, says, tellTimeline } from './timeline.ts';

/** What became of pods that came all at once. */
export interface Burst {
  /** From the first Deployment to the last pod that is ready; NaN where not all are. */
  readonly seconds: number;
  /** Of it, until the first instance was there. */
  readonly firstInstanceAfterSeconds: number;
  /** Pods of which it is known for which NodeClaim they were planned, and those on its node. */
  readonly planned: number;
  readonly asPlanned: number;
  readonly claims: number;
  readonly nodes: number;
  /** Of the nodes that were made, and of those that are left half a minute later. */
  readonly plannedUsdPerHour: number;
  readonly settledUsdPerHour: number;
  /** What Joinery looked, decided and called in that time, waiting for others or not. */
  readonly ourSeconds: number;
  readonly parts: Parts;
  /** How it came about, in lines. */
  readonly timeline: readonly string[];
}

const PATIENCE_MS = 180_000;
const SETTLING_MS = 30_000;
const LOOK_MS = 1_000;

/** Applies the workloads at once and waits until all their pods run. */
export async function burst(
  world: RealWorld,
  workloads: readonly Readonly<Record<string, unknown>>[],
  pods: number,
): Promise<Burst> {
  const { cluster } = world;
  const beganAt = Date.now();
  await Promise.all(workloads.map((workload) => cluster.apply(workload)));
  let running: readonly KubeObject[] = [];
  const claims = new Map<string, KubeObject>();
  let nodes: readonly KubeObject[] = [];
  const moments: Moment[] = [];
  while (running.length < pods && Date.now() - beganAt < PATIENCE_MS) {
    await delay(LOOK_MS);
    const seconds = (Date.now() - beganAt) / 1_000;
    const living = await cluster.list('NodeClaim');
    nodes = await cluster.list('Node');
    const all = await cluster.list('Pod');
    moments.push(momentOf(seconds, { pods: all, claims: living, nodes }));
    for (const claim of living) claims.set(claim.metadata.name, claim);
    running = all.filter((pod) => says(pod, 'Ready', 'True'));
  }
  const endedAt = Date.now();
  const claimOf = new Map<string, string>();
  for (const { metadata } of claims.values()) {
    for (const digest of (metadata.annotations?.[FOR_PODS] ?? '').split(' ')) {
      claimOf.set(digest, metadata.name);
    }
  }
  const nodeOf = new Map(
    [...claims.values()].map((claim) => [claim.metadata.name, claim.status?.nodeName]),
  );
  const known = running.flatMap(({ metadata, spec }) => {
    const claim = claimOf.get(podDigest(metadata.uid ?? ''));
    return claim === undefined ? [] : [nodeOf.get(claim) === spec.nodeName];
  });
  await delay(SETTLING_MS);
  const settled = await cluster.list('Node');
  return {
    seconds: running.length >= pods ? (endedAt - beganAt) / 1_000 : Number.NaN,
    firstInstanceAfterSeconds: (Math.min(...world.bridge.seenAt.values()) - beganAt) / 1_000,
    planned: known.length,
    asPlanned: known.filter(Boolean).length,
    claims: claims.size,
    nodes: nodes.length,
    plannedUsdPerHour: usdOf(world, nodes),
    settledUsdPerHour: usdOf(world, settled),
    ourSeconds: ourSeconds(world, beganAt, endedAt),
    parts: partsOf(moments, [...world.bridge.seenAt.values()], beganAt),
    timeline: tellTimeline(world, beganAt, moments),
  };
}

const usdOf = ({ account }: RealWorld, nodes: readonly KubeObject[]): number =>
  nodes.reduce(
    (sum, { metadata }) =>
      sum + (account.prices.get(metadata.labels?.['node.kubernetes.io/instance-type'] ?? '') ?? 0),
    0,
  );

/** What the turns that ended in between say that they took. */
const ourSeconds = (world: RealWorld, from: number, until: number): number =>
  world
    .joinery()
    .lines.filter(({ message }) => message.startsWith('provision: '))
    .filter(({ time }) => Date.parse(time) >= from && Date.parse(time) <= until)
    .reduce((sum, { tookMs }) => {
      const { look = 0, decide = 0, act = 0 } = Object(tookMs);
      return sum + look + decide + act;
    }, 0) / 1_000;
