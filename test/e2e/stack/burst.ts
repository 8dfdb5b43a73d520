import { setTimeout as delay } from 'node:timers/promises';
import { podDigest } from '#lib/decide/pods-to-place.ts';
import { FOR_PODS } from '#lib/model/labels.ts';
import type { KubeObject } from './cluster-client.ts';
import type { RealWorld } from './real-world.ts';

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
  /** In turns of provision until all ran, without waiting for more pods: the part that is Joinery's. */
  readonly ourSeconds: number;
}

const PATIENCE_MS = 180_000;
const SETTLING_MS = 30_000;

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
  let isDone = false;
  while (!isDone && Date.now() - beganAt < PATIENCE_MS) {
    await delay(1_000);
    for (const claim of await cluster.list('NodeClaim')) claims.set(claim.metadata.name, claim);
    running = (await cluster.list('Pod')).filter(isReady);
    isDone = running.length >= pods;
  }
  const endedAt = Date.now();
  const nodes = await cluster.list('Node');
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
    seconds: isDone ? (endedAt - beganAt) / 1_000 : Number.NaN,
    firstInstanceAfterSeconds: (Math.min(...world.bridge.seenAt.values()) - beganAt) / 1_000,
    planned: known.length,
    asPlanned: known.filter(Boolean).length,
    claims: claims.size,
    nodes: nodes.length,
    plannedUsdPerHour: usdOf(world, nodes),
    settledUsdPerHour: usdOf(world, settled),
    ourSeconds: ourSeconds(world, beganAt, endedAt),
  };
}

const isReady = ({ status }: KubeObject): boolean =>
  Array.isArray(status?.conditions) &&
  status.conditions.some(
    (one: { readonly type: string; readonly status: string }) =>
      one.type === 'Ready' && one.status === 'True',
  );

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
