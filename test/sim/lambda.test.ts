import { describe, expect, it } from 'vitest';
import { createFaultPlan } from '#lib/sim/faults.ts';
import type { InvocationResult } from '#lib/sim/lambda.ts';
import { aStack, type PortedHandler, type StackBench } from '#test/build/embedded-stack.ts';

/** Invokes drift, which nothing else wakes within four minutes of some seeds, and waits. */
async function invoke(bench: StackBench, event: unknown = {}): Promise<InvocationResult> {
  let result: InvocationResult | undefined;
  void bench.functions.drift.invoke(event, 'a test').then((value) => {
    result = value;
  });
  await bench.clock.run(() => result !== undefined, bench.clock.now() + 120_000);
  if (result === undefined) throw new Error('the invocation never ended');
  return result;
}

const readNodes: PortedHandler = async ({ kube }) =>
  (await kube({ method: 'GET', path: '/api/v1/nodes' })).status;

describe('a function of the embedded Lambda', () => {
  it('gives back what its handler returned', async () => {
    const bench = aStack({ drift: readNodes });

    expect(await invoke(bench)).toEqual({ kind: 'returned', value: 200 });
  });

  it('is started once for a sandbox, and its sandbox is used again', async () => {
    const bench = aStack();
    await invoke(bench);
    await invoke(bench);

    expect(bench.sandboxes.filter(({ functionName }) => functionName === 'drift')).toHaveLength(1);
  });

  it('gets a sandbox of its own for each run at the same time', async () => {
    const bench = aStack({ drift: readNodes });
    void bench.functions.drift.invoke({}, 'one');
    await invoke(bench);
    await bench.pass(2_000);

    expect(bench.sandboxes.filter(({ functionName }) => functionName === 'drift')).toHaveLength(2);
  });

  it('fails when its handler throws, and keeps its sandbox', async () => {
    const bench = aStack({ drift: () => Promise.reject(new Error('a bug')) });

    expect(await invoke(bench)).toMatchObject({ kind: 'failed', error: { message: 'a bug' } });
    await invoke(bench);
    expect(bench.sandboxes.filter(({ functionName }) => functionName === 'drift')).toHaveLength(1);
  });

  it('is killed at its time limit, and what it waits for never comes', async () => {
    let wentOn = false;
    const bench = aStack({
      drift: async ({ sleep, kube }) => {
        await sleep(61_000);
        wentOn = true;
        await kube({ method: 'GET', path: '/api/v1/nodes' });
      },
    });

    expect(await invoke(bench)).toEqual({ kind: 'timed out' });
    await bench.pass(10_000);
    expect([wentOn, bench.kubeCalls]).toEqual([false, []]);
  });

  it('is told how much time it has left', async () => {
    const bench = aStack({
      drift: async ({ sleep }, _event, context) => {
        await sleep(20_000);
        return context.getRemainingTimeInMillis();
      },
    });

    expect(await invoke(bench)).toEqual({ kind: 'returned', value: 40_000 });
  });

  it('is frozen between two runs: what it left undone goes on in the next', async () => {
    const seen: string[] = [];
    const bench = aStack({
      drift: async ({ sleep }) => {
        seen.push('run');
        void sleep(1_000).then(() => seen.push('left over'));
      },
    });
    await invoke(bench);
    await bench.pass(10_000);
    const before = [...seen];
    await invoke(bench);
    await bench.pass(1);

    expect([before, seen.toSorted()]).toEqual([['run'], ['left over', 'run', 'run']]);
  });
});

describe('a crash at a seam call', () => {
  const twoCalls: PortedHandler = async ({ kube, aws }) => {
    await kube({ method: 'GET', path: '/api/v1/nodes' });
    await aws('CreateLaunchTemplate', {
      LaunchTemplateName: 'nodes',
      LaunchTemplateData: { ImageId: 'ami-1' },
    });
  };
  const templates = async (bench: StackBench): Promise<number> => {
    let count = -1;
    void bench.aws
      .call('test')('DescribeLaunchTemplates', {})
      .then((answer) => {
        count = (answer as { LaunchTemplates: unknown[] }).LaunchTemplates.length;
      });
    await bench.clock.run(() => count >= 0, bench.clock.now() + 10_000);
    return count;
  };

  it.each([
    ['before the first call', { at: 1, how: 'never' }, 0, 0],
    ['after the first call', { at: 1, how: 'lost' }, 1, 0],
    ['before the second call', { at: 2, how: 'never' }, 1, 0],
    ['after the second call', { at: 2, how: 'lost' }, 1, 1],
  ] as const)(
    '%s leaves done what was sent, and nothing after it',
    async (_when, crash, kubeCalls, made) => {
      const faults = createFaultPlan([{ ...crash, of: { function: 'drift' } }]);
      const bench = aStack({ drift: twoCalls }, { faults });

      expect(await invoke(bench)).toEqual({ kind: 'killed' });
      expect([bench.kubeCalls.length, await templates(bench)]).toEqual([kubeCalls, made]);
    },
  );

  it('leaves nothing of the sandbox: the next run starts a new one', async () => {
    const faults = createFaultPlan([{ at: 1, how: 'lost' }]);
    const bench = aStack({ drift: twoCalls }, { faults });
    await invoke(bench);

    expect(await invoke(bench)).toMatchObject({ kind: 'returned' });
    expect(bench.sandboxes).toHaveLength(2);
  });

  it('can be planned for each call that a run without crashes makes', async () => {
    const quiet = aStack({ drift: twoCalls });
    await invoke(quiet);

    expect(quiet.faults.calls()).toEqual([
      { actor: 'drift/1', seam: 'kube', name: 'list nodes' },
      { actor: 'drift/1', seam: 'aws', name: 'CreateLaunchTemplate' },
    ]);
  });
});
