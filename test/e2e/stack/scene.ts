import { NODE_CLASS, NODE_POOL } from '#test/build/placement.ts';
import type { KubeObject } from './cluster-client.ts';
import { until } from './control-plane.ts';
import type { RealWorld } from './real-world.ts';

/** Gives a world its NodePool and waits until nodes can be made of it. */
export async function givePool(
  { cluster }: RealWorld,
  pool: Readonly<Record<string, unknown>> = NODE_POOL,
): Promise<void> {
  for (const object of [NODE_CLASS, pool]) await cluster.apply(object);
  await until(
    async () =>
      (await cluster.list('NodePool')).every(({ status }) =>
        JSON.stringify(status?.conditions ?? []).includes('"True"'),
      ),
    60_000,
    () => 'the NodePool is ready',
  );
}

/** Waits until Joinery has looked and found nothing to do, so that what comes next finds it so. */
export async function untilIdle({ joinery }: RealWorld): Promise<void> {
  const from = new Date().toISOString();
  await until(
    () =>
      joinery().lines.some(
        ({ time, message }) => time > from && message === 'provision: nothing to do',
      ),
    60_000,
    () => 'Joinery has nothing to do',
  );
}

/** The pods that run and that nobody has asked to go. */
export async function runningPods({ cluster }: RealWorld): Promise<readonly KubeObject[]> {
  const pods = await cluster.list('Pod');
  return pods.filter(
    ({ metadata, status }) =>
      metadata.deletionTimestamp === undefined && status?.phase === 'Running',
  );
}

/** Waits until so many pods run. */
export async function untilRunning(world: RealWorld, count: number): Promise<void> {
  await until(
    async () => (await runningPods(world)).length === count,
    120_000,
    () => `${count} pods run`,
  );
}

/** The instance that a NodeClaim says it has. */
export const instanceOf = ({ status }: KubeObject): string =>
  String(status?.providerID).split('/').at(-1) ?? '';

/** The API path of a NodeClaim. */
export const claimPath = ({ metadata }: { readonly metadata: { readonly name: string } }): string =>
  `/apis/karpenter.sh/v1/nodeclaims/${metadata.name}`;
