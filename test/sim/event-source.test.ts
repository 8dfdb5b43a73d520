import { describe, expect, it } from 'vitest';
import { createFaultPlan } from '#lib/sim/faults.ts';
import { aStack, type PortedHandler } from '#test/build/embedded-stack.ts';

interface SqsEvent {
  readonly Records?: readonly { readonly messageId: string; readonly body: string }[];
}

/** A handler that writes down the bodies of each batch it gets, and answers as `answer` says. */
function recorder(answer: (event: SqsEvent, batch: number) => unknown = () => undefined) {
  const batches: string[][] = [];
  const handler: PortedHandler = async (_ports, event) => {
    const { Records } = event as SqsEvent;
    if (Records === undefined) return undefined;
    batches.push(Records.map(({ body }) => body));
    return answer({ Records }, batches.length);
  };
  return { batches, handler };
}

describe('a queue that feeds a function', () => {
  it('delivers in batches of up to ten, in no particular order, each once', async () => {
    const { batches, handler } = recorder();
    const bench = aStack({ provision: handler });
    const sent = Array.from({ length: 23 }, (_, index) => `m${index}`);
    for (const body of sent) bench.queues.hints.send(body);
    await bench.pass(50_000);

    expect(batches.every((batch) => batch.length <= 10)).toBe(true);
    expect(batches.flat().sort()).toEqual([...sent].sort());
    expect(batches.flat()).not.toEqual(sent);
    expect(bench.queues.hints.depth().kept).toBe(0);
  });

  it('gathers what is announced within a second, for the function that listens to storms', async () => {
    const { batches, handler } = recorder();
    const bench = aStack({ interrupt: handler });
    for (let index = 0; index < 40; index += 1) bench.queues.interruptions.send(`a${index}`);
    await bench.pass(800);
    for (let index = 0; index < 40; index += 1) bench.queues.interruptions.send(`b${index}`);
    const before = batches.length;
    await bench.pass(3_000);

    expect([before, batches.map(({ length }) => length)]).toEqual([0, [80]]);
  });

  it('holds a message back for as long as its delay', async () => {
    const { batches, handler } = recorder();
    const bench = aStack({ provision: handler });
    bench.queues.hints.send('later', 20_000);
    await bench.pass(19_900);
    const before = batches.length;
    await bench.pass(2_000);

    expect([before, batches]).toEqual([0, [['later']]]);
  });

  it('never runs the function more than twice at a time', async () => {
    let [now, most] = [0, 0];
    const bench = aStack({
      provision: async ({ sleep }, event) => {
        if ((event as SqsEvent).Records === undefined) return;
        now += 1;
        most = Math.max(most, now);
        await sleep(5_000);
        now -= 1;
      },
    });
    for (let index = 0; index < 60; index += 1) bench.queues.hints.send('look');
    await bench.pass(40_000);

    expect(most).toBe(2);
    expect(bench.queues.hints.depth().kept).toBe(0);
  });

  it('brings a message back after its visibility timeout when the function fails', async () => {
    const { batches, handler } = recorder((_event, batch) => {
      if (batch === 1) throw new Error('a bug');
    });
    const bench = aStack({ provision: handler });
    bench.queues.hints.send('look');
    await bench.pass(59_000);
    const before = batches.length;
    await bench.pass(5_000);

    expect([before, batches.length]).toEqual([1, 2]);
  });

  it('brings a message back when the function was killed', async () => {
    const { batches, handler } = recorder();
    const bench = aStack(
      {
        provision: async (ports, event, context) => {
          if ((event as SqsEvent).Records === undefined) return undefined;
          await ports.kube({ method: 'GET', path: '/api/v1/nodes' });
          return handler(ports, event, context);
        },
      },
      { faults: createFaultPlan([{ at: 1, how: 'never' }]) },
    );
    bench.queues.hints.send('look');
    await bench.pass(70_000);

    expect(batches).toEqual([['look']]);
  });

  it('keeps only the messages of a batch that the function names as failed', async () => {
    const { batches, handler } = recorder(({ Records = [] }, batch) =>
      batch === 1
        ? {
            batchItemFailures: Records.filter(({ body }) => body === 'bad').map(
              ({ messageId }) => ({ itemIdentifier: messageId }),
            ),
          }
        : undefined,
    );
    const bench = aStack({ provision: handler });
    for (const body of ['good', 'bad', 'fine']) bench.queues.hints.send(body);
    await bench.pass(70_000);

    expect(batches.map((batch) => [...batch].sort())).toEqual([['bad', 'fine', 'good'], ['bad']]);
  });

  it('gives a message up to the dead-letter queue after four receives', async () => {
    const { batches, handler } = recorder(() => Promise.reject(new Error('a bug')));
    const bench = aStack({ provision: handler });
    bench.queues.hints.send('poison');
    await bench.pass(400_000);

    expect(batches).toHaveLength(4);
    expect(bench.queues.deadHints.receive(10)).toMatchObject([{ body: 'poison' }]);
  });

  it('delivers twice where the world says so', async () => {
    const { batches, handler } = recorder();
    const bench = aStack({ provision: handler }, { duplicates: 1 });
    bench.queues.hints.send('look');
    await bench.pass(10_000);

    expect(batches.flat()).toEqual(['look', 'look']);
  });
});
