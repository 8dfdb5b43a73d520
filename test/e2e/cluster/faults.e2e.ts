import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { manifestsOf } from '#lib/cli/stories/command.ts';
import { inflate } from '#lib/cli/stories/inflate.ts';
import type { Kind } from '#lib/kube/kinds.ts';
import { until } from '../stack/control-plane.ts';
import { startFaultProxy } from '../stack/fault-proxy.ts';
import type { Joinery } from '../stack/joinery.ts';
import { realStage } from '../stack/real-stage.ts';
import { type RealWorld, realWorld } from '../stack/real-world.ts';

/** One call in so many fails. A turn makes some thirty. */
const EVERY = 11;
const PODS = 5;

/** Five pods come, and go again; at the end nothing is left, and nothing was bought twice. */
async function comeAndGo(
  world: RealWorld,
  harm: (instances: () => number) => Promise<void> = async () => undefined,
) {
  const stage = realStage(world, manifestsOf(inflate));
  await stage.setUp();
  stage.deploy();
  stage.scale('inflate', PODS);
  await harm(() => world.bridge.seenAt.size);
  await stage.untilRunning('inflate', PODS, 180_000);
  stage.checkOneInstancePerNodeClaim();
  const bought = world.bridge.seenAt.size;
  stage.check('no instance was bought in vain', bought === stage.nodes().length, `${bought}`);
  stage.scale('inflate', 0);
  await stage.untilNoNodes(240_000);
  stage.checkNothingLeft();
  return stage.checks.filter(({ ok }) => !ok);
}

describe('story 1 on a real control plane', () => {
  it('ends well while one call in eleven fails: 500, 429, connections cut before and after', async () => {
    const world = await realWorld({ isQuiet: true });
    const proxy = await startFaultProxy(world.plane, EVERY);
    try {
      await world.start({ server: proxy.server });
      expect(await comeAndGo(world)).toEqual([]);
      expect(Math.min(...proxy.struck.values())).toBeGreaterThan(5);
      expect(proxy.struck.size).toBe(4);
    } finally {
      await world.end();
      await proxy.stop();
    }
  }, 420_000);

  it('ends well though the process is killed twice, before and after the launch', async () => {
    const world = await realWorld();
    try {
      const failed = await comeAndGo(world, async (instances) => {
        while ((await world.cluster.list('NodeClaim')).length === 0) await delay(20);
        await world.joinery().kill();
        await world.start();
        while (instances() === 0) await delay(20);
        await world.joinery().kill();
        await world.start();
      });
      expect(failed).toEqual([]);
    } finally {
      await world.end();
    }
  }, 420_000);

  it('ends well though one process after the other freezes amid its turn and wakes when its Lease is gone', async () => {
    const world = await realWorld();
    const freeze = ({ pid }: Joinery) => process.kill(pid, 'SIGSTOP');
    const wake = ({ pid }: Joinery) => process.kill(pid, 'SIGCONT');
    const wakes = async (what: string, isTrue: () => boolean | Promise<boolean>) =>
      await until(isTrue, 120_000, () => what, 20);
    try {
      const failed = await comeAndGo(world, async (instances) => {
        const first = world.joinery();
        const are = async (kind: Kind) => (await world.cluster.list(kind)).length > 0;
        await wakes('a NodeClaim is there', () => are('NodeClaim'));
        freeze(first);
        const second = await world.start();
        await wakes('the second takes the Lease over and launches', () => instances() > 0);
        freeze(second);
        wake(first);
        await wakes('the first goes on', () => are('Node'));
        wake(second);
      });
      expect(failed).toEqual([]);
    } finally {
      await world.end();
    }
  }, 420_000);
});
