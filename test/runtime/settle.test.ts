import { describe, expect, it } from 'vitest';
import { typedCall } from '#lib/aws/calls/call.ts';
import { anEmptyPlan } from '#lib/decide/plan-parts.ts';
import { createEventMemory } from '#lib/kube/event-memory.ts';
import { noteGathered, settle, settleAgain } from '#lib/runtime/settle.ts';
import type { Shell } from '#lib/runtime/shell.ts';
import { anApi } from '#test/build/api-bench.ts';
import { settings } from '#test/build/aws-callers.ts';
import { aPod } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

/** An API server with pods without a node, and how long settling over it takes. */
function aBench() {
  const api = anApi();
  const shell: Shell = {
    kube: api.kube,
    aws: typedCall(async () => ({})),
    now: api.now,
    sleep: api.clock.sleep,
    events: createEventMemory(),
    settings: { cluster: settings, hintQueueUrl: 'https://queue', identity: 'me' },
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  };
  const pod = (name: string) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  });
  const make = (name: string) => api.cluster.apply(pod(name));
  const giveUpOn = async (name: string): Promise<void> => {
    const lastTransitionTime = new Date(api.now()).toISOString();
    const conditions = [
      { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', lastTransitionTime },
    ];
    const { status } = await api.kube({
      method: 'PATCH',
      path: `/api/v1/namespaces/default/pods/${name}/status`,
      contentType: 'application/merge-patch+json',
      body: { status: { conditions } },
    });
    expect(status).toBe(200);
  };
  const secondsOf = async (wait: typeof settle): Promise<number> => {
    const begunAt = api.now();
    await api.through(wait(shell, begunAt + 60_000));
    return (api.now() - begunAt) / 1_000;
  };
  /** As if a look had planned for these, and seen all. */
  const plan = (...names: readonly string[]) => {
    const pods = api.cluster.all('Pod').map(({ metadata }) => {
      const { scheduled: _, ...untried } = aPod({ meta: metadata });
      return untried;
    });
    const placements = names.map((name) => ({ pod: `default/${name}`, node: 'a' }));
    const snapshot = aSnapshot({ pods });
    noteGathered(shell, { ...anEmptyPlan('provision', snapshot), placements }, snapshot);
  };
  return { api, make, giveUpOn, secondsOf, plan };
}

describe('a burst', () => {
  it('is over when no pod has come for a second, or after ten', async () => {
    const bench = aBench();
    bench.make('a');
    bench.api.clock.after(700, () => bench.make('b'));
    const short = await bench.secondsOf(settle);
    expect(short).toBeGreaterThan(1.9);
    expect(short).toBeLessThan(2.5);

    for (let at = 1; at < 40; at += 1) {
      bench.api.clock.after(at * 500, () => bench.make(`c-${at}`));
    }
    const long = await bench.secondsOf(settle);
    expect(long).toBeGreaterThan(8.9);
    expect(long).toBeLessThan(10.5);
  });

  it('is not drawn out by kube-scheduler, which gives up on one pod after the other', async () => {
    const bench = aBench();
    for (const name of ['a', 'b', 'c']) bench.make(name);
    bench.api.clock.after(700, () => bench.giveUpOn('a'));
    bench.api.clock.after(1_500, () => bench.giveUpOn('b'));

    expect(await bench.secondsOf(settle)).toBeLessThan(1.5);
  });

  it('is not waited for by the next turn if it was planned for by this one', async () => {
    const bench = aBench();
    bench.make('a');
    bench.plan('a');

    expect(await bench.secondsOf(settle)).toBeLessThan(0.5);
    bench.make('b');
    expect(await bench.secondsOf(settle)).toBeGreaterThan(0.9);
  });

  it('goes on after a launch where a pod without a place is given up on', async () => {
    const bench = aBench();
    bench.make('a');
    bench.make('b');
    bench.plan('a');
    await bench.api.through(bench.giveUpOn('a'));

    expect(await bench.secondsOf(settleAgain)).toBeLessThan(0.5);
    await bench.api.through(bench.giveUpOn('b'));
    expect(await bench.secondsOf(settleAgain)).toBeGreaterThan(0.9);
  });
});
